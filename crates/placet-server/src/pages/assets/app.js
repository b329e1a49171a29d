// What makes pages live. Everything here can be done without it, by forms and by loading a page again.
'use strict';
{
  const html = globalThis.trustedTypes?.createPolicy('placet', {createHTML: text => text}) ?? {createHTML: text => text};
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const kept = (key, value) => {
    try { return value === undefined ? localStorage[key] : localStorage[key] = value; } catch { return undefined; }
  };
  const disable = (within, disabled = true) => all('button', within).forEach(button => { button.disabled = disabled; });

  // Who has just signed in is given the second half of the session, once.
  const entered = document.querySelector('[data-half]');
  if (entered) { kept('half', entered.dataset.half); location.replace(entered.dataset.next); }

  // Times as they are where the reader is.
  const clock = new Intl.DateTimeFormat(undefined, {timeStyle: 'medium', hourCycle: 'h23'});
  const minute = new Intl.DateTimeFormat(undefined, {timeStyle: 'short', hourCycle: 'h23'});
  const day = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23'});
  const localise = within => all('time[data-as]', within).forEach(time => {
    time.textContent = {clock, minute, date: day}[time.dataset.as].format(new Date(time.dateTime));
  });

  // Time that is left. The clock of the server counts, not that of the reader.
  const digits = number => String(number).padStart(2, '0');
  let ahead = (document.documentElement.dataset.now ?? Date.now()) - Date.now();
  const tick = () => all('[data-deadline]').forEach(left => {
    const ms = left.dataset.deadline - (Date.now() + ahead);
    const seconds = Math.max(0, Math.floor(ms / 1000));
    const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    const shown = h ? `${h}:${digits(m)}:${digits(s)}` : `${m}:${digits(s)}`;
    const words = left.querySelector('.words');
    const text = ms <= 0 ? 'expired' : ms < 60000 ? `${shown}, then denied` : `${shown} left`;
    if (words.textContent !== text) words.textContent = text;
    left.classList.toggle('soon', ms < 60000);
    const fuse = left.closest('.hold')?.querySelector('.fuse');
    if (fuse) {
      fuse.classList.toggle('soon', ms < 60000);
      fuse.firstElementChild.setAttribute('width', Math.max(0, Math.min(100, 100 * ms / left.dataset.whole)));
    }
    if (ms <= 0 && !left.dataset.over) {
      left.dataset.over = 1;
      const answers = left.closest('[data-hold]') ?? document.getElementById('answer');
      if (answers) disable(answers);
      setTimeout(refresh, 400);
    }
  });

  // What has changed is taken from the same page, loaded again: a region as a whole, or the children of a list one by one.
  // What somebody is busy with stays as it is, unless what it is about has changed.
  const differs = (old, fresh) => old.dataset.v ? old.dataset.v !== fresh.dataset.v : !old.isEqualNode(fresh);
  const busy = old => !old.dataset.v && (old.contains(document.activeElement) || old.querySelector('details[open]'));
  // Boxes stay as somebody has left them; what is new is nobody's choice yet.
  const carry = (old, fresh) => all('[type=checkbox]', fresh).forEach(box => {
    box.checked = all('[type=checkbox]', old).some(before => before.value === box.value && before.checked);
  });
  // For a moment after cards have moved, a click is for what was there before.
  const root = document.documentElement;
  let still;
  const move = () => {
    root.dataset.moving = 1;
    clearTimeout(still);
    still = setTimeout(() => { delete root.dataset.moving; }, 600);
  };
  const swap = (old, fresh) => {
    if ('list' in old.dataset) {
      const before = new Map([...old.children].filter(child => child.id).map(child => [child.id, child]));
      const next = [...fresh.children].map(child => {
        const same = before.get(child.id);
        return same && !(differs(same, child) && !busy(same)) ? same : child;
      });
      if ([...old.children].some((child, at) => next.includes(child) && next[at] !== child)) move();
      [...old.children].filter(child => !next.includes(child)).forEach(child => child.remove());
      // What stays where it is is not touched: it may have the focus.
      next.forEach((child, at) => { if (old.children[at] !== child) old.insertBefore(child, old.children[at] ?? null); });
    } else if (differs(old, fresh) && !busy(old)) {
      carry(old, fresh);
      old.replaceWith(fresh);
    }
  };
  const show = text => {
    const page = new DOMParser().parseFromString(html.createHTML(text), 'text/html');
    localise(page);
    // What makes a form meant is another each time, and the one we have counts as long.
    const meant = document.querySelector('input[name=csrf]')?.getAttribute('value');
    if (meant) all('input[name=csrf]', page).forEach(input => input.setAttribute('value', meant));
    const on = current()?.id;
    all('[data-live]').forEach(old => {
      const fresh = page.getElementById(old.id);
      if (fresh) swap(old, fresh);
    });
    if (page.title && !root.dataset.from) document.title = page.title;
    ahead = (page.documentElement.dataset.now ?? Date.now()) - Date.now();
    if (on) choose(document.getElementById(on), false);
    tick();
  };
  let loading = false, again = false;
  const load = async url => {
    const reply = await fetch(url, {headers: {accept: 'text/html'}});
    if (reply.redirected) location.reload(); else if (reply.ok) show(await reply.text());
  };
  async function refresh() {
    if (document.hidden || loading || document.querySelector('form[data-sent]')) { again = true; return; }
    loading = true; again = false;
    // A page that a form has brought cannot be asked for again: what all pages have comes from another.
    try { await load(root.dataset.from ?? location.href); } catch {} finally { loading = false; }
    if (again) setTimeout(refresh, 200);
  }
  document.addEventListener('visibilitychange', () => { if (!document.hidden && again) refresh(); });

  // New holds: in the title at once, as a toast, and if the reader wants it as a notification and a sound.
  const sing = () => {
    const audio = new AudioContext(), tone = audio.createOscillator(), volume = audio.createGain();
    volume.gain.value = .05;
    tone.connect(volume).connect(audio.destination);
    tone.start(); tone.stop(audio.currentTime + .15);
  };
  const say = (words, path) => {
    const toasts = document.getElementById('toasts'), link = document.createElement('a');
    link.className = 'toast';
    link.href = path;
    link.textContent = words;
    toasts.append(link);
    while (toasts.children.length > 3) toasts.firstElementChild.remove();
    return link;
  };
  const toast = ticket => {
    const path = `/holds/${encodeURIComponent(ticket)}`, words = `${ticket} waits for a person`;
    if (location.pathname === path) return;
    const link = say(words, path);
    setTimeout(() => link.remove(), 8000);
    if (kept('notify') === 'on' && globalThis.Notification?.permission === 'granted') {
      const note = new Notification('Placet', {body: words, tag: ticket});
      note.onclick = () => { focus(); location.href = path; };
    }
  };

  // One tab listens and tells the others: a browser opens only a few connections to one place.
  if (document.getElementById('nav')) {
    const tabs = navigator.locks ? new BroadcastChannel('placet') : undefined;
    let stale;
    const hear = told => {
      if (told.stale) { stale ??= say('This page is not live at the moment. Load it again.', location.href); return; }
      stale?.remove();
      stale = undefined;
      document.title = (told.waiting ? `(${told.waiting}) ` : '') + document.title.replace(/^\(\d+\) /, '');
      told.news.forEach(toast);
      refresh();
    };
    const tell = told => { hear(told); tabs?.postMessage(told); };
    const listen = () => {
      const live = new EventSource('/live');
      live.addEventListener('open', () => { root.dataset.live = 1; });
      live.addEventListener('changed', event => {
        const told = JSON.parse(event.data);
        tell(told);
        if (told.news.length && kept('sound') === 'on') sing();
      });
      live.addEventListener('error', () => {
        if (live.readyState !== EventSource.CLOSED) return;
        tell({stale: true});
        setTimeout(listen, 5000);
      });
      addEventListener('beforeunload', () => live.close());
    };
    tabs?.addEventListener('message', event => hear(event.data));
    // The page comes first: a connection that never ends would be part of loading it.
    addEventListener('load', () => setTimeout(() => {
      if (tabs) navigator.locks.request('placet-live', () => { listen(); return new Promise(() => {}); }); else listen();
    }));
  }

  // An answer is given once, and to what was seen: a click that was on its way while cards moved, or while the page came
  // back from the answer before, is none.
  if (Date.now() - Number(sessionStorage.answered ?? 0) < 3000) move();
  document.addEventListener('click', event => {
    const answer = event.isTrusted && event.detail > 0 && event.target.closest('button[name=answer]');
    if (answer && root.dataset.moving) { event.preventDefault(); event.stopPropagation(); }
  }, true);
  document.addEventListener('submit', event => {
    const form = event.target;
    if (form.method !== 'post') return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = 1;
    // The second half of the session: what the cookie, which other ports of this name are sent too, cannot do alone.
    if (kept('half')) {
      const half = form.querySelector('input[name=half]') ?? document.createElement('input');
      Object.assign(half, {type: 'hidden', name: 'half', value: kept('half')});
      form.append(half);
    }
    if (form.getAttribute('action') === '/sign-out') kept('half', '');
    if (event.submitter?.name === 'answer') sessionStorage.answered = Date.now();
    setTimeout(() => disable(form.closest('[data-hold]') ?? form));
  });
  addEventListener('pageshow', event => {
    if (!event.persisted) return;
    all('form[data-sent]').forEach(form => { delete form.dataset.sent; disable(form.closest('[data-hold]') ?? form, false); });
    refresh();
  });

  // Keys: j and k move, a and d answer what has the focus. Only where a button says so.
  const current = () => document.querySelector('.hold.on');
  const choose = (hold, into = true) => {
    all('.hold.on').forEach(other => other.classList.remove('on'));
    hold?.classList.add('on');
    if (hold && into) { hold.scrollIntoView({block: 'nearest'}); (hold.querySelector('h2 a') ?? hold).focus({preventScroll: true}); }
  };
  document.addEventListener('focusin', event => {
    const hold = event.target.closest('.hold[data-hold]');
    if (hold && hold !== current()) choose(hold, false);
  });
  let leaving = false;
  document.addEventListener('keydown', event => {
    if (leaving || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest('input, textarea, select, [contenteditable]')) return;
    const holds = all('.hold[data-hold]'), at = holds.indexOf(current());
    if (event.key === 'j' || event.key === 'k') {
      const step = document.querySelector(`a[data-key="${event.key}"]`);
      if (step) { leaving = true; step.click(); }
      else if (holds.length) choose(holds[Math.max(0, Math.min(holds.length - 1, at < 0 ? 0 : at + (event.key === 'j' ? 1 : -1)))]);
    } else if (event.key === 'a' || event.key === 'd') {
      (current() ?? document.getElementById('answer'))?.querySelector(`button[data-key="${event.key}"]:not(:disabled)`)?.click();
    } else return;
    event.preventDefault();
  });

  // Forms that show what comes of them while somebody writes.
  let soon;
  document.addEventListener('input', event => {
    const form = event.target.closest('form[data-preview]');
    if (!form) return;
    clearTimeout(soon);
    soon = setTimeout(() => {
      const url = new URL(form.action);
      url.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));
      history.replaceState(null, '', url);
      load(url).catch(() => {});
    }, 250);
  });

  // What only a browser with script can do is offered only there.
  all('[data-toggle]').forEach(button => {
    const name = button.dataset.toggle;
    const mark = () => button.setAttribute('aria-pressed', kept(name) === 'on');
    button.hidden = name === 'notify' && !globalThis.Notification;
    button.addEventListener('click', async () => {
      const on = kept(name) !== 'on';
      if (on && name === 'notify' && await Notification.requestPermission() !== 'granted') return;
      if (on && name === 'sound') sing();
      kept(name, on ? 'on' : 'off');
      mark();
    });
    mark();
  });

  localise(document);
  tick();
  // What goes on without a word is looked at again.
  setInterval(() => { tick(); if (document.querySelector('[data-again]')) refresh(); }, 1000);
}
