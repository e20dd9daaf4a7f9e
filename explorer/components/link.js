// How do a drawing and the page talk? Data comes once and is shared, choices go out, and the newer choice always wins.

const DEBOUNCE = 140, SETTLE = 4000;
const shelf = (globalThis[Symbol.for("branchlight.data")] ??= { held: new Map(), waiting: new Set() });

/** The function that Streamlit calls at each change: data is put on the shelf, a view is created once and then updated. */
function mounted(create) {
  const views = new WeakMap();
  return (component) => {
    const { data, parentElement } = component;
    if (data?.role !== "view") return hold(parentElement, data);
    if (data.payload) shelf.held.set(parentElement, data.payload);
    if (!views.has(parentElement)) views.set(parentElement, create(parentElement));
    const view = views.get(parentElement);
    const turn = (view.turn = (view.turn ?? 0) + 1);
    view.update(component);
    // an update that was overtaken is cleaned up late: only the last one may close the view
    return () => {
      if (view.turn !== turn) return;
      views.delete(parentElement);
      view.close();
    };
  };
}

function hold(owner, bytes) {
  const head = new TextDecoder().decode(bytes.subarray(0, 2000));
  const version = /"version":"([0-9a-f]+)"/.exec(head)?.[1];
  if (!version || shelf.held.get(owner)?.version !== version) {
    const payload = JSON.parse(new TextDecoder().decode(bytes));
    shelf.held.set(owner, payload);
    for (const wake of [...shelf.waiting]) wake();
  }
  const held = shelf.held.get(owner);
  return () => {
    if (shelf.held.get(owner) === held && !owner.host?.isConnected) shelf.held.delete(owner);
  };
}

function shelved(key, version) {
  for (const payload of shelf.held.values()) if (payload.key === key && payload.version === version) return payload;
  return null;
}

/** The user's choice. Keys are gathered for a moment, clicks go out at once; an older opinion of the page never overrides it. */
function createChoice(send) {
  const sent = new Set();
  let offered, timer = 0, settleBy = 0;
  const choice = {
    current: null,
    pending: () => timer !== 0 || Date.now() < settleBy,
    pick(id, now) {
      choice.current = id;
      clearTimeout(timer);
      timer = setTimeout(choice.flush, now ? 0 : DEBOUNCE);
      if (now) choice.flush();
    },
    flush() {
      if (!timer) return;
      clearTimeout(timer);
      timer = 0;
      settleBy = Date.now() + SETTLE;
      sent.add(choice.current);
      send([choice.current, Date.now()]);
    },
    /** What the page says is selected; true where that changes the choice. */
    offer(id) {
      if (id === offered) return false;
      offered = id;
      if (id === choice.current) {
        settleBy = 0;
        sent.clear();
        return false;
      }
      if (timer || (Date.now() < settleBy && sent.has(id))) return false;
      choice.current = id;
      settleBy = 0;
      sent.clear();
      return true;
    },
  };
  return choice;
}

/** The elements of a drawing: a note, a stage that takes the focus, a legend, a tooltip and a live region. */
function createShell(parent, role) {
  const root = child(parent, "div", "drawing");
  const note = child(root, "div", "note");
  const stage = child(root, "div", "stage");
  const shell = {
    root, note, stage, canvas: child(stage, "canvas"), bar: child(root, "div", "bar"), tip: child(root, "div", "tip"),
    live: child(root, "div", "live"), frame: 0,
  };
  note.hidden = shell.tip.hidden = true;
  stage.tabIndex = 0;
  stage.setAttribute("role", "application");
  stage.setAttribute("aria-roledescription", role);
  shell.live.setAttribute("aria-live", "polite");
  shell.canvas.setAttribute("aria-hidden", "true");
  return shell;
}

function child(parent, name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

/** Draw at the next frame, once. */
function redraw(shell, draw) {
  if (shell.frame) return;
  shell.frame = requestAnimationFrame(() => {
    shell.frame = 0;
    if (shell.stage.clientWidth) draw();
  });
}

/** A cleared context of the stage's size, sharp on any screen. */
function surface(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(w / width, 0, 0, h / height, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}

/** Show lines of plain text beside the pointer; `code` lines in the code font. */
function showTip(shell, x, y, lines) {
  shell.tip.replaceChildren();
  for (const { text, code } of lines) child(shell.tip, "div", code ? "text" : "", text);
  shell.tip.hidden = false;
  const [width, height] = [shell.tip.offsetWidth, shell.tip.offsetHeight];
  const [left, top] = [shell.stage.offsetLeft + x, shell.stage.offsetTop + y];
  const flip = left + 16 + width > shell.root.clientWidth;
  shell.tip.style.left = `${Math.max(0, flip ? left - 14 - width : left + 16)}px`;
  shell.tip.style.top = `${Math.max(0, Math.min(top + 14, shell.stage.offsetTop + shell.stage.clientHeight - height))}px`;
}

function legendGlyph(bar, theme, text, draw) {
  const item = child(bar, "span", "item");
  const ctx = surface(child(item, "canvas"), 18, 14);
  draw(ctx);
  child(item, "span", "", text);
}

/** The legend: only what this drawing holds. */
function showLegend(shell, theme, data, color, extras, keys) {
  shell.bar.replaceChildren();
  const shown = new Set(data.fate);
  const errors = data.flag.some((flag) => flag & ERROR);
  FATE_WORDS.forEach((word, fate) => {
    const triangle = fate === UNSCORED && errors;
    if (!shown.has(fate) && !triangle) return;
    const text = triangle ? (shown.has(UNSCORED) ? "unscored or error" : "error") : word;
    legendGlyph(shell.bar, theme, text, (ctx) => glyph(ctx, 9, 7, 5, fate, 0, color === "score" ? null : theme.fate[fate], theme));
  });
  if (data.flag.some((flag) => flag & VIABLE)) legendGlyph(shell.bar, theme, "viable: a right answer can be reached", (ctx) => viableMark(ctx, 13, 11, 5, theme));
  for (const { text, draw } of extras) legendGlyph(shell.bar, theme, text, draw);
  if (color === "score" && data.score_range) showRamp(shell.bar, data.score_range);
  child(shell.bar, "span", "keys", keys);
}

function showRamp(bar, [low, high], title = "score") {
  const item = child(bar, "span", "item");
  child(item, "span", "", `${title} ${scoreText(low)}`);
  const stops = CIVIDIS.map((stop) => `rgb(${stop.join(",")})`).join(",");
  child(item, "span", "ramp").style.background = `linear-gradient(90deg, ${stops})`;
  child(item, "span", "", scoreText(high));
}

function line(ctx, color, width, dash, from, to) {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** Wire what all drawings need; returns the function that lets go of it. */
function listen(shell, handlers) {
  const off = new AbortController();
  const on = (target, name, call, options = {}) => target.addEventListener(name, call, { ...options, signal: off.signal });
  for (const [name, call] of Object.entries(handlers.stage)) on(shell.stage, name, call, { passive: name === "wheel" ? false : undefined });
  on(shell.stage, "pointerleave", () => (shell.tip.hidden = true));
  on(matchMedia("(prefers-color-scheme: dark)"), "change", handlers.changed);
  const observer = new ResizeObserver(handlers.resized);
  observer.observe(shell.stage);
  shelf.waiting.add(handlers.arrived);
  return () => {
    off.abort();
    observer.disconnect();
    shelf.waiting.delete(handlers.arrived);
    cancelAnimationFrame(shell.frame);
    shell.root.remove();
  };
}

/** Where a pointer is on the stage. */
function pointerAt(shell, event) {
  const box = shell.stage.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

/** The height that a drawing takes: what it needs, within what the window has left for it above what is pinned, and what the page allows. */
function stageHeight(stage, limit, needed) {
  const above = (stage.getRootNode().host ?? stage).closest('[data-testid="stMain"]')?.scrollTop ?? window.scrollY;
  const end = document.querySelector('[data-testid="stBottom"]')?.getBoundingClientRect().top ?? window.innerHeight;
  const room = Math.max(300, end - stage.getBoundingClientRect().top - above - 50);
  return Math.round(Math.max(120, Math.min(limit, room, needed)));
}
