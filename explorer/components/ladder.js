// Draws one column a depth: a strip of scores, the candidates in order of rank, the cut. All texts are set with textContent.
const SVG = "http://www.w3.org/2000/svg";
const seen = new WeakMap(); // host element -> what was drawn in it, so that a new selection neither scrolls nor rebuilds

const make = (tag, cls, text) => {
  const element = document.createElement(tag);
  if (cls) element.className = cls;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
};

const draw = (parent, tag, cls, attributes) => {
  const element = document.createElementNS(SVG, tag);
  if (cls) element.setAttribute("class", cls);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
};

// the middle of one of 60 bins, so that every mark of a score stands on the others; half a mark stays free at both ends
const across = (position) => `${1.5 + ((Math.min(59, Math.floor(position * 60)) + 0.5) / 60) * 97}%`;
const shifted = (position, by) => `${parseFloat(across(position)) + by}%`;

function stripOf(column) {
  const { bins, most, dots, cut_off: cutOff, chosen } = column.strip;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "strip");
  svg.setAttribute("aria-hidden", "true");
  const gap = Math.min(4.6, 27 / Math.max(1, most));
  draw(svg, "line", "axis", { x1: "0%", x2: "100%", y1: 33.5, y2: 33.5 });
  for (const [at, kept, cut, other] of bins) {
    let height = 0;
    for (const [cls, count] of [["kept", kept], ["cut", cut], ["other", other]]) {
      if (dots) {
        for (let i = 0; i < count; i += 1) draw(svg, "circle", cls, { cx: across(at), cy: 29.5 - height++ * gap, r: 2.9 });
      } else if (count) {
        const tall = Math.max(2, (count / most) * 30);
        height += tall;
        draw(svg, "rect", cls, { x: shifted(at, -0.7), y: 33 - height, width: "1.4%", height: tall });
      }
    }
  }
  if (cutOff !== null) draw(svg, "line", "cutoff", { x1: across(cutOff), x2: across(cutOff), y1: 0, y2: 38 });
  if (chosen !== null) {
    const place = draw(svg, "svg", "", { x: across(chosen), y: 22, overflow: "visible" });
    draw(place, "path", "chosen", { d: "M0 -7 L6.5 0 L0 7 L-6.5 0 Z", transform: "translate(0 7)" });
  }
  return svg;
}

function ringOf(column, selected) {
  const row = column.data.rows.find((candidate) => candidate.id === selected && candidate.bar !== null);
  if (!column.strip) return;
  column.strip.querySelector(".looked")?.remove();
  if (row) draw(column.strip, "circle", "looked", { cx: across(row.bar), cy: 29, r: 6.5 });
}

function barOf(row) {
  const bar = make("span", row.bar === null ? "bar empty" : "bar");
  if (row.bar !== null) {
    const fill = make("i");
    fill.style.width = `${row.bar * 100}%`;
    bar.append(fill);
  }
  for (const tick of row.ticks) {
    const mark = make("u");
    mark.style.left = `${tick * 100}%`;
    bar.append(mark);
  }
  return bar;
}

function rowOf(row) {
  const button = make("button", `row ${["expanded", "terminal", "pruned", "duplicate", "open", "unscored"].includes(row.fate) ? row.fate : "none"}`);
  button.type = "button";
  button.tabIndex = -1;
  button.title = row.hint;
  button.dataset.id = row.id;
  button.setAttribute("aria-label", row.label);
  if (row.chosen) button.classList.add("chosen");
  const badges = make("span", "badges");
  if (row.chosen) badges.append(make("span", "badge mark", "✓ chosen"));
  if (row.viable === true) badges.append(make("span", "badge viable", "◆ viable"));
  if (row.viable === false) badges.append(make("span", "badge lost", "not viable"));
  badges.append(make("span", "badge fate", row.badge));
  button.append(make("span", "rank", row.rank), make("span", "score", row.score), barOf(row), make("span", "step", row.step), make("span", "break"), badges);
  if (row.said) button.append(make("span", "said", `“${row.said}”`));
  return button;
}

function columnOf(data) {
  const element = make("section", "column");
  element.setAttribute("aria-label", `Depth ${data.depth}: ${data.summary}`);
  const head = make("div", "head");
  const title = make("div", "title");
  title.append(make("b", "", `Depth ${data.depth}`), make("span", "", data.summary));
  const strip = data.strip && stripOf(data);
  head.append(title);
  if (strip) head.append(strip);
  if (data.ties) head.append(make("div", "ties", data.ties));
  element.append(head);
  const buttons = [];
  for (const row of data.rows) {
    if (row.kind === "row") buttons.push(rowOf(row));
    element.append(row.kind === "row" ? buttons.at(-1) : make("div", row.kind === "line" ? "cutline" : "gap", row.text));
  }
  return { data, element, strip, buttons };
}

function build(host, ladder) {
  const frame = make("div", "ladder");
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Candidates by depth. Arrow keys move, Enter inspects.");
  const columns = ladder.columns.map(columnOf);
  if (ladder.before) frame.append(make("div", "beyond", `◂ ${ladder.before}`));
  frame.append(...columns.map((column) => column.element));
  if (ladder.after) frame.append(make("div", "beyond", `${ladder.after} ▸`));
  host.replaceChildren(frame, make("div", "foot", `${ladder.scale}. Arrow keys move, Enter inspects.`));
  return { key: ladder.key, frame, columns };
}

function step(columns, button, pressed) {
  const c = columns.findIndex((column) => column.buttons.includes(button));
  const { buttons } = columns[c];
  const r = buttons.indexOf(button);
  if (pressed === "ArrowDown") return buttons[r + 1];
  if (pressed === "ArrowUp") return buttons[r - 1];
  if (pressed === "Home") return buttons[0];
  if (pressed === "End") return buttons.at(-1);
  const beside = pressed === "ArrowRight" ? columns[c + 1] : pressed === "ArrowLeft" ? columns[c - 1] : undefined;
  if (!beside) return undefined;
  const chosen = button.classList.contains("chosen") && beside.buttons.find((other) => other.classList.contains("chosen"));
  return chosen || beside.buttons[Math.min(r, beside.buttons.length - 1)];
}

function makeReachable(columns, button) {
  for (const column of columns) for (const other of column.buttons) other.tabIndex = other === button ? 0 : -1;
}

function select(drawn, selected) {
  const all = drawn.columns.flatMap((column) => column.buttons);
  for (const button of all) {
    if (button.dataset.id === selected) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  for (const column of drawn.columns) ringOf(column, selected);
  const start = all.find((button) => button.dataset.id === selected) ?? all.find((button) => button.classList.contains("chosen")) ?? all[0];
  if (start) makeReachable(drawn.columns, start);
  return start;
}

function listen(drawn, pick) {
  drawn.frame.addEventListener("click", (event) => {
    const button = event.target.closest("button.row");
    if (!button) return;
    makeReachable(drawn.columns, button);
    pick(button.dataset.id);
  });
  drawn.frame.addEventListener("keydown", (event) => {
    const button = event.target.closest("button.row");
    const next = button && !event.ctrlKey && !event.metaKey && !event.altKey && step(drawn.columns, button, event.key);
    if (!next) return;
    event.preventDefault();
    makeReachable(drawn.columns, next);
    next.focus();
  });
}

// as far as needed and no further; scrollIntoView would move the whole page
function reveal(frame, button) {
  const [outer, inner] = [frame.getBoundingClientRect(), button.getBoundingClientRect()];
  const top = outer.top + button.closest(".column").querySelector(".head").offsetHeight;
  if (inner.left < outer.left || inner.right > outer.right) frame.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  if (inner.top < top) frame.scrollTop += inner.top - top - 8;
  else if (inner.bottom > outer.bottom) frame.scrollTop += inner.bottom - outer.bottom + 8;
}

// the room that the window has left below what stands above the ladder, and above what is pinned to the bottom
function fit(drawn) {
  const { frame } = drawn;
  const above = (frame.getRootNode().host ?? frame).closest('[data-testid="stMain"]')?.scrollTop ?? window.scrollY;
  const end = document.querySelector('[data-testid="stBottom"]')?.getBoundingClientRect().top ?? window.innerHeight;
  const room = end - frame.getBoundingClientRect().top - above - 40;
  frame.style.maxHeight = `${Math.min(900, Math.max(240, room))}px`;
  const current = frame.querySelector('[aria-current="true"]');
  if (current && !drawn.moved) reveal(frame, current);
}

function keepFitting(drawn) {
  const around = (drawn.frame.getRootNode().host ?? drawn.frame).closest('[data-testid="stMainBlockContainer"]') ?? document.body;
  const observer = new ResizeObserver(() => (drawn.frame.isConnected ? fit(drawn) : observer.disconnect()));
  observer.observe(around);
  for (const event of ["wheel", "pointerdown", "keydown"]) drawn.frame.addEventListener(event, () => { drawn.moved = true; }, { passive: true });
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".ladder-host");
  const before = seen.get(host);
  if (before?.key === data.ladder.key) {
    before.pick = (id) => setTriggerValue("node", id);
    const current = select(before, data.selected);
    if (current && data.selected) reveal(before.frame, current);
    return;
  }
  const root = host.getRootNode();
  const focused = before && before.frame.contains(root.activeElement) ? root.activeElement.dataset.id : undefined;
  const scrolled = before && [before.frame.scrollLeft, before.frame.scrollTop]; // a frame that left the page forgets it
  const drawn = build(host, data.ladder);
  drawn.pick = (id) => setTriggerValue("node", id);
  seen.set(host, drawn);
  if (data.height) drawn.frame.style.maxHeight = `${data.height}px`;
  else keepFitting(drawn);
  listen(drawn, (id) => drawn.pick(id));
  const start = select(drawn, data.selected);
  if (scrolled) drawn.frame.scrollTo(...scrolled);
  else if (start && data.selected) reveal(drawn.frame, start);
  if (focused !== undefined) drawn.columns.flatMap((column) => column.buttons).find((button) => button.dataset.id === focused)?.focus();
}
