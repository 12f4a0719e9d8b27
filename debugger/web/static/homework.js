(() => {
  const root = document.documentElement, page = document.querySelector('main#class');
  const one = (selector) => document.querySelector(selector);
  const name = page.dataset.page, asked = new URLSearchParams(location.search);
  const home = new URL(page.dataset.up, location.href.split(/[?#]/)[0]).href;
  const words = () => (one(`meta[name=homework-words][lang="${root.lang}"]`) || one('meta[name=homework-words]')).dataset;
  const kept = () => { try { return localStorage.getItem('training-clinic') || ''; } catch { return ''; } };
  const said = (text) => { one('[data-said]').textContent = text || ''; };
  let file = '', table = '';

  const ask = async (door, told) => {
    let answer;
    try { answer = await fetch(`${home}${door}?lang=${asked.get('lang') || root.lang}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(told) }); } catch { throw new Error(words().lost); }
    let back = null;
    try { back = await answer.json(); } catch { /* not ours */ }
    if (answer.ok && back) return back;
    throw new Error((back && back.said) || (answer.status === 401 ? words().logIn : words().lost));
  };
  // What cannot be done is said, and nothing else happens.
  const tried = async (work) => { try { said(''); return await work(); } catch (error) { said(error.message); return null; } };
  const save = (text, called, type) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = called;
    link.click();
  };
  const drawn = (html) => {
    one('[data-list]').innerHTML = html;  // every word in it was escaped by the server
    for (const link of document.querySelectorAll('[data-list] a')) link.href = home + link.getAttribute('href');
    for (const at of document.querySelectorAll('time')) at.textContent = new Date(at.dateTime).toLocaleString(root.lang, { dateStyle: 'medium', timeStyle: 'short' });
  };

  const made = async () => {
    const form = one('[data-task]'), at = form.elements.until.value;
    const cases = [...form.querySelectorAll('[name=case]:checked')].map((box) => Number(box.value));
    const told = await ask('task/made', { title: form.elements.title.value, cases, until: at ? Math.floor(new Date(at).getTime() / 1000) : null });
    const link = `${home}task?of=${told.token}`;
    one('[data-link]').textContent = link; one('[data-open]').href = link; one('[data-made]').hidden = false;
    one('[data-made]').scrollIntoView({ block: 'nearest' });
  };
  const list = async () => drawn((await ask('task/list', { of: asked.get('of') || '', kept: kept() })).html);
  const certified = async () => {
    const form = one('[data-named]');
    const told = await ask('certificate/made', { of: asked.get('of') || '', kept: kept(), name: form.elements.name.value });
    drawn(told.html);
    file = told.file; form.hidden = !file;
  };
  const checked = async () => {
    const form = one('[data-check]'), pasted = form.elements.text.value.trim();
    const files = await Promise.all([...form.elements.files.files].map(async (held) => ({ name: held.name, text: await held.text() })));
    if (pasted) files.push({ name: form.dataset.pasted, text: pasted });
    const told = await ask('certificate/checked', { of: form.elements.of.value, files });
    drawn(told.html);
    table = told.csv; one('[data-csv]').hidden = false;
  };

  document.addEventListener('submit', (event) => {
    event.preventDefault();
    const form = event.target;
    if (form.matches('[data-task]')) tried(made);
    else if (form.matches('[data-check]')) tried(checked);
    else if (form.matches('[data-named]')) {
      tried(async () => { await certified(); if (event.submitter && event.submitter.name === 'print') print(); else if (file) save(file, 'certificate.json', 'application/json'); });
    }
  });
  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-copy],[data-csv],[data-theme]');
    if (!button) return;
    if ('copy' in button.dataset) navigator.clipboard.writeText(one('[data-link]').textContent).then(() => { button.textContent = words().copied; }, () => { getSelection().selectAllChildren(one('[data-link]')); });
    else if ('csv' in button.dataset) save(table, 'certificates.csv', 'text/csv');
    else { const dark = document.body.classList.toggle('dark'); try { localStorage.setItem('clinic-theme', dark ? 'dark' : 'light'); } catch { /* forbidden */ } }
  });
  document.addEventListener('change', (event) => {
    if (!event.target.matches('[data-language]')) return;
    asked.set('lang', event.target.value);
    location.search = asked;
  });

  const begin = () => { if (name === 'task') tried(list); else if (name === 'certificate') tried(certified); };
  begin();
  // Whoever comes back from a scenario finds it solved.
  addEventListener('pageshow', (event) => { if (event.persisted) begin(); });
  document.addEventListener('visibilitychange', () => { if (!document.hidden) begin(); });
})();
