(() => {
  const read = () => { try { return localStorage.getItem('clinic-theme'); } catch { return null; } };
  const write = (theme) => { try { localStorage.setItem('clinic-theme', theme); } catch { /* forbidden */ } };
  const saved = read(), body = document.body;
  body.classList.toggle('dark', saved ? saved === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);
  document.addEventListener('click', ({ target }) => {
    if ('theme' in target.dataset) write(body.classList.toggle('dark') ? 'dark' : 'light');
  });

  const seconds = Number(body.dataset.seconds);
  // Only what reads otherwise is drawn: the eye, the place on the page and what is selected stay.
  const put = (now, fresh) => { if (now.innerHTML !== fresh.innerHTML) now.innerHTML = fresh.innerHTML; };
  const draw = (page) => {
    const parts = document.querySelector('.parts'), fresh = page.querySelector('.parts');
    const names = (one) => [...one.querySelectorAll('section')].map((part) => part.id).join();
    if (names(parts) !== names(fresh)) put(parts, fresh);
    else for (const part of parts.querySelectorAll('section')) put(part, page.getElementById(part.id));
    document.getElementById('fresh').replaceWith(page.getElementById('fresh'));
  };
  const again = async () => {
    try {
      const answer = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(1000 * seconds) });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (page.getElementById('fresh')) draw(page); else if (answer.ok || answer.status === 401) location.reload(); else throw Error();
    } catch {
      const told = document.getElementById('fresh');
      told.textContent = told.dataset.stale; told.classList.add('old');
    }
    setTimeout(look, 1000 * seconds);
  };
  const look = () => { if (document.hidden) setTimeout(look, 1000); else again(); };
  if (seconds) setTimeout(look, 1000 * seconds);
})();
