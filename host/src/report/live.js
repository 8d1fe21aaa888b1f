// Asks the run every second where it stands, and for a hypothesis that is new.
'use strict';
(() => {
  const INTERVAL_MS = 1000;
  // After this number of failed requests in a row the run has ended.
  const TRIES = 5;
  const at = (id) => document.getElementById(id);
  const row = (cells, kind = 'td') => {
    const line = document.createElement('tr');
    for (const [text, name] of cells) {
      const cell = document.createElement(kind);
      if (text instanceof Node) cell.append(text);
      else cell.textContent = text;
      if (name) cell.className = name;
      line.append(cell);
    }
    return line;
  };
  let hypotheses = 0;
  let failed = 0;

  const show = (state) => {
    at('phase').textContent = state.phase;
    at('facts').replaceChildren(...state.facts.map(([name, value]) => row([[name, 'faint'], [value]])));
    at('notes').replaceChildren(...state.notes.map((note) => {
      const item = document.createElement('li');
      item.textContent = note;
      return item;
    }));
    at('answers').replaceChildren(...state.answers.map(([word, outputs, purpose]) => row([[word, 'word'], [outputs, 'word'], [purpose, 'faint']])));
    const most = Math.max(1e-9, ...state.times.map(([, , seconds]) => seconds));
    at('times').replaceChildren(...state.times.map(([what, words, seconds]) => {
      const bar = document.createElement('span');
      bar.className = 'bar';
      bar.style.width = `${12 * seconds / most}rem`;
      return row([[what], [String(words ?? ''), 'number'], [`${seconds.toFixed(1)} s`, 'number'], [bar]]);
    }));
  };

  // A new hypothesis takes the place of the old one; what was chosen and played stays.
  const renew = (html) => {
    const before = globalThis.mealybug?.page;
    const chosen = before?.main && before.main.selected !== null ? before.main.machine.way(before.main.selected) : null;
    const word = chosen && chosen.map((step) => before.main.machine.inputs[step.input]);
    const played = before?.player && [before.player.word, before.player.at];
    at('machines')?.remove();
    at('player')?.remove();
    at('model').innerHTML = html;
    globalThis.mealybugStart();
    const { page } = globalThis.mealybug;
    if (word && page.main) page.main.select(page.main.machine.run(word).at(-1)?.to ?? page.main.machine.initial);
    if (played && page.player) {
      [page.player.word] = played;
      page.player.start(played[1]);
    }
  };

  const ask = async (what) => {
    const reply = await fetch(what);
    if (!reply.ok) throw new Error(reply.statusText);
    return reply;
  };

  // A mistake in drawing must not end the page.
  const draw = (what) => {
    try {
      what();
    } catch (error) {
      console.error(error);
    }
  };

  const look = async () => {
    try {
      const state = await (await ask('state')).json();
      draw(() => show(state));
      if (state.hypotheses > hypotheses) {
        const html = await (await ask('model')).text();
        ({ hypotheses } = state);
        if (html) draw(() => renew(html));
      }
      failed = 0;
    } catch {
      failed += 1;
    }
    if (failed < TRIES) setTimeout(look, INTERVAL_MS);
    else at('phase').textContent = 'The run has ended; its folder has the report.';
  };
  look();
})();
