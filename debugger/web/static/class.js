(() => {
  const LEAD = 'training-clinic-lead', MINE = 'training-clinic-class';
  const root = document.documentElement;
  const one = (selector) => document.querySelector(selector);
  const every = (selector) => [...document.querySelectorAll(selector)];
  const typing = (target) => target.closest && target.closest('input,textarea,select,[contenteditable=true]');
  // Where a browser keeps nothing, a class lasts as long as its page.
  const shadow = {};
  const read = (name) => { try { return JSON.parse(localStorage.getItem(name)) || shadow[name]; } catch { return shadow[name]; } };
  const write = (name, value) => {
    shadow[name] = value;
    try { if (value) localStorage.setItem(name, JSON.stringify(value)); else localStorage.removeItem(name); } catch { /* forbidden */ }
  };
  const tab = (name, value) => { try { if (value === undefined) return sessionStorage.getItem(name); sessionStorage.setItem(name, value); } catch { /* forbidden */ } return null; };
  const words = () => (one(`meta[name=class-words][lang="${root.lang}"]`) || one('meta[name=class-words]')).dataset;
  const sleep = (time) => new Promise((done) => setTimeout(done, time));

  const page = one('main#class'), up = page ? page.dataset.up : './';
  const home = new URL(up, location.href.split(/[?#]/)[0]).href;
  const lang = () => new URLSearchParams(location.search).get('lang') || root.lang || 'en';
  let lead = null, offset = 0, drawn = '', mine = { votes: {} }, role = null, following = null;

  const said = (text) => { const where = one('[data-said]'); if (where) where.textContent = text || ''; };
  const ask = async (door, told, key) => {
    const asked = { method: told === undefined ? 'GET' : 'POST', cache: 'no-store', headers: { 'content-type': 'application/json' } };
    if (key) asked.headers['x-class'] = key;
    if (told !== undefined) asked.body = JSON.stringify(told);
    let answer;
    try { answer = await fetch(`${home}class/${door}${door.includes('?') ? '&' : '?'}lang=${lang()}`, asked); } catch { throw new Error(words().lost); }
    const text = await answer.text();
    let back = null;
    try { back = JSON.parse(text); } catch { if (answer.ok) return text; }
    if (answer.ok) return back;
    throw Object.assign(new Error((back && back.said) || words().logIn), { code: back && back.code });
  };
  // What cannot be done is said, and nothing else happens.
  const tried = async (work) => { try { said(''); return await work(); } catch (error) { said(error.message); return null; } };
  const key = () => { const kept = read(role === 'lead' ? LEAD : MINE); return kept ? `${kept.code}.${kept.token}` : ''; };
  const act = (what, with_) => tried(() => ask('do', { act: what, with: with_ }, key()));

  // One stream for everything that is shown. It comes back by itself, and is given up where the room is over.
  const listen = async (audience, gone) => {
    const stop = following = {};
    let wait = 500;
    while (following === stop) {
      const ended = new AbortController();
      let quiet = setTimeout(() => ended.abort(), 40000);
      try {
        const answer = await fetch(`${home}class/live?as=${audience}&lang=${lang()}`, { headers: { 'x-class': key() }, cache: 'no-store', signal: ended.signal });
        if ([401, 403, 410].includes(answer.status)) {
          let why = words().logIn;
          try { const back = await answer.json(); why = back.said; } catch { said(why); return; }
          gone(why); return;
        }
        if (!answer.ok) throw new Error();
        if (role === 'mine') { mine = await ask('me', undefined, key()); named(); }
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let held = '';
        for (;;) {
          const { done, value } = await reader.read();
          if (done || following !== stop) break;
          clearTimeout(quiet); quiet = setTimeout(() => ended.abort(), 40000);
          held += value;
          for (let at = held.indexOf('\n\n'); at >= 0; at = held.indexOf('\n\n')) {
            const part = held.slice(0, at);
            held = held.slice(at + 2);
            if (!part.startsWith('data: ')) continue;
            const told = JSON.parse(part.slice(6));
            if (told.over) { ended.abort(); gone(told.over); return; }
            wait = 500;
            if (one('[data-said]') && one('[data-said]').textContent === words().lost) said('');
            draw(told);
          }
        }
      } catch { /* the line is down: once more */ }
      clearTimeout(quiet); ended.abort();
      if (following !== stop) return;
      said(words().lost);
      await sleep(wait * (0.5 + Math.random()));
      wait = Math.min(wait * 1.7, 5000);
    }
  };

  const draw = (told) => {
    const before = lead;
    lead = told.lead;
    offset = lead.now - Date.now() / 1000;
    const live = one('[data-live]');
    if (told.html !== drawn) {
      drawn = told.html;
      const held = document.activeElement && live.contains(document.activeElement) ? { ...document.activeElement.dataset } : null;
      const folds = () => every('[data-live] details').map((fold, n) => [fold, `${n} ${fold.firstElementChild.textContent}`]);
      const open = folds().filter(([fold]) => fold.open).map(([, name]) => name);
      live.innerHTML = drawn;  // every word in it was escaped by the server
      for (const [fold, name] of folds()) fold.open = open.includes(name);
      if (held) {
        const again = every('[data-live] button').find((button) => ['vote', 'do', 'flag', 'key'].every((name) => button.dataset[name] === held[name]) && (held.key || button.dataset.with === held.with || held.do));
        if (again && !again.disabled) again.focus({ preventScroll: true });
      }
      for (const link of every('[data-live] [data-clinic]')) link.href = home + link.getAttribute('href');
      for (const link of every('[data-live] a.plain')) link.href = home + link.getAttribute('href');
    }
    mark(); tick();
    if (page && role === 'lead') filled(before);
    if (!page) clinic(before);
  };
  const place = () => `${lead.case}/${lead.stage}`;
  const mark = () => {
    if (!lead) return;
    const choice = mine.votes[place()];
    for (const button of every('[data-vote]')) button.setAttribute('aria-pressed', String(Number(button.dataset.vote) === choice));
    for (const button of every('[data-answer]')) button.setAttribute('aria-pressed', String(Number(button.dataset.answer) === mine.votes[`${button.dataset.case}/`]));
    for (const bar of every('[data-shown]')) bar.classList.toggle('mine', role === 'mine' && Number(bar.dataset.shown) === choice);
    for (const button of every('[data-flag]')) button.setAttribute('aria-pressed', String(button.dataset.flag === mine.flag));
    const told = one('[data-voted]'), text = choice === undefined ? '' : words().youVoted.replace('%s', 'ABCDEFGHIJ'[choice]);
    if (told && told.textContent !== text) told.textContent = text;
  };
  const tick = () => {
    const left = lead && lead.until ? Math.max(0, Math.round(lead.until - offset - Date.now() / 1000)) : 0;
    for (const timer of every('[data-until]')) timer.textContent = left ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}` : words().timeUp;
  };
  setInterval(tick, 500);

  // Another tab of the same student shows the same.
  const tabs = 'BroadcastChannel' in window ? new BroadcastChannel(MINE) : null;
  const elsewhere = (told) => { if (tabs) tabs.postMessage({ of: key(), told }); };
  if (tabs) tabs.onmessage = (event) => { if (role === 'mine' && event.data.of === key()) { mine = event.data.told; mark(); } };

  // Two who answer as one: what the other presses is seen here, too. `sending` is what is on its way.
  let sending = 0, offering = false;
  const apart = async () => {
    if (role !== 'mine' || sending || document.hidden || !(offering || mine.pair)) return;
    let told;
    try { told = await ask('me', undefined, key()); } catch { return; }
    if (sending || JSON.stringify(told) === JSON.stringify(mine)) return;
    offering = offering && !told.pair; mine = told; mark(); named();
  };
  setInterval(apart, 1500);
  const named = () => {
    const kept = read(MINE), me = one('[data-me]'), two = one('.two');
    if (!kept || !me) return;
    me.textContent = [words().myClass.replace('%s', `${kept.code.slice(0, 4)} ${kept.code.slice(4)}`), mine.called === undefined ? kept.name : mine.called].filter(Boolean).join(' · ');
    if (two.hidden !== Boolean(mine.pair)) { two.hidden = Boolean(mine.pair); one('[data-together]').hidden = !mine.pair; two.open = false; one('[data-offered]').hidden = true; }
  };
  const offer = () => tried(async () => {
    const told = await ask('offer', { at: home }, key());
    one('[data-pair]').textContent = told.pair;
    one('[data-pair-qr]').src = `data:image/svg+xml,${encodeURIComponent(told.qr)}`;
    one('[data-offered]').hidden = false;
    offering = true;
  });
  const pair = (code) => tried(async () => { await ask('paired', { pair: code }, key()); mine = await ask('me', undefined, key()); mark(); named(); elsewhere(mine); });
  const post = async (door, told) => { sending += 1; try { return await ask(door, told, key()); } finally { sending -= 1; } };

  const vote = (button) => tried(async () => {
    const at = place(), before = mine.votes[at], [asked, stage] = at.split('/');
    mine.votes[at] = Number(button.dataset.vote); mark();
    try { await post('vote', { case: asked, stage, choice: Number(button.dataset.vote) }); } catch (error) { mine.votes[at] = before; mark(); throw error; }
    elsewhere(mine);
  });
  const answer = (button) => tried(async () => {
    const at = `${button.dataset.case}/`, before = mine.votes[at], choice = Number(button.dataset.answer);
    mine.votes[at] = choice; mark();
    try { await post('answer', { case: button.dataset.case, choice }); } catch (error) { mine.votes[at] = before; mark(); throw error; }
    elsewhere(mine);
  });
  const flag = (button) => tried(async () => {
    const wanted = mine.flag === button.dataset.flag ? '' : button.dataset.flag;
    mine.flag = (await post('flag', { flag: wanted })).flag; mark();
    elsewhere(mine);
  });

  // A press that cannot be taken back is asked about once.
  let asked = null;
  const sure = (button) => {
    if (!button.dataset.ask || asked === button) { asked = null; return true; }
    asked = button;
    const question = document.createElement('span');
    question.className = 'ask'; question.setAttribute('role', 'alert'); question.textContent = button.dataset.ask;
    button.after(question);
    setTimeout(() => { question.remove(); if (asked === button) asked = null; }, 6000);
    return false;
  };

  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-vote],[data-answer],[data-flag],[data-do],[data-new],[data-leave],[data-carry],[data-offer],[data-summary],[data-link],main#class [data-copy],main#class [data-theme],[data-own]');
    if (!button || button.disabled || !sure(button)) return;
    const data = button.dataset;
    if ('vote' in data) vote(button);
    else if ('answer' in data) answer(button);
    else if ('flag' in data) flag(button);
    else if ('do' in data) { if (data.do === 'end') act('end').then((done) => { if (done) location.reload(); }); else act(data.do, data.do === 'hand' ? here().changes : data.with); }
    else if ('new' in data) tried(async () => { write(LEAD, await ask('new', {})); start(); });
    else if ('offer' in data) offer();
    else if ('leave' in data) tried(async () => { await ask('leave', {}, key()); out(words().left); });
    else if ('carry' in data) tried(async () => { const told = await ask('carry', {}, key()); one('[data-carried]').textContent = `${home}class/lead#carry=${told.code}.${told.carry}`; });
    else if ('summary' in data) tried(() => save(data.summary));
    else if ('copy' in data) navigator.clipboard.writeText(one('[data-link]').textContent).then(() => { button.textContent = words().copied; }, () => { getSelection().selectAllChildren(one('[data-link]')); });
    else if ('own' in data) own();
    else if ('theme' in data) { const dark = document.body.classList.toggle('dark'); try { localStorage.setItem('clinic-theme', dark ? 'dark' : 'light'); } catch { /* forbidden */ } }
  });
  document.addEventListener('keydown', (event) => {
    if (role !== 'lead' || typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const button = one(`[data-key="${event.key.toLowerCase()}"]`);
    if (button && !button.disabled) { event.preventDefault(); button.click(); }
  });
  const save = async (kind) => {
    const told = await ask(`summary.${kind}?names=${Number(one('[data-names]').checked)}`, undefined, key());
    const text = kind === 'json' ? JSON.stringify(told, null, 2) : told;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: kind === 'json' ? 'application/json' : 'text/plain' }));
    link.download = `class.${kind}`;
    link.click();
  };

  // -- the pages of a class --
  const shown = (inside) => {
    for (const part of every('[data-start],[data-join],[data-none]')) part.hidden = inside;
    one('[data-in]').hidden = !inside;
  };
  const out = (why) => { following = null; write(role === 'lead' ? LEAD : MINE, null); lead = null; drawn = ''; if (page) { shown(false); said(why); } else { const strip = one('#class-strip'); if (strip) strip.remove(); resized(0); root.classList.remove('class-asks'); } };
  const filled = (before) => {
    if (before && before.case === lead.case && before.stage === lead.stage) return;
    const form = one('[data-place]');
    if (!form) return;
    if (lead.case) { form.elements.case.value = lead.case; form.elements.stage.value = lead.stage; }
    one('[data-present]').href = lead.case ? `${home}clinic?case=${lead.case}${lead.stage ? `&stage=${lead.stage}` : ''}&present=1` : home;
  };
  const invited = async (kept) => {
    const link = `${home}class?room=${kept.code}`;
    one('[data-link]').textContent = link;
    one('[data-code]').textContent = kept.shown;
    const local = /^(localhost|127\.|\[::1\])/.test(location.hostname), warn = one('[data-local]');
    warn.hidden = !local; warn.textContent = words().localOnly;
    const drawing = await tried(() => ask(`qr?at=${encodeURIComponent(home)}`, undefined, key()));
    if (drawing) one('[data-qr]').src = `data:image/svg+xml,${encodeURIComponent(drawing)}`;
  };
  // Whoever has scanned a neighbour's code answers with her, once she is in the class.
  const paired = () => {
    const query = new URLSearchParams(location.search), code = query.get('pair');
    query.delete('room'); query.delete('pair');
    history.replaceState(null, '', location.pathname + (query.size ? `?${query}` : ''));
    if (code) pair(code);
  };
  const start = async () => {
    role = page.dataset.page === 'class' ? 'mine' : 'lead';
    const carried = /^#carry=(\w+)\.([\w-]+)$/.exec(location.hash);
    if (carried && page.dataset.page === 'lead') {
      history.replaceState(null, '', location.pathname + location.search);
      const kept = await tried(() => ask('carried', { code: carried[1], carry: carried[2] }));
      if (kept) write(LEAD, kept);
    }
    const kept = read(role === 'lead' ? LEAD : MINE);
    const wanted = new URLSearchParams(location.search).get('room');
    const other = role === 'mine' && wanted && kept && wanted.toUpperCase() !== kept.code;
    shown(Boolean(kept) && !other);
    if (role === 'mine' && wanted) one('[data-join]').elements.code.value = wanted;
    if (!kept || other) return;
    if (role === 'lead') invited(kept);
    else { named(); paired(); }
    listen(page.dataset.page, out);
  };

  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.matches('[data-join]')) {
      event.preventDefault();
      tried(async () => { role = 'mine'; mine = { votes: {} }; write(MINE, await ask('join', { code: form.elements.code.value, name: form.elements.name.value })); start(); });
    } else if (form.matches('[data-paired]')) {
      event.preventDefault();
      pair(form.elements.pair.value);
    } else if (form.matches('[data-place]')) {
      event.preventDefault();
      tried(() => ask('do', { act: 'go', case: form.elements.case.value, stage: form.elements.stage.value }, key()));
    }
  });

  document.addEventListener('change', (event) => {
    if (!page || !event.target.matches('[data-language]')) return;
    const asked = new URLSearchParams(location.search);
    asked.set('lang', event.target.value);
    location.search = asked;
  });

  // -- the pages of gradio: a strip above them --
  const here = () => {
    const bar = one('[data-address]'), at = new URLSearchParams(bar ? bar.dataset.address : location.search);
    return { case: at.get('case') || '', stage: at.get('stage') || '', changes: at.get('changes') || '', present: at.get('present') };
  };
  const same = (at) => lead && at.case === lead.case && at.stage === lead.stage;
  const stages = () => every('#rail [data-act=stage]').map((button) => button.dataset.with);
  const resized = (height) => root.style.setProperty('--strip', `${height}px`);
  let last = '', sent = '';

  const clinic = (before) => {
    const at = here();
    root.classList.toggle('class-asks', lead.asks && same(at));
    const hand = one('#class-strip [data-do=hand]');
    if (hand) hand.hidden = !at.changes;
    if (role === 'mine') { follow(before); state(); }
    if (lead.order.length && same(at) && !at.changes && tab('class-shown') !== place()) { tab('class-shown', place()); opened(40); }
  };
  // The answer is out: the evidence opens, with the choice of this student, and the stage runs.
  const opened = (tries) => {
    const done = one('#right .question.done'), run = one('#foot .go.act');
    if (!tries || !same(here())) return;
    if (done) { if (run && !run.disabled && !one('#right .verdict')) run.click(); if (role === 'lead') root.classList.add('reveal'); return; }
    const choice = role === 'mine' && mine.votes[place()] !== undefined ? lead.order[mine.votes[place()]] : -1;
    const answer = one(`#right [data-act=answer][data-with="${choice}"]`);
    if (answer && answer.closest('[data-listens]')) { if (role === 'lead') root.classList.add('reveal'); answer.click(); return; }
    const panel = one('#right [role=tab][data-with=evidence]');
    if (panel && panel.getAttribute('aria-selected') !== 'true') panel.click();
    setTimeout(() => opened(tries - 1), 300);
  };
  const leave = (address) => { sent = ''; location.assign(home + address); };
  const follow = (before) => {
    const kept = read(MINE) || {}, seen = kept.seen || { called: lead.called, handed: lead.handed };
    write(MINE, { ...kept, seen: { called: lead.called, handed: lead.handed } });
    if (!lead.case) return;
    const to = `clinic?case=${lead.case}${lead.stage ? `&stage=${lead.stage}` : ''}`;
    const moved = `${place()}/${lead.order.length > 0}`, new_ = tab('class-followed') !== moved;
    if (lead.handed > seen.handed && lead.changes && !kept.free) { tab('class-followed', moved); leave(`${to}&changes=${lead.changes}`); return; }
    const called = lead.called > seen.called, wanted = lead.together && !kept.free && new_;
    if (!called && !wanted) return;
    tab('class-followed', moved);
    if (!same(here())) leave(to);
  };
  const state = () => {
    const kept = read(MINE) || {}, button = one('#class-strip [data-own]');
    button.hidden = !lead.together;
    button.textContent = kept.free ? words().follow : words().ownWay;
    one('#class-strip [data-state]').textContent = lead.together && !kept.free ? words().follows : '';
  };
  const own = () => {
    const kept = read(MINE) || {};
    write(MINE, { ...kept, free: !kept.free });
    if (kept.free) tab('class-followed', '');
    follow(lead); state();
  };
  const later = (stage) => lead && lead.locked && here().case === lead.case && stages().indexOf(stage) > stages().indexOf(lead.stage);
  document.addEventListener('click', (event) => {
    const button = role === 'mine' && !page && event.target.closest('#clinic [data-act]');
    if (!button || !lead || !lead.locked || here().case !== lead.case) return;
    const { act: what, with: with_ } = button.dataset, order = stages();
    const next = order[order.indexOf(here().stage) + Number(with_)];
    if (!(what === 'stage' && later(with_)) && !(what === 'move' && later(next)) && !(what === 'run' && (later(with_) || with_ === 'walk'))) return;
    event.stopImmediatePropagation(); event.preventDefault();
    said(words().isLocked);
  }, true);

  // Where this tab is: the class follows the instructor's, and she sees how many are where.
  const look = () => {
    if (!lead || !one('[data-address]')) return;
    const at = here(), now = `${at.case}/${at.stage}`;
    if (role === 'lead') {
      const hand = one('#class-strip [data-do=hand]');
      if (hand) hand.hidden = !at.changes;
      root.classList.toggle('class-asks', lead.asks && same(at));
      if (now === last) return;
      const first = !last, again = first && performance.getEntriesByType('navigation')[0]?.type !== 'navigate';
      last = now;
      if (!again && !same(at)) tried(() => ask('do', { act: 'go', case: at.case, stage: at.stage }, key()));
      return;
    }
    root.classList.toggle('class-asks', lead.asks && same(at));
    if (later(at.stage)) { const back = one(`#rail [data-with="${lead.stage}"]`); said(words().isLocked); if (back) back.click(); }
    let repairs = [], hints = 0;
    try { const kept = JSON.parse(one('[data-address]').dataset.keep).case; repairs = kept.tried; hints = kept.hints; } catch { /* nothing yet */ }
    const told = `${now}/${repairs.length}/${hints}`;
    if (told === sent) return;
    sent = told;
    ask('stands', { case: at.case, stage: at.stage, tried: repairs, hints }, key()).catch(() => { sent = ''; });
  };

  const beside = () => {
    role = read(LEAD) ? 'lead' : read(MINE) ? 'mine' : null;
    if (!role || /\/mine\/?$/.test(location.pathname)) return;
    const strip = document.createElement('div');
    strip.id = 'class-strip'; strip.className = role;
    strip.innerHTML = '<div class="state"><a data-room></a> <span data-state></span> <button type="button" data-own hidden></button></div><div data-live></div><p class="said" role="alert" data-said></p>';
    const kept = read(role === 'lead' ? LEAD : MINE), room = strip.querySelector('[data-room]');
    room.href = `${home}class${role === 'lead' ? '/lead' : ''}`;
    room.textContent = words().myClass.replace('%s', `${kept.code.slice(0, 4)} ${kept.code.slice(4)}`);
    document.body.prepend(strip);
    new ResizeObserver(() => resized(strip.offsetHeight)).observe(strip);
    setInterval(look, 400);
    listen(role === 'lead' ? 'strip' : 'class', out);
  };

  const begin = () => { if (page) start(); else beside(); };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin); else begin();
})();
