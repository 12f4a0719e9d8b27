(() => {
  const NAME = 'training-clinic-mine', ROOM = 2_000_000;
  const one = (selector) => document.querySelector(selector);
  const read = () => { try { return localStorage.getItem(NAME) || ''; } catch { return ''; } };
  const write = (text) => { try { localStorage.setItem(NAME, text); return true; } catch { return false; } };
  // What files hold, by their names: the server tells which of them it took.
  const held = new Map();
  for (const file of (() => { try { return JSON.parse(read()).files; } catch { return []; } })() || []) {
    if (file && file.data) held.set(file.name, file.data);
  }
  window.clinic.mine = read;

  const in64 = (buffer) => {
    const bytes = new Uint8Array(buffer);
    let text = '';
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
  };
  // Of a notebook only the cells are sent: what they showed may be pictures.
  const bare = (text) => {
    try {
      const notebook = JSON.parse(text);
      for (const cell of notebook.cells) { delete cell.outputs; delete cell.attachments; }
      return JSON.stringify(notebook);
    } catch { return text; }
  };
  const give = async (list) => {
    const files = [];
    for (const file of list) {
      const buffer = file.name.toLowerCase().endsWith('.ipynb') ? new TextEncoder().encode(bare(await file.text())) : await file.arrayBuffer();
      const data = in64(buffer);
      held.set(file.name, data);
      files.push({ name: file.name, data });
    }
    if (files.length && window.clinic.give) window.clinic.give(files);
  };

  let last = '';
  const keep = () => {
    const bar = one('[data-mine]');
    if (one('[data-fresh]')) { location.reload(); return; }
    if (!bar || bar.dataset.mine === last) return;
    last = bar.dataset.mine;
    const told = JSON.parse(last);
    let room = ROOM;
    for (const file of told.files) {
      const data = held.get(file.name);
      if (data === undefined || data.length > room) continue;
      room -= data.length;
      file.data = data;
    }
    if (!write(JSON.stringify(told))) { for (const file of told.files) delete file.data; write(JSON.stringify(told)); }
  };

  document.addEventListener('change', (event) => {
    if (!event.target.matches('[data-files]')) return;
    give([...event.target.files]);
    event.target.value = '';
  });
  const over = (event) => one('[data-mine]') && event.dataTransfer && [...event.dataTransfer.types].includes('Files');
  document.addEventListener('dragover', (event) => { if (over(event)) { event.preventDefault(); document.documentElement.classList.add('dropping'); } }, true);
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.documentElement.classList.remove('dropping'); }, true);
  document.addEventListener('drop', (event) => {
    document.documentElement.classList.remove('dropping');
    if (!over(event)) return;
    event.preventDefault();
    event.stopPropagation();
    give([...event.dataTransfer.files]);
  }, true);
  const start = () => new MutationObserver(keep).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-mine'] });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start); else start();
})();
