-- What version 1 of the data looks like. A later version adds a file beside this one; this one never changes.

create table setting (
    key   text primary key,
    value text not null
) without rowid;

-- One row: the log as a whole, how often settings were changed. The seal is keyed; it binds both, and every row of `seal`.
create table head (
    one              integer primary key check (one = 1),
    size             integer not null,
    peaks            blob not null,
    settings_version integer not null,
    seal             blob not null
);
insert into head values (1, 0, x'', 0, x'');

-- What the rows of a part of the data come to, under a key.
create table seal (
    part text primary key,
    sum  blob not null
) without rowid;

create table record (
    idx     integer primary key,
    kind    integer not null,
    at      integer not null,
    session integer,
    call    text,
    body    blob not null,
    leaf    blob not null,
    seal    blob not null
);
create index record_step on record (kind) where kind = 2;
create index record_of on record (session, call);

-- Roots of complete subtrees of 2^8, 2^16 … records, so that proofs need not read the whole log.
create table subtree (
    height integer not null,
    number integer not null,
    hash   blob not null,
    primary key (height, number)
) without rowid;

create table checkpoint (
    size integer primary key,
    text text not null
);

create table hold (
    id           integer primary key,
    ticket       text not null unique,
    digest       blob not null,
    agent        text not null,
    session      text not null,
    record       integer not null,
    opened       integer not null,
    deadline     integer not null,
    inline_only  integer not null,
    crisis       integer not null,
    card         blob not null,
    state        text not null,
    since        integer not null,
    by           text,
    reason       text,
    redeem_until integer not null,
    approval     blob
);
create index hold_pending on hold (crisis desc, deadline) where state = 'pending';
create index hold_redeem on hold (redeem_until) where state = 'approved';
create index hold_digest on hold (digest) where inline_only = 0;
create index hold_session on hold (session) where state = 'pending';
create index hold_agent on hold (agent) where state = 'pending';
create index hold_denied on hold (digest) where state = 'denied';
create index hold_kept on hold (opened) where card <> x'';

-- `ends` is when nobody asks for it any more, where that is known.
create table counter (
    key   text primary key,
    value integer not null,
    ends  integer
) without rowid;
create index counter_ends on counter (ends) where ends is not null;

create table once (
    key text primary key,
    at  integer not null
) without rowid;

create index once_at on once (at);

-- Whose doings rules remember. By number, so that what is remembered of those who are busy together lies together.
create table party (
    no   integer primary key,
    name text not null unique
);

create table shelf (
    party integer not null,
    rule  text not null,
    ends  integer not null,
    bytes blob not null,
    primary key (party, rule)
) without rowid;
create index shelf_ends on shelf (ends);

-- `minute` is that of last_seen: an index by it seldom changes.
create table session (
    no         integer primary key,
    id         text not null unique,
    agent      text not null,
    host       text not null,
    parent     text,
    user       text,
    deployment text,
    first_seen integer not null,
    last_seen  integer not null,
    minute     integer not null,
    ended      integer,
    allowed    integer not null,
    held       integer not null,
    blocked    integer not null,
    warrant    blob
);
create index session_seen on session (minute);
create index session_agent on session (agent, minute);
create index session_parent on session (parent) where parent is not null;
create index session_bound on session (minute) where warrant is not null;

create table threat (
    id       integer primary key,
    rule     text not null,
    session  text not null,
    title    text not null,
    severity text not null,
    policy   text not null,
    state    integer not null,
    first    integer not null,
    last     integer not null,
    count    integer not null,
    record   integer not null,
    unique (session, rule)
);
create index threat_open on threat (session) where state = 1;
create index threat_last on threat (last);

create table granted (
    no         integer primary key,
    id         text not null unique,
    agent      text not null,
    session    text not null,
    ticket     text not null,
    cites      integer not null,
    by         text not null,
    given      integer not null,
    expires    integer not null,
    warrant    blob not null,
    revoked_by text
);
create index granted_to on granted (session, agent) where revoked_by is null;
create index granted_ends on granted (expires) where revoked_by is null;
create index granted_given on granted (given) where revoked_by is null;

-- What several people say to one hold; whoever speaks again is heard last.
create table vote (
    no     integer primary key,
    hold   integer not null,
    voter  text not null,
    yes    integer not null,
    wider  text,
    at     integer not null,
    record integer not null,
    unique (hold, voter)
);

-- With which arguments a person let a held call run, where they changed them.
create table edited (
    hold integer primary key,
    args text not null
);

-- Who is to be asked about holds that wait, and when.
create table escalation (
    hold integer not null,
    step integer not null,
    due  integer not null,
    primary key (hold, step)
) without rowid;
create index escalation_due on escalation (due);

-- Calls that ran and are to be looked at, by the record of the decision.
create table review (
    record  integer primary key,
    session text not null,
    at      integer not null,
    outcome integer,
    state   integer not null,
    by      text,
    note    text
);
create index review_open on review (state) where state < 3;

create table happening (
    id      integer primary key,
    at      integer not null,
    kind    text not null,
    session text not null,
    body    blob not null
);
create index happening_session on happening (session, at);
create index happening_at on happening (at);

-- Who is signed in, by the hash of what their browser shows.
create table login (
    name    blob primary key,
    user    text not null,
    stamp   text not null,
    expires integer not null
) without rowid;
create index login_user on login (user);
create index login_expires on login (expires);

-- Sign-ins that failed, by who tried from where.
create table tries (
    key   text primary key,
    count integer not null,
    last  integer not null
) without rowid;
create index tries_last on tries (last);

create table notice (
    id       integer primary key,
    channel  text not null,
    occasion text not null,
    subject  text not null,
    body     text not null,
    made     integer not null,
    state    text not null,
    attempts integer not null,
    due      integer not null,
    problem  text
);
create index notice_due on notice (channel, due) where state = 'waiting';

-- Where a life in danger was spoken of: in a session, with whom. Marks are keyed digests, or `*` for everybody.
create table crisis (
    scope    text not null,
    mark     text not null,
    language text,
    at       integer not null,
    primary key (scope, mark)
) without rowid;
create index crisis_at on crisis (at);
