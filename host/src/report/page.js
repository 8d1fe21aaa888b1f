// What the page does in a browser: zoom and pan, select states, filter, play words.
//
// Without this script the page shows the same pictures and tables. All data comes from the element `machines`, and all
// text is set as text, so no name can become an element. No library, no network.
'use strict';
(() => {
  const MAX_SHOWN = 120; // characters of a name
  const MAX_CELLS = 3000; // of a table, until more rows are wanted
  const MAX_NEIGHBOURS = 14; // on each side of a state
  const MAX_NAME = 60; // characters of a name that the reader gives
  const MAX_LABEL = 26; // characters of a state in a picture
  const MAX_KEYS = 40; // inputs with a button each
  const MAX_IN_SIGHT = 8; // states of a picture that needs no field for their numbers
  const STEP_MS = 700; // between two steps of a word that is played
  const READABLE = 0.7; // the least scale at which labels are read

  // Ends the listeners of a page that is replaced by a newer one.
  let alive = new AbortController();

  // ---- Elements -------------------------------------------------------------------------------------------------

  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else if (value !== false && value != null) element.setAttribute(name, value === true ? '' : value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
  };
  const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const draw = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
  const button = (text, title, onclick) => make('button', { type: 'button', title, onclick }, text);

  const cut = (name, length = MAX_SHOWN) => (name.length > length ? name.slice(0, length - 1) + '…' : name);
  const shown = (name, length) => (name === '' ? '(empty)' : cut(name, length));

  // The short forms of long names: names that differ have forms that differ, and names that are cut may not.
  let forms = new Map();
  const told = (name, length = MAX_SHOWN) => (name.length > length && forms.get(name)) || shown(name, length);

  const counted = (count, thing) => `${count} ${thing}${count === 1 ? '' : 's'}`;

  // ---- Machines and words ---------------------------------------------------------------------------------------

  class Machine {
    constructor({ kind, title, inputs, outputs, initial, states, called, next, said, open }, names) {
      Object.assign(this, { kind, title, initial, states, next, said });
      this.called = new Map(Object.entries(called).map(([state, name]) => [+state, name]));
      this.inputs = inputs.map((name) => names[name]);
      this.outputs = outputs.map((name) => names[name]);
      this.open = new Set(open);
      this.numbers = new Map(this.inputs.map((name, number) => [name, number]));
    }

    // The number of a state, with its name if it has one.
    label(state) {
      return this.called.has(state) ? `${state} ${this.called.get(state)}` : String(state);
    }

    // The transition on an input: where to, the output, whether the target is a guess. Null if it was never asked.
    step(state, input) {
      const at = state * this.inputs.length + input;
      const to = this.next[at];
      return to < 0 ? null : { from: state, input, to, output: this.outputs[this.said[at]], isOpen: this.open.has(at) };
    }

    transitions(state) {
      return this.inputs.map((_, input) => this.step(state, input)).filter((step) => step);
    }

    *all() {
      for (let state = 0; state < this.states; state++) yield* this.transitions(state);
    }

    incoming(state) {
      if (!this.sources) {
        this.sources = Array.from({ length: this.states }, () => []);
        for (const step of this.all()) if (step.to !== step.from) this.sources[step.to].push(step);
      }
      return this.sources[state];
    }

    // A shortest word to each state, guesses last, as `Machine::access_words` finds it: the transition that ends it.
    get ends() {
      if (this.ways) return this.ways;
      this.ways = new Array(this.states);
      const seen = new Uint8Array(this.states);
      const sure = [[this.initial, null]], guessed = [];
      for (let at = 0, guess = 0; at < sure.length || guess < guessed.length;) {
        const [state, way] = at < sure.length ? sure[at++] : guessed[guess++];
        if (seen[state]) continue;
        seen[state] = 1;
        this.ways[state] = way;
        for (const step of this.transitions(state)) if (!seen[step.to]) (step.isOpen ? guessed : sure).push([step.to, step]);
      }
      return this.ways;
    }

    // The steps of a shortest word to a state, or null if it cannot be reached.
    way(state) {
      const steps = [];
      for (; state !== this.initial; state = steps[0].from) {
        const end = this.ends[state];
        if (!end) return null;
        steps.unshift(end);
      }
      return steps;
    }

    // The steps of a word of names, as far as they are known. A module ignores inputs that it does not have.
    run(word) {
      const steps = [];
      let state = this.initial;
      for (const name of word) {
        const input = this.numbers.get(name);
        if (input === undefined && this.kind !== 'module') break;
        const step = input === undefined ? { from: state, to: state, output: '·' } : this.step(state, input);
        if (!step) break;
        steps.push(step);
        state = step.to;
      }
      return steps;
    }
  }

  // Words as `mealybug try` and `--words` take them: names with blanks between them, in quotes where they need to be.
  const quoted = (name) => (name.includes("'") ? `"${name}"` : `'${name}'`);
  const plain = (name) => (name !== '' && !/[\s'"]/u.test(name) ? name : quoted(name));
  const format = (word, names) => {
    const text = word.map(plain).join(' ');
    const again = parse(text, names);
    const isSame = again.word && again.word.length === word.length && again.word.every((name, at) => name === word[at]);
    return isSame ? text : word.map(quoted).join(' ');
  };
  const parse = (text, names) => {
    const word = [];
    for (let rest = text.trimStart(); rest !== '';) {
      const ends = (length) => rest.length === length || /\s/u.test(rest[length]);
      const inQuotes = /^['"]/.test(rest)
        ? names.find((name) => rest.startsWith(name + rest[0], 1) && ends(name.length + 2))
        : undefined;
      const fits = names.filter((name) => name !== '' && rest.startsWith(name) && ends(name.length));
      const name = inQuotes ?? fits.sort((one, other) => other.length - one.length)[0];
      if (name === undefined) return { wrong: rest.split(/\s/u)[0] };
      word.push(name);
      rest = rest.slice(name.length + (inQuotes === undefined ? 0 : 2)).trimStart();
    }
    return { word };
  };

  // Transitions with the same output and target, each with all its inputs.
  const grouped = (machine, steps, key) => {
    const groups = new Map();
    for (const step of steps) {
      const name = JSON.stringify([step[key], step.output, step.isOpen]);
      if (!groups.has(name)) groups.set(name, { ...step, inputs: [] });
      groups.get(name).inputs.push(machine.inputs[step.input]);
    }
    return [...groups.values()];
  };
  const list = (names, most = 12) => {
    const text = names.slice(0, most).map((name) => shown(name, 40)).join(', ');
    return names.length > most ? `${text} and ${names.length - most} more` : text;
  };

  // ---- A picture that zooms and moves ---------------------------------------------------------------------------

  class View {
    // Shows a picture in a frame; `onpick` hears of clicks on states and labels. The frame has a `fixed` height in pixels, or that of the picture.
    constructor(frame, picture, onpick, fixed) {
      Object.assign(this, { frame, picture, onpick, fixed });
      // A copy of a picture that has moved is whole again.
      picture.dataset.whole ??= picture.getAttribute('viewBox');
      const [x, y, width, height] = picture.dataset.whole.split(' ').map(Number);
      this.whole = { x, y, width, height };
      picture.removeAttribute('width');
      picture.removeAttribute('height');
      frame.replaceChildren(picture);
      frame.classList.add('view');
      frame.tabIndex = 0;
      this.fit();
      if (frame.dataset.listens) return;
      // The listeners outlive a picture that is replaced by another one.
      frame.dataset.listens = 'yes';
      const view = () => frame.view;
      const pointers = new Map();
      let moved = 0;
      frame.addEventListener('pointerdown', (event) => {
        if (event.button === 0) pointers.set(event.pointerId, event);
        moved = 0;
      });
      frame.addEventListener('pointermove', (event) => {
        const before = pointers.get(event.pointerId);
        if (!before) return;
        const others = [...pointers.values()].filter((other) => other.pointerId !== event.pointerId);
        moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
        pointers.set(event.pointerId, event);
        if (moved < 5) return;
        if (!frame.hasPointerCapture(event.pointerId)) frame.setPointerCapture(event.pointerId);
        if (others.length === 1) {
          const apart = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY) || 1;
          view().zoom(apart(event) / apart(before), event);
        } else {
          view().move(before.clientX - event.clientX, before.clientY - event.clientY);
        }
      });
      const end = (event) => {
        const isClick = pointers.delete(event.pointerId) && moved < 5 && event.type === 'pointerup';
        const element = isClick && event.target.closest('[data-state],[data-edge]');
        if (element) view().onpick(element);
      };
      for (const type of ['pointerup', 'pointercancel']) frame.addEventListener(type, end);
      frame.addEventListener('wheel', (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        view().zoom(Math.exp(-event.deltaY / 300), event);
      }, { passive: false });
      frame.addEventListener('dblclick', (event) => view().zoom(1.6, event));
      frame.addEventListener('keydown', (event) => {
        const by = 80;
        const does = {
          '+': () => view().zoom(1.3), '=': () => view().zoom(1.3), '-': () => view().zoom(1 / 1.3), 0: () => view().fit(),
          ArrowLeft: () => view().move(-by, 0), ArrowRight: () => view().move(by, 0),
          ArrowUp: () => view().move(0, -by), ArrowDown: () => view().move(0, by),
        }[event.key];
        if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        does();
      });
      addEventListener('resize', () => view().resize(), { signal: alive.signal });
    }

    // All of it in the frame; the frame is as high as the picture where it can be read so.
    fit() {
      const { whole, frame } = this;
      this.width = frame.clientWidth || 1;
      const scale = Math.min(1, this.width / whole.width);
      const most = this.fixed ?? (scale < READABLE ? innerHeight * 0.8 : Infinity);
      const height = this.fixed ?? Math.min(whole.height * scale, most);
      frame.style.height = `${Math.max(60, height)}px`;
      this.scale = Math.min(scale, (frame.clientHeight || 60) / whole.height);
      this.least = this.scale;
      this.x = whole.x + whole.width / 2;
      this.y = whole.y + whole.height / 2;
      this.show();
    }

    // What was zoomed stays so.
    resize() {
      if (this.frame.clientWidth === this.width) return;
      const { scale, x, y, least } = this;
      this.fit();
      if (scale > least * 1.01) Object.assign(this, { scale, x, y }).show();
    }

    // Zooms; what is at the pointer stays there.
    zoom(by, at) {
      const scale = Math.min(4, Math.max(this.least / 2, this.scale * by));
      if (at) {
        const box = this.frame.getBoundingClientRect();
        const right = at.clientX - box.left - box.width / 2, down = at.clientY - box.top - box.height / 2;
        this.x += right / this.scale - right / scale;
        this.y += down / this.scale - down / scale;
      }
      this.scale = scale;
      this.show();
    }

    move(right, down) {
      this.x += right / this.scale;
      this.y += down / this.scale;
      this.show();
    }

    // Brings an element to the middle, large enough to be read.
    centre(element) {
      const { x, y, width, height } = element.getBBox();
      this.scale = Math.max(this.scale, READABLE);
      [this.x, this.y] = [x + width / 2, y + height / 2];
      this.show();
    }

    show() {
      const { whole, frame, scale } = this;
      const [width, height] = [(frame.clientWidth || 1) / scale, (frame.clientHeight || 1) / scale];
      // The picture does not leave its frame, and stands in the middle of a larger one.
      const kept = (at, start, length, room) => length <= room
        ? start + length / 2
        : Math.min(start + length - room / 2, Math.max(start + room / 2, at));
      this.x = kept(this.x, whole.x, whole.width, width);
      this.y = kept(this.y, whole.y, whole.height, height);
      this.picture.setAttribute('viewBox', `${this.x - width / 2} ${this.y - height / 2} ${width} ${height}`);
      // A finger scrolls the page unless there is something to move.
      frame.style.touchAction = scale > this.least * 1.01 ? 'none' : 'pan-x pan-y';
      frame.view = this;
    }
  }

  // Marks some states and lines of a picture, and dims the others; without any, all look as ever.
  const light = (picture, states, isLit) => {
    const edges = new Set();
    for (const label of picture.querySelectorAll('[data-edge]')) {
      const lit = Boolean(isLit && isLit(+label.dataset.from, +label.dataset.to));
      label.classList.toggle('lit', lit);
      if (lit) edges.add(label.dataset.edge);
    }
    for (const line of picture.querySelectorAll('[data-edges]')) {
      line.classList.toggle('lit', edges.size > 0 && line.dataset.edges.split(' ').some((edge) => edges.has(edge)));
    }
    for (const box of picture.querySelectorAll('[data-state]')) box.classList.toggle('lit', states.has(+box.dataset.state));
    picture.classList.toggle('some', edges.size + states.size > 0);
  };

  // Draws a state with the states before and after it: for machines that are too large for a picture.
  const neighbourhood = (machine, state) => {
    const width = (lines) => Math.max(40, ...lines.map((line) => line.length * 6.75 + 14));
    const side = (steps, key) => {
      const groups = grouped(machine, steps, key);
      const states = new Map();
      for (const group of groups) {
        if (!states.has(group[key])) states.set(group[key], []);
        const inputs = list(group.inputs.map((name) => shown(name, 16)), 3);
        states.get(group[key]).push(`${inputs} / ${told(group.output, 30)}${group.isOpen ? ' ?' : ''}`);
      }
      const entries = [...states].map(([number, lines]) => ({
        number,
        lines: lines.length > 4 ? [...lines.slice(0, 3), `… ${lines.length - 3} lines more`] : lines,
      }));
      return { entries: entries.slice(0, MAX_NEIGHBOURS), more: entries.length - MAX_NEIGHBOURS };
    };
    const steps = machine.transitions(state);
    const before = side(machine.incoming(state), 'from');
    const after = side(steps.filter((step) => step.to !== state), 'to');
    const loops = grouped(machine, steps.filter((step) => step.to === state), 'to')
      .map((group) => `${list(group.inputs.map((name) => shown(name, 16)), 4)} / ${told(group.output, 30)}`);
    const inside = loops.length > 12 ? [...loops.slice(0, 11), `… ${loops.length - 11} lines more`] : loops;

    const heightOf = ({ entries, more }) =>
      entries.reduce((sum, entry) => sum + Math.max(30, entry.lines.length * 14 + 14), 0) + (more > 0 ? 20 : 0);
    const middle = { width: Math.max(width(inside), machine.label(state).length * 9 + 18), height: 30 + inside.length * 14 };
    const height = Math.max(heightOf(before), heightOf(after), middle.height) + 20;
    const room = ({ entries }) => (entries.length ? Math.max(...entries.map((entry) => width(entry.lines))) + 40 : 0);
    const label = (number) => shown(machine.label(number), MAX_LABEL);
    const labels = [...before.entries, ...after.entries].map(({ number }) => label(number).length);
    const boxWidth = Math.max(String(machine.states).length, ...labels) * 9 + 18;
    const left = before.entries.length ? boxWidth + room(before) : 0;
    const right = after.entries.length ? boxWidth + room(after) : 0;
    const all = left + middle.width + right + 20;
    const picture = draw('svg', { class: 'machine', viewBox: `0 0 ${all} ${height}`, width: all, height });
    const box = (number, x, y, lines, size, isCentre) => {
      const group = draw('g', { 'data-state': number, class: isCentre ? 'here' : null });
      const rect = { x, y, width: size.width, height: size.height, rx: 7, class: number === machine.initial ? 'initial' : null };
      group.append(draw('rect', rect), draw('text', { class: 'name', x: x + size.width / 2, y: y + 18 }, label(number)));
      lines.forEach((line, at) => group.append(draw('text', { x: x + size.width / 2, y: y + 32 + 14 * at }, line)));
      picture.append(group);
    };
    const arrow = (x, y) => draw('path', { class: 'arrow', d: `M${x} ${y}L${x - 8} ${y - 4}L${x - 8} ${y + 4}Z` });
    const column = ({ entries, more }, isBefore) => {
      let y = (height - heightOf({ entries, more })) / 2;
      const x = isBefore ? 10 : 10 + left + middle.width + room(after);
      const [near, far] = isBefore ? [10 + boxWidth, 10 + left] : [10 + left + middle.width, x];
      for (const { number, lines } of entries) {
        const high = Math.max(30, lines.length * 14 + 14);
        const at = y + high / 2;
        const [from, to] = isBefore ? [at, height / 2] : [height / 2, at];
        const bend = isBefore ? far - 30 : near + 30;
        const way = isBefore
          ? `M${near} ${at}L${bend} ${at}L${far - 8} ${to}`
          : `M${near} ${from}L${bend} ${at}L${far - 8} ${at}`;
        picture.append(draw('path', { d: way }), arrow(far, isBefore ? to : at));
        box(number, x, at - 14, [], { width: boxWidth, height: 28 });
        const middleOf = isBefore ? (near + bend) / 2 : (bend + far) / 2;
        lines.forEach((line, row) => {
          const below = lines.length === 1 ? -5 : 14 * (row - lines.length / 2) + (row < lines.length / 2 ? -4 : 14);
          picture.append(draw('text', { x: middleOf, y: at + below }, line));
        });
        y += high;
      }
      if (more > 0) picture.append(draw('text', { x: isBefore ? 60 : x, y: y + 14 }, `… ${more} more`));
    };
    column(before, true);
    column(after, false);
    box(state, 10 + left, (height - middle.height) / 2, inside, middle, true);
    return picture;
  };

  // ---- What there is to know about a state ----------------------------------------------------------------------

  const copied = async (text, from) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = make('textarea', {}, text);
      document.body.append(field);
      field.select();
      document.execCommand('copy');
      field.remove();
    }
    from.textContent = 'copied';
    setTimeout(() => { from.textContent = 'copy'; }, 1500);
  };

  const stateButton = (explorer, state) =>
    make('button', { type: 'button', class: 'state', onclick: () => explorer.select(state, true) }, cut(explorer.name(state), MAX_LABEL));

  // A word with buttons to copy and to play it.
  const wordLine = (page, machine, word) => {
    const text = format(word, machine.inputs);
    const copy = button('copy', 'Copy the word, as mealybug try takes it', () => copied(text, copy));
    const play = page.player && button('play', 'Play the word and watch', () => page.player.play(word));
    return make('p', { class: 'wordline' }, 'shortest word: ', make('code', {}, word.length ? cut(text, 2000) : '(none)'),
      ' ', word.length ? copy : null, ' ', play);
  };

  const stepTable = (explorer, machine, title, steps, key) => {
    const groups = grouped(machine, steps, key);
    const rows = groups.slice(0, 200).map((group) => make('tr', {},
      make('td', { class: 'word' }, list(group.inputs)), make('td', {}, told(group.output)),
      make('td', {}, stateButton(explorer, group[key]), group.isOpen ? ' a guess' : null)));
    return make('div', {}, make('h4', {}, title), rows.length === 0 ? make('p', { class: 'faint' }, 'none') : make('table', {},
      make('thead', {}, make('tr', {}, ...['input', 'output', key].map((head) => make('th', {}, head)))),
      make('tbody', {}, ...rows)), groups.length > 200 ? make('p', {}, `And ${groups.length - 200} more.`) : null);
  };

  const facts = (explorer, machine, state) => {
    const { page } = explorer;
    const steps = machine.transitions(state);
    const unknown = machine.inputs.filter((_, input) => !machine.step(state, input));
    const way = machine.way(state);
    const word = way && way.map((step) => machine.inputs[step.input]);
    const others = way ? page.parts.map((part) => [part, part.run(word)]).filter(([, run]) => run.length === word.length) : [];
    const place = ([part, run]) => `${shown(part.title, 40)}: ${run.length ? run.at(-1).to : part.initial}`;
    return make('div', { class: 'facts-of-state' },
      way ? wordLine(page, machine, word) : make('p', {}, 'It cannot be reached.'),
      way && page.names && machine === page.mains[0] ? page.names.field(state) : null,
      way && way.length ? make('p', { class: 'faint' }, 'outputs on the way: ', list(way.map((step) => step.output), 40)) : null,
      machine.kind === 'model' && others.length
        ? make('p', { class: 'faint' }, `its ${page.partsName} are then in the states `, others.map(place).join(', ')) : null,
      unknown.length && machine.kind !== 'module'
        ? make('p', {}, make('strong', {}, 'never asked: '), list(unknown, 60)) : null,
      make('div', { class: 'columns' },
        stepTable(explorer, machine, 'leads to', steps.filter((step) => step.to !== state), 'to'),
        stepTable(explorer, machine, 'stays', steps.filter((step) => step.to === state), 'to'),
        stepTable(explorer, machine, 'comes from', machine.incoming(state), 'from')));
  };

  // ---- A picture with its tools ---------------------------------------------------------------------------------

  class Explorer {
    constructor(page, place) {
      // Of two large machines a picture shows only a part.
      Object.assign(this, { page, place, selected: null, filter: null, isPart: place.dataset.part !== undefined });
      const numbers = (place.dataset.machine ?? '').split(' ').filter((number) => number !== '');
      this.machines = numbers.map((number) => page.machines[number]).filter((machine) => machine);
      [this.machine] = this.machines;
      this.overlay = this.machines.length > 1 ? page.overlay : null;
      const template = place.querySelector('template');
      this.full = place.querySelector('svg');
      this.folded = template && template.content.querySelector('svg');
      this.frame = make('div', { class: 'scroll', 'aria-label': 'Picture: + and - zoom, arrow keys move, 0 fits' });
      this.panel = make('aside', { class: 'panel', 'aria-live': 'polite', hidden: true });
      this.fold = make('input', { type: 'checkbox', onchange: () => this.show() });
      const hint = 'Drag to move, Ctrl and wheel to zoom, click a state';
      this.tools = make('div', { class: 'tools', title: hint },
        button('−', 'Zoom out (-)', () => this.frame.view.zoom(1 / 1.3)),
        button('+', 'Zoom in (+)', () => this.frame.view.zoom(1.3)),
        button('fit', 'Show all of it (0)', () => this.frame.view.fit()),
        this.folded ? make('label', { title: 'Count loops, and lines to the state to which most lines lead; shorten labels' },
          this.fold, ' folded') : null,
        this.machine && !this.overlay && this.machine.states > MAX_IN_SIGHT ? this.jump() : null);
      if (this.folded) {
        // The legend explains what folding means.
        document.body.classList.add('folds');
        this.fold.checked = this.full.viewBox.baseVal.width * READABLE > (place.clientWidth || innerWidth);
      }
      const about = this.full ? null : make('p', { class: 'faint' },
        `${counted(this.machine.states, 'state')} are too many for one picture. This is one state with those before and after it; click one of them to go there.`);
      place.replaceChildren(...[about, this.tools, this.frame, this.panel].filter((it) => it));
      addEventListener('keydown', (event) => { if (event.key === 'Escape') this.select(null); }, { signal: alive.signal });
      this.show();
    }

    // A field for the number of a state.
    jump() {
      const most = this.machine.states - 1;
      const go = (event) => {
        const number = event.target.valueAsNumber;
        if (Number.isInteger(number) && number >= 0 && number <= most) this.select(number, true);
      };
      return make('label', {}, 'state ', make('input', { type: 'number', min: 0, max: most, onchange: go }));
    }

    name(state) {
      if (!this.overlay) return this.machine ? this.machine.label(state) : String(state);
      const own = this.overlay[state];
      const labels = own.map((number, at) => (number === null ? null : this.machines[at].label(number)));
      if (own[0] === own[1]) {
        const named = [...new Set(labels.filter((label) => label !== String(own[0])))];
        if (named.length < 2) return named[0] ?? labels[0];
      }
      return labels.map((label, at) => label && `${'AB'[at]}${label}`).filter((it) => it).join(' ');
    }

    // Shows the picture, full or folded; a machine without one by the neighbourhood of a state.
    show() {
      let picture = this.fold.checked ? this.folded : this.full;
      if (!picture) picture = neighbourhood(this.machine, this.selected ?? this.machine.initial);
      const height = this.full ? undefined : Math.min(400, Number(picture.getAttribute('height')));
      this.view = new View(this.frame, picture, (element) => this.pick(element), height);
      if (!this.full) this.view.centre(picture.querySelector('.here'));
      this.light();
    }

    pick({ dataset }) {
      if (!this.machine) return;
      if (dataset.state !== undefined) this.select(+dataset.state === this.selected ? null : +dataset.state);
      else this.selectEdge(+dataset.from, +dataset.to);
    }

    // Selects a state, or none.
    select(state, isFar) {
      if (state === null && this.selected === null && this.panel.hidden) return;
      this.selected = state;
      this.edge = null;
      if (!this.full && state !== null) this.show();
      this.light();
      this.panel.hidden = state === null;
      if (state === null) return;
      const close = button('×', 'Close (Esc)', () => this.select(null));
      this.panel.replaceChildren(make('h3', {}, `State ${this.name(state)} `, close), ...this.facts(state));
      const box = this.frame.querySelector(`[data-state="${state}"]`);
      if (isFar && box && this.full) this.view.centre(box);
    }

    facts(state) {
      if (!this.overlay) return [facts(this, this.machine, state)];
      return this.overlay[state].flatMap((own, at) => {
        const machine = this.machines[at];
        if (own === null) return [make('p', {}, `${machine.title} has no such state.`)];
        const translate = { page: this.page, name: (number) => this.name(this.number(at, number)),
          select: (number) => this.select(this.number(at, number), true) };
        return [make('h4', {}, `${machine.title}, state ${own}`), facts(translate, machine, own)];
      });
    }

    // The number in the picture of a state of one of the two machines.
    number(at, state) {
      return this.overlay ? this.overlay.findIndex((pair) => pair[at] === state) : state;
    }

    selectEdge(from, to) {
      this.selected = null;
      this.edge = [from, to];
      this.light();
      const close = button('×', 'Close (Esc)', () => { this.edge = null; this.panel.hidden = true; this.light(); });
      this.panel.hidden = false;
      const tables = this.machines.flatMap((machine, at) => {
        const [start, end] = this.overlay ? [this.overlay[from][at], this.overlay[to][at]] : [from, to];
        if (start === null || end === null) return [];
        const steps = machine.transitions(start).filter((step) => step.to === end);
        const explorer = { name: (state) => this.name(this.number(at, state)), select: (state) => this.select(this.number(at, state)) };
        return [stepTable(explorer, machine, this.overlay ? machine.title : 'transitions', steps, 'to')];
      });
      this.panel.replaceChildren(make('h3', {}, `From ${this.name(from)} to ${this.name(to)} `, close), ...tables);
    }

    // Marks what is selected, or else what passes the filter.
    light() {
      const { picture } = this.view;
      for (const box of picture.querySelectorAll('[data-state]')) {
        box.classList.toggle('chosen', +box.dataset.state === this.selected);
      }
      if (!this.full) return;
      if (this.edge) {
        light(picture, new Set(this.edge), (from, to) => from === this.edge[0] && to === this.edge[1]);
      } else if (this.selected !== null) {
        const ends = new Set([this.selected]);
        for (const label of picture.querySelectorAll('[data-edge]')) {
          const [from, to] = [+label.dataset.from, +label.dataset.to];
          if (from === this.selected) ends.add(to);
          if (to === this.selected) ends.add(from);
        }
        light(picture, ends, (from, to) => from === this.selected || to === this.selected);
      } else if (this.filter) {
        light(picture, this.filter.states, (from, to) => this.filter.edges.has(`${from} ${to}`));
      } else {
        light(picture, new Set(), null);
      }
    }

    // Shows the transitions whose input and output pass; null shows all.
    pass(isPassing) {
      this.filter = null;
      if (isPassing) {
        this.filter = { states: new Set(), edges: new Set(), count: 0 };
        this.machines.forEach((machine, at) => {
          for (const step of machine.all()) {
            if (!isPassing(machine.inputs[step.input], step.output)) continue;
            const [from, to] = [this.number(at, step.from), this.number(at, step.to)];
            this.filter.states.add(from);
            this.filter.edges.add(`${from} ${to}`);
            this.filter.count++;
          }
        });
      }
      this.light();
    }
  }

  // ---- The table ------------------------------------------------------------------------------------------------

  class Table {
    constructor(page, place) {
      Object.assign(this, { page, place, isPassing: null });
      this.machine = page.machines[place.dataset.table];
      this.scroll = make('div', { class: 'scroll table' });
      this.more = make('p');
      const cutOff = place.nextElementSibling;
      if (cutOff && cutOff.classList.contains('cut')) cutOff.remove();
      place.replaceChildren(this.scroll, this.more);
      this.show();
    }

    pass(isPassing) {
      this.isPassing = isPassing;
      this.show();
    }

    show(most) {
      const { machine, isPassing } = this;
      const passes = (step) => step && isPassing(machine.inputs[step.input], step.output);
      let columns = machine.inputs.map((_, input) => input);
      let rows = Array.from({ length: machine.states }, (_, state) => state);
      if (isPassing) {
        columns = columns.filter((input) => rows.some((state) => passes(machine.step(state, input))));
        rows = rows.filter((state) => columns.some((input) => passes(machine.step(state, input))));
      }
      const page = Math.max(20, Math.floor(MAX_CELLS / Math.max(1, columns.length)));
      const end = Math.min(rows.length, most ?? page);
      const cell = (state, input) => {
        const step = machine.step(state, input);
        if (!step) return make('td', { class: 'unknown' }, '?');
        const names = [step.isOpen ? 'open' : '', isPassing && passes(step) ? 'hit' : ''].filter((name) => name).join(' ');
        const next = step.to !== state || step.isOpen
          ? make('span', { class: 'next' }, ` → ${machine.called.get(step.to) ?? step.to}${step.isOpen ? '?' : ''}`) : null;
        return make('td', { class: names || null, title: step.output.length > 30 ? cut(step.output, 500) : null }, told(step.output, 30), next);
      };
      this.scroll.replaceChildren(make('table', {},
        make('thead', {}, make('tr', {}, make('th', { class: 'number' }, 'state'),
          ...columns.map((input) => make('th', { title: cut(machine.inputs[input], 500) }, told(machine.inputs[input], 30))))),
        make('tbody', {}, ...rows.slice(0, end).map((state) => make('tr', {},
          make('th', { class: 'number', scope: 'row' }, stateButton(this.page.main, state)),
          ...columns.map((input) => cell(state, input)))))));
      this.more.replaceChildren();
      if (end < rows.length) {
        this.more.append(`${end} of ${counted(rows.length, 'state')}. `,
          button('more', 'Show more states', () => this.show(end + page)));
      }
    }
  }

  // ---- Names of states ------------------------------------------------------------------------------------------

  // The file `states.toml` on the page, which the reader writes by naming states.
  class Names {
    constructor(page, section) {
      Object.assign(this, { page, machine: page.mains[0], text: section.querySelector('pre') });
      [this.header] = this.text.textContent.split('\n');
      const copy = button('copy', 'Copy the text', () => copied(this.text.textContent, copy));
      this.link = make('a', { download: 'states.toml' }, 'download');
      this.text.before(make('p', { class: 'faint' }, 'Click a state in the picture to name it.'));
      this.text.after(make('div', { class: 'tools' }, copy, this.link));
      this.show();
    }

    // A field for the name of a state.
    field(state) {
      const { called } = this.machine;
      const wrong = make('span', { class: 'faint', role: 'status' });
      const name = make('input', { type: 'text', class: 'name', maxlength: MAX_NAME, value: called.get(state) ?? '', onchange: () => {
        const text = name.value.trim();
        wrong.textContent = this.fault(state, text);
        if (wrong.textContent) return;
        if (text) called.set(state, text);
        else called.delete(state);
        this.show();
      } });
      return make('p', {}, make('label', {}, 'name: ', name), ' ', wrong);
    }

    // Why a state cannot be called so, as `state_names::wrong_name` says it.
    fault(state, name) {
      if (/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u.test(name)) return 'It has a hidden character.';
      if (/^s?\d+$/.test(name)) return 'This is the number of a state.';
      const other = [...this.machine.called].find(([number, known]) => number !== state && known === name);
      return other ? `State ${other[0]} is called so.` : '';
    }

    show() {
      const { machine } = this;
      const quoted = (text) => JSON.stringify(text).replaceAll('\x7f', '\\u007f');
      const line = ([state, name]) => {
        const word = (machine.way(state) ?? []).map((step) => machine.inputs[step.input]);
        return `${/^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name)} = ${quoted(format(word, machine.inputs))}\n`;
      };
      const named = [...machine.called].sort(([one], [other]) => one - other);
      this.text.textContent = `${this.header}\n${named.map(line).join('')}`;
      this.link.href = `data:application/toml;charset=utf-8,${encodeURIComponent(this.text.textContent)}`;
      for (const table of this.page.tables) table.show();
    }
  }

  // ---- The filter -----------------------------------------------------------------------------------------------

  const filterBar = (page) => {
    const names = (key) => [...new Set(page.mains.flatMap((machine) => machine[key]))];
    const options = (id, list) => make('datalist', { id }, ...list.slice(0, 500).map((name) => make('option', { value: cut(name) })));
    const field = (what, id) => make('label', {}, `${what} `,
      make('input', { type: 'search', list: id, placeholder: 'any', oninput: () => apply() }));
    const input = field('input', 'all-inputs'), output = field('output', 'all-outputs');
    const count = make('span', { class: 'faint', role: 'status' });
    let timer;
    const now = () => {
      const [one, other] = [input, output].map((label) => label.querySelector('input').value.toLowerCase());
      // What is the name of an input, or of an output, means this one only.
      const test = (text, list) => {
        const exact = list.some((name) => name.toLowerCase() === text);
        return (name) => (exact ? name.toLowerCase() === text : name.toLowerCase().includes(text));
      };
      const [isInput, isOutput] = [test(one, names('inputs')), test(other, names('outputs'))];
      const isPassing = one || other ? (i, o) => (!one || isInput(i)) && (!other || isOutput(o)) : null;
      for (const part of [page.main, ...page.tables]) part.pass(isPassing);
      const filter = page.main.filter;
      count.textContent = filter ? `${counted(filter.count, 'transition')} of ${counted(filter.states.size, 'state')}` : '';
    };
    const apply = () => {
      clearTimeout(timer);
      timer = setTimeout(now, 120);
    };
    return make('div', { class: 'tools', role: 'search' }, 'Find ', input, output, count,
      options('all-inputs', names('inputs')), options('all-outputs', names('outputs')));
  };

  // ---- The player -----------------------------------------------------------------------------------------------

  class Player {
    constructor(page) {
      Object.assign(this, { page, word: [], at: 0, timer: null });
      this.names = [...new Set(page.mains.flatMap((machine) => machine.inputs))];
      this.field = make('input', { class: 'word', type: 'text', spellcheck: 'false', 'aria-label': 'word', placeholder: 'inputs, with blanks between them',
        onchange: () => this.read() });
      this.message = make('p', { class: 'faint', role: 'status' });
      this.steps = make('ol', { class: 'steps' });
      this.cards = make('div', { class: 'cards' });
      this.run = button('▶ play', 'Play the word from here on', () => this.toggle());
      const keys = this.names.slice(0, MAX_KEYS).map((name) => button(shown(name, 24), `Press ${cut(name)}`, () => this.press(name)));
      this.element = make('section', { id: 'player' }, make('h2', {}, 'Play a word'),
        make('p', { class: 'faint' }, 'Press inputs, or write a word. The state that each machine is in is orange.'),
        make('div', { class: 'tools' }, ...keys),
        make('div', { class: 'tools' }, this.field,
          button('reset', 'Back to the initial state, without a word', () => this.play([])),
          button('◀', 'One step back', () => this.go(this.at - 1)), button('▶', 'One step on', () => this.go(this.at + 1)), this.run),
        this.message, this.steps, this.cards);
      this.tracks = this.makeTracks();
      this.go(0);
    }

    // The pictures to watch: the model's, or that of both models, and those of its parts.
    makeTracks() {
      const { page } = this;
      // Without a picture of all states: each machine by the neighbourhood of its state.
      const alone = (machine) => ({ machine, machines: [machine], number: (_, state) => state, name: (state) => machine.label(state) });
      const mains = page.main ? [page.main] : page.mains.map(alone);
      const explorers = [...mains, ...page.explorers.filter((it) => page.parts.includes(it.machine)).slice(0, 12)];
      return explorers.map((explorer) => {
        const frame = make('div', { class: 'scroll' });
        const says = make('span', { class: 'says' });
        const title = explorer.overlay ? 'Both models' : shown(explorer.machine.title, 60);
        this.cards.append(make('figure', {}, make('figcaption', {}, title, ' ', says), frame));
        return { explorer, frame, says, view: null };
      });
    }

    read() {
      const { word, wrong } = parse(this.field.value, this.names);
      if (word) return this.play(word, true);
      this.message.textContent = `There is no input ${cut(wrong)}.`;
    }

    press(name) {
      this.word = [...this.word.slice(0, this.at), name];
      this.start(this.word.length);
    }

    // Shows a word from its beginning on.
    play(word, isHere) {
      this.word = word;
      this.start(0);
      if (!isHere) this.element.scrollIntoView({ behavior: 'smooth' });
      if (word.length) this.toggle(true);
      else this.toggle(false);
    }

    start(at) {
      this.toggle(false);
      this.field.value = format(this.word, this.names);
      this.message.textContent = '';
      this.go(at);
    }

    toggle(isOn = this.timer === null) {
      clearInterval(this.timer);
      this.timer = null;
      if (isOn) {
        if (this.at === this.word.length) this.go(0);
        this.timer = setInterval(() => { if (!this.go(this.at + 1)) this.toggle(false); }, STEP_MS);
      }
      this.run.textContent = isOn ? '❚❚ pause' : '▶ play';
    }

    // Shows the states after so many inputs. Returns whether there are more.
    go(at) {
      const { page, word } = this;
      const runs = page.mains.map((machine) => machine.run(word));
      const known = Math.max(...runs.map((run) => run.length));
      this.at = Math.min(Math.max(0, at), known);
      if (at > known && known < word.length) this.message.textContent = `What ${shown(word[known])} does here was never asked.`;
      const step = (name, number) => {
        const outputs = runs.map((run) => run[number] && run[number].output);
        const differs = outputs.some((output) => output !== outputs[0]);
        const said = outputs.map((output, which) => {
          const letter = outputs.length > 1 && differs ? `${'AB'[which]}: ` : '';
          return make('span', { class: differs ? ['first', 'second'][which] : null }, ` ${letter}${output === undefined ? '?' : told(output, 60)}`);
        });
        const attributes = { type: 'button', class: number < this.at ? 'past' : null, 'aria-current': number + 1 === this.at, onclick: () => this.go(number + 1) };
        return make('li', {}, make('button', attributes, make('b', {}, shown(name, 60)), ' /', ...(differs ? said : said.slice(0, 1))));
      };
      // Of a long word those steps around the current one.
      const first = Math.max(0, this.at - 200);
      this.steps.replaceChildren(...word.slice(first, first + 400).map((name, number) => step(name, first + number)));
      this.steps.start = first + 1;
      for (const track of this.tracks) this.watch(track);
      return this.at < known;
    }

    // Shows where a machine is, and which transition it has taken.
    watch(track) {
      const { explorer, frame, says } = track;
      const places = explorer.machines.map((machine, which) => {
        const run = machine.run(this.word.slice(0, this.at));
        const last = run.at(-1);
        return { state: explorer.number(which, last ? last.to : machine.initial), from: last && explorer.number(which, last.from), last };
      });
      const [{ state }] = places;
      if (!track.view || !explorer.full) {
        const source = explorer.folded ?? explorer.full;
        const picture = source ? source.cloneNode(true) : neighbourhood(explorer.machine, state);
        track.view = new View(frame, picture, () => {}, 300);
      }
      const { view } = track;
      const states = places.map((place) => place.state);
      for (const box of view.picture.querySelectorAll('[data-state]')) {
        const number = +box.dataset.state;
        box.classList.toggle('now', states.includes(number));
      }
      if (explorer.full) {
        light(view.picture, new Set(), (from, to) => this.at > 0 && places.some((place) => place.from === from && place.state === to));
        view.picture.classList.remove('some');
      }
      const box = view.picture.querySelector(explorer.full ? `[data-state="${state}"]` : '.here');
      if (box) view.centre(box);
      const said = places.map(({ last }) => (last && this.at > 0 ? told(last.output, 40) : ''));
      says.textContent = this.at > 0 ? `state ${places.map((place) => explorer.name(place.state)).filter((name, at, all) => all.indexOf(name) === at).join(', ')}, says ${[...new Set(said)].join(' | ')}` : `state ${explorer.name(state)}`;
    }
  }

  // ---- The page -------------------------------------------------------------------------------------------------

  const start = () => {
    const data = document.getElementById('machines');
    if (!data) return;
    alive.abort();
    alive = new AbortController();
    const { names, short, machines, overlay } = JSON.parse(data.textContent);
    forms = new Map(Object.entries(short).map(([name, form]) => [names[name], form]));
    const page = { machines: machines.map((machine) => new Machine(machine, names)), overlay };
    const of = (kind) => page.machines.filter((machine) => machine.kind === kind);
    page.mains = overlay ? page.machines.slice(0, 2) : of('model').slice(0, 1);
    page.parts = of('module').length > 1 ? of('module') : of('component').length > 1 ? of('component') : [];
    page.partsName = of('module').length > 1 ? 'modules' : 'components';
    page.explorers = [...document.querySelectorAll('.picture')].filter((place) => place.dataset.machine || place.querySelector('svg'))
      .map((place) => new Explorer(page, place));
    page.main = page.explorers.find((explorer) => page.mains.includes(explorer.machine) && !explorer.isPart);
    page.tables = [];
    document.body.classList.add('alive');
    globalThis.mealybug = { page, parse, format };
    const shows = page.main ?? page.explorers.find((explorer) => explorer.isPart);
    if (!shows) return;
    if (page.main) {
      const section = document.getElementById('names');
      page.tables = [...document.querySelectorAll('[data-table]')].map((place) => new Table(page, place));
      if (section) page.names = new Names(page, section);
      page.main.place.before(filterBar(page));
    }
    page.player = new Player(page);
    shows.place.closest('section').after(page.player.element);
    for (const track of page.player.tracks) track.view.fit();
    for (const cell of document.querySelectorAll('[data-play]')) {
      const { word } = parse(cell.textContent, page.player.names);
      if (word) cell.append(' ', button('play', 'Play the word and watch', () => page.player.play(word)));
    }
    page.player.go(0);
  };
  globalThis.mealybugStart = start;
  start();
})();
