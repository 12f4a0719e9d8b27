(() => {
  const root = document.documentElement;
  const one = (selector) => document.querySelector(selector);
  const typing = (target) => target.closest && target.closest('input,textarea,select,[contenteditable=true]');
  // Some browsers forbid a page to keep anything, embedded ones above all: then it forgets.
  const read = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const write = (name, text) => { try { localStorage.setItem(name, text); } catch { /* forbidden */ } };
  const dark = (on) => { document.body.classList.toggle('dark', on); write('clinic-theme', on ? 'dark' : 'light'); };
  let asked = null, held = null, down = null, waiting = null, number = 0, unheard = 0, turn = 0;
  const presses = [];
  let blamed = null, stage = null;

  window.clinic = {
    // A press that throws something away is asked about once: the same button, pressed again, does it.
    sure(button) {
      const question = button.dataset.ask;
      if (!question || asked === button) { asked = null; return true; }
      asked = button;
      const said = document.createElement('span');
      said.className = 'ask'; said.setAttribute('role', 'alert'); said.textContent = question;
      button.after(said);
      setTimeout(() => { said.remove(); if (asked === button) asked = null; }, 6000);
      return false;
    },
    // One press after the other: the next one waits until the server has heard the last.
    press(send) { presses.push(send); if (!unheard) next(); },
    // Everything that this browser remembers, as text.
    kept() { return read('training-clinic') || ''; },
    expect() { clearTimeout(waiting); waiting = setTimeout(look, 4000); },
    choose(use) {
      const input = document.createElement('input');
      input.type = 'file'; input.accept = '.json,application/json';
      input.addEventListener('change', async () => { const file = input.files[0]; if (file) use(await file.text()); });
      input.click();
    },
  };

  const saved = read('clinic-theme');
  const wish = new URLSearchParams(location.search).get('__theme');
  const start = () => { if (saved && !wish) document.body.classList.toggle('dark', saved === 'dark'); watch(); };

  const goto = (line) => {
    const tab = one('#left [data-with=script]');
    if (tab && tab.getAttribute('aria-selected') !== 'true') { tab.click(); setTimeout(() => goto(line), 250); return; }
    const row = document.getElementById(`line-${line}`);
    if (!row) return;
    row.scrollIntoView({ block: 'center' });
    row.focus({ preventScroll: true });
    row.classList.add('flash');
    setTimeout(() => row.classList.remove('flash'), 1600);
  };

  // What stands on the other side, under a tab of the same name.
  const show = (name) => {
    const tab = one(`#left [data-with=${name}]`), part = document.getElementById(name);
    if (part) { part.scrollIntoView({ block: 'nearest' }); part.focus({ preventScroll: true }); } else if (tab) { tab.click(); setTimeout(() => show(name), 250); }
  };

  const filter = (chip) => {
    for (const other of document.querySelectorAll('[data-filter]')) other.setAttribute('aria-pressed', String(other === chip));
    const wanted = chip.dataset.filter;
    for (const card of document.querySelectorAll('.card')) {
      card.hidden = wanted === 'open' ? card.dataset.solved === '1' : wanted === 'here' ? card.dataset.closed === '1'
        : Boolean(wanted) && ![card.dataset.level, card.dataset.framework].includes(wanted);
    }
  };

  // A part of the page, or a link to all of it. What a student is given never opens in present mode.
  const copy = async (button) => {
    const link = new URL(location.href), part = document.getElementById(button.dataset.of);
    link.searchParams.delete('present');
    const text = part ? part.textContent : link.href;
    try { await navigator.clipboard.writeText(text); } catch { window.prompt(button.textContent, text); return; }
    button.textContent = button.dataset.copy;
    say(button.dataset.copy);
  };

  // One region that stays while everything around it is drawn anew: what a screen reader is told.
  const say = (text) => {
    let region = one('#said');
    if (!region) { region = document.createElement('div'); region.id = 'said'; region.className = 'sr'; region.setAttribute('aria-live', 'polite'); document.body.append(region); }
    if (text && region.textContent !== text) region.textContent = text;
  };

  // What the page itself says, in the language in which the server has drawn it.
  const words = () => (one(`meta[name=clinic-words][lang="${root.lang}"]`) || one('meta[name=clinic-words]')).dataset;

  const same = (act, argument) => one(`[data-act="${act}"][data-with="${CSS.escape(argument || '')}"]:not([disabled])`);

  // The field for checks: drawn anew it holds what stood in it, and what was asked comes back.
  const said = [];
  let field = null, draft = '', mine = '', back = -1, wanted = false;
  const earlier = () => [...new Set([...said, ...[...document.querySelectorAll('[data-asked]')].map((one) => one.dataset.asked)])].filter(Boolean);
  const put = (text) => { field.value = draft = text; grow(); field.setSelectionRange(text.length, text.length); };
  const grow = () => { field.rows = Math.min(8, field.value.split('\n').length); };
  const refill = () => {
    const now = one('[data-check]');
    if (!now || now === field) return;
    field = now;
    if (draft) put(draft);
    if (wanted) { wanted = false; field.focus(); }
  };
  const toCheck = () => { if (one('[data-check]')) one('[data-check]').focus(); else { wanted = true; one('#right [data-with=console]').click(); } };
  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-act=check]');
    if (!button || button.disabled) return;
    if (button.dataset.field) button.dataset.with = draft;
    if (!button.dataset.with.trim()) { event.stopPropagation(); toCheck(); return; }
    said.unshift(button.dataset.with);
    if (button.dataset.field) put('');
    back = -1;
    if (event.detail === 0) { if (one('[data-check]')) one('[data-check]').focus(); else wanted = true; }  // by keyboard
  }, true);
  document.addEventListener('input', (event) => { if (event.target === field) { draft = field.value; back = -1; grow(); } });
  document.addEventListener('keydown', (event) => {
    if (event.target !== field || !field || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); one('[data-field=check]').click(); return; }
    const up = event.key === 'ArrowUp' && !field.value.slice(0, field.selectionStart).includes('\n');
    const down = event.key === 'ArrowDown' && !field.value.slice(field.selectionEnd).includes('\n');
    const next = back + (up ? 1 : down ? -1 : 0), checks = earlier();
    if (next === back || next < -1 || next >= checks.length) return;
    event.preventDefault();
    if (back === -1) mine = draft;
    put(next === -1 ? mine : checks[next]);
    back = next;
  });

  document.addEventListener('click', (event) => {
    const early = event.target.closest('[data-act]');
    if (early && !early.closest('[data-listens]')) {
      // Pressed before gradio was ready to listen: press again when it is.
      setTimeout(() => { const again = same(early.dataset.act, early.dataset.with); if (again) again.click(); }, 100);
      return;
    }
    const target = event.target.closest('[data-line],[data-edit-line],[data-to],[data-theme],[data-filter],[data-reload],[data-copy]');
    if (!target) return;
    if (target.dataset.line) goto(target.dataset.line);
    else if (target.dataset.editLine) edit(target.dataset.editLine);
    else if (target.dataset.to) show(target.dataset.to);
    else if ('theme' in target.dataset) dark(!document.body.classList.contains('dark'));
    else if ('filter' in target.dataset) filter(target);
    else if ('copy' in target.dataset) copy(target);
    else location.reload();
  });

  document.addEventListener('change', (event) => {
    if (!event.target.matches('[data-language]')) return;
    const asked = new URLSearchParams(location.search);
    asked.set('lang', event.target.value);
    location.search = asked;
  });

  // What is drawn anew keeps the keyboard where it was.
  document.addEventListener('focusin', (event) => {
    const button = event.target.closest('[data-act]');
    held = button ? [button.dataset.act, button.dataset.with] : event.target.matches('[data-check]') ? 'check' : null;
  });
  // A button that is drawn anew under the finger never hears of a click.
  document.addEventListener('pointerdown', (event) => { down = event.target.closest('[data-act]'); }, true);
  document.addEventListener('pointerup', (event) => {
    const again = down && !down.isConnected && same(down.dataset.act, down.dataset.with);
    if (again && again.contains(event.target)) again.click();
    down = null;
  }, true);
  const keepFocus = () => {
    if (!held || document.activeElement !== document.body) return;
    const again = (held === 'check' ? one('[data-check]') : same(...held)) || one('#right .verdict') || one('#foot .act');
    if (again) again.focus({ preventScroll: true });
  };

  const next = () => {
    const send = presses.shift();
    unheard = send ? ++number : 0;
    clearTimeout(waiting);
    if (send) tell(send);
  };
  // What a slow line has not brought back is told again. The server acts on a number once, and gradio drops it
  // while the first one is on its way, as it would drop the press that comes next.
  const tell = (send) => {
    waiting = setTimeout(() => { look(); tell(send); }, 4000);
    send(unheard);
  };

  const store = (text) => write('training-clinic', text);
  let last = '';
  // Only this tab's scenario is written: another tab may have solved another one meanwhile.
  const keep = (told) => {
    if (!told || told === last) return;
    last = told;
    const { learner, scenario, case: mine } = JSON.parse(told);
    let all = {};
    try { all = JSON.parse(window.clinic.kept()) || {}; } catch { /* changed by hand */ }
    const cases = { ...all.cases, [scenario]: mine };
    if (!mine) delete cases[scenario];
    store(JSON.stringify({ version: 1, learner, cases }));
  };

  const follow = () => {
    const bar = one('[data-address]');
    if (bar) {
      keep(bar.dataset.keep);
      if (unheard && Number(bar.dataset.heard) >= unheard) next();
      // A drawing that never arrived: ask for everything once more.
      const now = Number(bar.dataset.turn), lost = turn && now > turn + 1;
      turn = now;
      if (lost && window.clinic.again) window.clinic.again();
      if (location.search !== bar.dataset.address) history.replaceState(null, '', bar.dataset.address);
      root.classList.toggle('present', bar.dataset.present === '1');
    }
    const drawn = one('[data-said-in]');
    if (drawn) root.lang = drawn.dataset.saidIn;
    const name = words().title;
    document.title = bar ? `${bar.querySelector('h1').firstChild.textContent.trim()} · ${name}` : name;
    // On a phone the rail is wider than the screen: the stage one looks at is kept in view.
    const current = one('#rail [aria-current=step]'), rail = current && current.closest('.rail');
    if (current && stage !== current.dataset.with) rail.scrollLeft += current.getBoundingClientRect().left - rail.getBoundingClientRect().left - 70;
    stage = current && current.dataset.with;
    // A line that is newly to blame is brought into view, inside the script only.
    const fault = one('#left .code .row.fault'), box = fault && fault.closest('.code');
    if (fault && blamed !== fault.id) box.scrollTop += fault.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
    blamed = fault && fault.id;
    margin();
    refill();
    say([...document.querySelectorAll('#clinic [data-news]')].map((part) => part.dataset.news).join(' '));
    const told = one('[data-store]');
    if (told) { store(told.dataset.store); told.remove(); }
    const opened = one('[data-open]');
    if (opened) { const to = opened.dataset.open; opened.remove(); location.assign(to); }
    const file = one('[data-save]');
    if (file) {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([file.dataset.save], { type: 'application/json' }));
      link.download = 'training-clinic.json';
      file.remove(); link.click();
    }
  };
  // gradio's editor comes in colours of its own, too pale to read, which stay when the theme flips: ours do not.
  const PAINT = { 'rgb(94, 129, 172)': '--kw', 'rgb(136, 192, 208)': '--nu', 'rgb(180, 142, 173)': '--nu', 'rgb(67, 76, 94)': '--cm' };
  const isEditors = (rule) => rule.selectorText && rule.selectorText.startsWith('.\u037c') && rule.style.color.startsWith('rgb(');
  const repaint = () => {
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
      let rules = [];
      try { rules = [...sheet.cssRules]; } catch { continue; }
      for (const rule of rules.filter(isEditors)) rule.style.color = `var(${PAINT[rule.style.color] || '--ink'})`;
    }
  };
  // The editor's lines that something is said of stand out in its margin.
  const margin = () => {
    const editor = one('#editor .cm-content'), above = one('[data-editor]');
    if (!editor || !above) return;
    if (editor.getAttribute('aria-label') !== above.dataset.editor) { editor.setAttribute('aria-label', above.dataset.editor); one('#editor .cm-scroller').tabIndex = 0; repaint(); }
    const odd = new Set([...above.querySelectorAll('[data-edit-line]')].map((button) => button.dataset.editLine));
    for (const number of document.querySelectorAll('#editor .cm-lineNumbers .cm-gutterElement')) number.classList.toggle('odd', odd.has(number.textContent));
  };
  const edit = (line) => {
    const box = one('#editor .cm-scroller'), row = one('#editor .cm-line');
    if (!row) return;
    box.scrollTop = (line - 1) * row.offsetHeight - box.clientHeight / 2;
    one('#editor').scrollIntoView({ block: 'nearest' });
    one('#editor .cm-content').focus({ preventScroll: true });
  };
  const watch = () => {
    follow();
    new MutationObserver(() => { follow(); keepFocus(); })
      .observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-turn'] });
    setInterval(() => { if (one('#foot :is(.stop, [data-stops])')) look(); }, 4000);
    // Nothing follows on a first drawing that was lost, so nothing would show that it is missing.
    for (const late of [6000, 20000]) setTimeout(() => { if (!turn && window.clinic.again) window.clinic.again(); }, late);
  };

  // A press that nothing answers: ask whether the server still lives, and say so when it does not.
  const look = async () => {
    let banner = one('#lost');
    try {
      await fetch('health', { cache: 'no-store' });
      // Back where one was, unless somebody is typing what no server has heard yet.
      if (banner && !draft && !typing(document.activeElement || document.body)) location.reload();
      if (banner) { banner.textContent = words().back; const go = document.createElement('button'); go.dataset.reload = ''; go.textContent = words().reload; banner.append(' ', go); }
    } catch {
      if (!banner) { banner = document.createElement('div'); banner.id = 'lost'; banner.setAttribute('role', 'alert'); banner.textContent = words().died; document.body.append(banner); }
      setTimeout(look, 2000);
    }
  };

  document.addEventListener('keydown', (event) => {
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const press = (selector) => { const button = one(selector); if (button && !button.disabled) { button.click(); event.preventDefault(); } };
    const tab = event.target.closest && event.target.closest('[role=tab]');
    if (tab && (event.key === 'ArrowRight' || event.key === 'ArrowLeft')) {
      const next = event.key === 'ArrowRight' ? tab.nextElementSibling : tab.previousElementSibling;
      if (next) { next.focus(); next.click(); }
      return;
    }
    const keys = { r: '#foot .go', a: '#foot .all', h: '#foot .hint', f: '#right [data-with=fix]', e: '#right [data-with=evidence]',
      s: '#right [data-act=open]', d: '#left [data-with=diagnosis]', j: '#left [data-with=journey]', p: '#bar [data-act=present]', '[': '#foot .prev', ']': '#foot .next', Escape: '#foot .stop' };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // In front of a class answers stay hidden until this key.
    if (key === 'c' && one('#right [data-with=console]')) { event.preventDefault(); toCheck(); return; }
    if (key === 's') root.classList.toggle('reveal');
    if (key === '0') press('#right [data-with=symptom]');
    else if (/^[1-9]$/.test(key)) press(`#rail li:nth-child(${key}) button`);
    else if (keys[key]) press(keys[key]);
  });

  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start); else start();
})();
