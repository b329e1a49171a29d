-- Version 1 of the data, with a row in every table. This file never changes: data like it is out there.

create table setting (
    key   text primary key,
    value text not null
) without rowid;

-- One row: the log as a whole, how often settings were changed.
create table head (
    one              integer primary key check (one = 1),
    size             integer not null,
    peaks            blob not null,
    settings_version integer not null,
    seal             blob not null
);
insert into head values (1, 0, x'', 0, x'');

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

create table edited (
    hold integer primary key,
    args text not null
);

create table escalation (
    hold integer not null,
    step integer not null,
    due  integer not null,
    primary key (hold, step)
) without rowid;
create index escalation_due on escalation (due);

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

create table login (
    name    blob primary key,
    user    text not null,
    stamp   text not null,
    expires integer not null
) without rowid;
create index login_user on login (user);
create index login_expires on login (expires);

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

create table crisis (
    scope    text not null,
    mark     text not null,
    language text,
    at       integer not null,
    primary key (scope, mark)
) without rowid;
create index crisis_at on crisis (at);

insert into setting values ('mode', 'observe');
insert into record values (0, 1, 1772452801000, 1, 'c1', x'61', x'022a6979e6dab7aa5ae4c3e5e45f7e977112a7e63593820dbec1ec738a24f93c', x'07070707070707070707070707070707');
update head set size = 1, peaks = x'022a6979e6dab7aa5ae4c3e5e45f7e977112a7e63593820dbec1ec738a24f93c', settings_version = 1;
insert into checkpoint values (1, 'signed');
insert into hold values (1, 'H-0001', zeroblob(32), 'nightly', 's1', 0, 1772452801000, 1772452861000, 0, 0, x'01', 'pending', 1772452801000, null, null, 1772452861000, null);
insert into counter values ('counter', 3, null);
insert into once values ('once', 1772452801000);
insert into session values (1, 's1', 'nightly', 'test', null, null, null, 1772452801000, 1772452801000, 29540880, null, 1, 0, 0, null);
insert into threat values (1, 't.rule', 's1', 'something', 'high', 'hold', 1, 1772452801000, 1772452801000, 1, 0);
insert into granted values (1, '0123456789abcdef0123456789abcdef', 'nightly', 's1', '7K2M', 0, 'ann', 1772452801000, 1772452901000, x'01', null);
insert into happening values (1, 1772452801000, 'session_start', 's1', x'01');
insert into vote values (1, 1, 'ann', 1, null, 1772452801000, 0);
insert into edited values (1, '{}');
insert into escalation values (1, 0, 1772452851000);
insert into review values (0, 's1', 1772452801000, null, 1, null, null);
insert into login values (x'02', 'ann', 'a1', 1772452901000);
insert into tries values ('ann 127.0.0.1', 2, 1772452801000);
insert into notice values (1, 'ops', 'hold_opened', 'H-0001', '{}', 1772452801000, 'waiting', 0, 1772452801000, null);
insert into crisis values ('s:s1', '*', 'en', 1772452801000);
pragma user_version = 1;
