// What makes pages live. Everything here can be done without it, by forms and by loading a page again.
'use strict';
{
  const html = globalThis.trustedTypes?.createPolicy('placet', {createHTML: text => text}) ?? {createHTML: text => text};
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const kept = (key, value) => {
    try { return value === undefined ? localStorage[key] : localStorage[key] = value; } catch { return undefined; }
  };

  // Times as they are where the reader is.
  const clock = new Intl.DateTimeFormat(undefined, {timeStyle: 'medium', hourCycle: 'h23'});
  const day = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23'});
  const minute = new Intl.DateTimeFormat(undefined, {timeStyle: 'short', hourCycle: 'h23'});
  const localise = within => all('time[data-as]', within).forEach(time => {
    time.textContent = {clock, minute, date: day}[time.dataset.as].format(new Date(time.dateTime));
  });

  // Time that is left. The clock of the server counts, not that of the reader.
  const digits = number => String(number).padStart(2, '0');
  let ahead = 0;
  const tick = () => all('[data-deadline]').forEach(left => {
    const ms = left.dataset.deadline - (Date.now() + ahead);
    const seconds = Math.max(0, Math.floor(ms / 1000));
    const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    const shown = h ? `${h}:${digits(m)}:${digits(s)}` : `${m}:${digits(s)}`;
    const words = left.querySelector('.words');
    const text = ms <= 0 ? 'expired' : ms < 60000 ? `${shown}, then denied` : `${shown} left`;
    if (words.textContent !== text) words.textContent = text;
    left.classList.toggle('soon', ms < 60000);
    const hold = left.closest('.hold');
    const fuse = hold?.querySelector('.fuse');
    if (fuse) {
      fuse.classList.toggle('soon', ms < 60000);
      fuse.firstElementChild.setAttribute('width', Math.max(0, Math.min(100, 100 * ms / left.dataset.whole)));
    }
    if (ms <= 0 && !left.dataset.over) {
      left.dataset.over = 1;
      all('button', left.closest('[data-hold]') ?? hold).forEach(button => { button.disabled = true; });
      setTimeout(refresh, 400);
    }
  });

  // What has changed is taken from the same page, loaded again: a region as a whole, or the children of a list one by one.
  const swap = (old, fresh) => {
    if ('list' in old.dataset) {
      const before = new Map([...old.children].filter(child => child.id).map(child => [child.id, child]));
      const next = [...fresh.children].map(child => {
        const same = before.get(child.id);
        return same && (same.dataset.v ? same.dataset.v === child.dataset.v : same.isEqualNode(child)) ? same : child;
      });
      old.replaceChildren(...next);
    } else if (old.dataset.v ? old.dataset.v !== fresh.dataset.v : !old.isEqualNode(fresh)) {
      old.replaceWith(fresh);
    }
  };
  const show = text => {
    const page = new DOMParser().parseFromString(html.createHTML(text), 'text/html');
    localise(page);
    const focus = document.activeElement?.id, on = current()?.id;
    all('[data-live]').forEach(old => {
      const fresh = page.getElementById(old.id);
      if (fresh) swap(old, fresh);
    });
    if (page.title) document.title = page.title;
    if (focus && document.activeElement?.id !== focus) document.getElementById(focus)?.focus();
    if (on) choose(document.getElementById(on), false);
    tick();
  };
  let loading = false, again = false;
  const load = async url => {
    const reply = await fetch(url, {headers: {accept: 'text/html'}});
    const at = Date.parse(reply.headers.get('date'));
    if (at) ahead = Math.abs(at - Date.now()) > 5000 ? at - Date.now() : 0;
    if (reply.redirected) location.reload(); else if (reply.ok) show(await reply.text());
  };
  async function refresh() {
    if (document.hidden || loading || document.querySelector('form[data-sent]')) { again = true; return; }
    loading = true; again = false;
    try { await load(location.href); } catch {} finally { loading = false; }
    if (again) setTimeout(refresh, 200);
  }

  // New holds: in the title at once, as a toast, and if the reader wants it as a notification and a sound.
  const sing = () => {
    const audio = new AudioContext(), tone = audio.createOscillator(), volume = audio.createGain();
    volume.gain.value = .05;
    tone.connect(volume).connect(audio.destination);
    tone.start(); tone.stop(audio.currentTime + .15);
  };
  const toast = ticket => {
    const toasts = document.getElementById('toasts');
    if (!toasts || location.pathname === `/holds/${ticket}`) return;
    const link = document.createElement('a');
    link.className = 'toast';
    link.href = `/holds/${encodeURIComponent(ticket)}`;
    link.textContent = `${ticket} waits for a person`;
    toasts.append(link);
    setTimeout(() => link.remove(), 8000);
    if (kept('notify') === 'on' && globalThis.Notification?.permission === 'granted') {
      const note = new Notification('Placet', {body: link.textContent, tag: ticket});
      note.onclick = () => { focus(); location.href = link.href; };
    }
  };
  const stale = () => {
    const link = document.createElement('a');
    link.className = 'toast';
    link.href = location.href;
    link.textContent = 'This page is no longer live. Load it again.';
    document.getElementById('toasts')?.replaceChildren(link);
  };
  // One tab listens and tells the others: a browser opens only a few connections to one place.
  if (document.getElementById('nav')) {
    const tabs = new BroadcastChannel('placet');
    const hear = ({waiting, news}) => {
      document.title = (waiting ? `(${waiting}) ` : '') + document.title.replace(/^\(\d+\) /, '');
      news.forEach(toast);
      refresh();
    };
    const listen = () => {
      const live = new EventSource('/live');
      live.addEventListener('changed', event => {
        const told = JSON.parse(event.data);
        hear(told);
        tabs.postMessage(told);
        if (told.news.length && kept('sound') === 'on') sing();
      });
      live.addEventListener('error', () => { if (live.readyState === EventSource.CLOSED) stale(); });
      addEventListener('beforeunload', () => live.close());
    };
    tabs.addEventListener('message', event => hear(event.data));
    if (navigator.locks) navigator.locks.request('placet-live', () => { listen(); return new Promise(() => {}); }); else listen();
  }
  document.addEventListener('visibilitychange', () => { if (!document.hidden && again) refresh(); });

  // An answer is given once.
  document.addEventListener('submit', event => {
    const form = event.target;
    if (form.method !== 'post') return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = 1;
    const hold = form.closest('[data-hold]') ?? form;
    setTimeout(() => all('button', hold).forEach(button => { button.disabled = true; }));
  });
  addEventListener('pageshow', event => {
    if (!event.persisted) return;
    all('form[data-sent]').forEach(form => { delete form.dataset.sent; all('button', form).forEach(button => { button.disabled = false; }); });
    refresh();
  });

  // Keys: j and k move, a and d answer, Enter opens. Only where a button says so.
  const current = () => document.querySelector('.hold.on');
  const choose = (hold, into = true) => {
    all('.hold.on').forEach(other => other.classList.remove('on'));
    hold?.classList.add('on');
    if (hold && into) { hold.scrollIntoView({block: 'nearest'}); (hold.querySelector('h2 a') ?? hold).focus({preventScroll: true}); }
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select, [contenteditable]')) return;
    const holds = all('.hold[id]'), at = holds.indexOf(current());
    if (event.key === 'j' || event.key === 'k') {
      const step = document.querySelector(`a[data-key="${event.key}"]`);
      if (step) step.click();
      else if (holds.length) choose(holds[Math.max(0, Math.min(holds.length - 1, at < 0 ? 0 : at + (event.key === 'j' ? 1 : -1)))]);
    } else if (event.key === 'a' || event.key === 'd') {
      (current() ?? document.querySelector('[data-hold]:not(.hold)'))?.querySelector(`button[data-key="${event.key}"]:not(:disabled)`)?.click();
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
      url.search = new URLSearchParams(new FormData(form));
      history.replaceState(null, '', url);
      load(url).catch(() => {});
    }, 250);
  });

  // What only a browser with script can do is offered only there.
  all('[data-toggle]').forEach(button => {
    const name = button.dataset.toggle;
    const say = () => { button.setAttribute('aria-pressed', kept(name) === 'on'); };
    button.hidden = name === 'notify' && !globalThis.Notification; // without script they stay hidden
    button.addEventListener('click', async () => {
      const on = kept(name) !== 'on';
      if (on && name === 'notify' && await Notification.requestPermission() !== 'granted') return;
      if (on && name === 'sound') sing();
      kept(name, on ? 'on' : 'off');
      say();
    });
    say();
  });

  localise(document);
  tick();
  setInterval(tick, 1000);
}
