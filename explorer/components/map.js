// What is the shape of the whole run, and where in it is the reader? Cells of depth by leaf order, counted by the store.

const MAP_HEAD = 25, MAP_HEIGHT = 620, ZOOM_PAUSE = 180, CONTEXT = 3, READABLE = 40;

function createMap(parent) {
  const shell = createShell(parent, "map of the run");
  const map = { shell, data: null, at: null, look: null, trail: [], wheeled: false, hover: -1, cursor: -1, theme: null, settings: {}, drag: null, timer: 0 };
  shell.stage.classList.add("drags");
  map.draw = () => redraw(shell, () => drawMap(map));
  const close = listen(shell, {
    stage: {
      wheel: (event) => mapWheel(map, event), pointerdown: (event) => mapDown(map, event), pointermove: (event) => mapMoved(map, event),
      pointerup: (event) => mapUp(map, event), pointercancel: () => (map.drag = null), keydown: (event) => mapKey(map, event),
      pointerleave: () => { map.hover = -1; map.draw(); },
    },
    changed: () => map.component && map.update(map.component),
    resized: () => map.data && map.draw(),
    arrived: () => map.component && map.update(map.component),
  });
  map.close = () => { clearTimeout(map.timer); close(); };
  map.update = (component) => updateMap(map, component);
  return map;
}

function updateMap(map, component) {
  map.component = component;
  const settings = (map.settings = component.data);
  map.theme = themeOf(map.shell.root);
  const data = shelved(settings.key, settings.version);
  if (data && data !== map.data) {
    map.data = data;
    map.at = indexedCells(data);
    map.hover = map.cursor = -1;
    // a zoom that is still under way keeps its own look until its cells come
    if (!map.timer && !map.drag) map.look = lookOf(data.part);
    map.shell.stage.style.height = `${stageHeight(map.shell.stage, settings.height, map.at.n ? MAP_HEIGHT : 0)}px`;
  }
  if (!map.data) return;
  if (!map.timer) map.trail = settings.trail;
  map.shell.stage.setAttribute("aria-label",
    `Map of ${countText(map.data.run_nodes)} nodes by depth and leaf order. Arrow keys move between cells, Enter opens one, Backspace goes back, f shows the whole run.`);
  crumbs(map);
  mapLegend(map);
  map.draw();
}

const lookOf = ([leafFrom, leafTo, depthFrom, depthTo]) => ({ leaf: leafFrom ?? 0, leaves: (leafTo ?? 0) - (leafFrom ?? 0) + 1, depth: depthFrom ?? 0, depths: (depthTo ?? 0) - (depthFrom ?? 0) + 1 });

function indexedCells(data) {
  const [leafFrom, leafTo, depthFrom, depthTo] = data.part;
  const at = {
    n: data.column.length, start: null, order: null, labels: new Map(data.label),
    row: (leafTo - leafFrom + 1) / Math.max(1, data.map_rows), leaf: leafFrom, column: (depthTo - depthFrom + 1) / Math.max(1, data.map_columns), depth: depthFrom,
  };
  at.columns = Array.from({ length: data.map_columns }, () => []);
  for (let i = 0; i < at.n; i++) at.columns[data.column[i]].push(i);
  at.byRow = at.columns.map((cells) => [...cells].sort((a, b) => data.row_from[a] - data.row_from[b]));
  return at;
}

const shallowest = (data, i) => data.depth_from[i] ?? data.part[2] + data.column[i];
const deepest = (data, i) => data.depth_to[i] ?? data.part[2] + data.column[i];

/** Left, top, width and height of a cell on the stage. */
function boxOf(map, i) {
  const { data, at, look, shell } = map;
  const [width, height] = [shell.stage.clientWidth, shell.stage.clientHeight - MAP_HEAD];
  const kx = width / look.depths, ky = height / look.leaves, ratio = window.devicePixelRatio || 1;
  const left = (at.depth + data.column[i] * at.column - look.depth) * kx;
  const top = MAP_HEAD + (at.leaf + data.row_from[i] * at.row - look.leaf) * ky;
  const sharp = (pixels) => Math.round(pixels * ratio) / ratio;
  const bottom = MAP_HEAD + (at.leaf + (data.row_to[i] + 1) * at.row - look.leaf) * ky;
  return [sharp(left), sharp(top), sharp(left + at.column * kx) - sharp(left), Math.max(1 / ratio, sharp(bottom) - sharp(top))];
}

// drawing -----------------------------------------------------------------------------------------------------------------------

function drawMap(map) {
  const { shell, data, theme, at } = map;
  const [width, height] = [shell.stage.clientWidth, shell.stage.clientHeight];
  const ctx = surface(shell.canvas, width, height);
  ctx.textBaseline = "middle";
  if (!at.n) {
    ctx.font = `13px ${theme.font}`;
    ctx.fillStyle = theme.dim;
    return ctx.fillText(data.run_nodes ? "No node lies in this part." : "This run recorded no nodes.", 12, 40);
  }
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, MAP_HEAD, width, height - MAP_HEAD);
  ctx.clip();
  ctx.font = `11px ${theme.code}`;
  for (let i = 0; i < at.n; i++) drawCell(map, ctx, i, height);
  drawPathLine(map, ctx);
  drawPlace(map, ctx);
  for (const [i, color] of [[map.hover, theme.dim], [map.cursor, theme.text]]) if (i >= 0) outlineCell(map, ctx, i, color);
  ctx.restore();
  drawDepths(map, ctx, width);
}

function drawCell(map, ctx, i, stageBottom) {
  const { theme, at } = map;
  const [left, top, width, height] = boxOf(map, i);
  if (top > stageBottom || top + height < MAP_HEAD) return;
  const color = cellColor(map, i);
  ctx.fillStyle = `rgb(${color.join(",")})`;
  ctx.fillRect(left, top, width - (width > 6 ? 1 : 0), height - (height > 7 ? 1 : 0));
  const label = at.labels.get(i);
  if (!label || height < 13 || width < 60) return;
  ctx.fillStyle = luminance(color) > 0.52 ? "#15181c" : "#ffffff";
  ctx.fillText(fitted(ctx, label, width - 12), left + 5, Math.max(top, MAP_HEAD) + Math.min(height, 22) / 2);
}

/** By score: the best score, fainter the more of the cell was pruned. By fate: the share pruned alone. */
function cellColor(map, i) {
  const { data, theme, settings } = map;
  const pruned = Math.max(0, data.pruned[i]) / 100;
  const { background, text } = theme.rgb;
  if (settings.color === "fate") {
    if (data.pruned[i] < 0) return mix(text, background, 0.82);
    return mix(channels(theme.fate[EXPANDED]), mix(text, background, 0.78), pruned);
  }
  const base = data.best[i] === null ? mix(text, background, 0.82) : rampChannels(data.norm[i] < 0 ? 0.5 : data.norm[i] / 255);
  return mix(base, background, pruned * 0.72);
}

/** The selected path as one line through the smallest of its cells in each column. */
function drawPathLine(map, ctx) {
  const { data, at, theme } = map;
  const points = at.columns.flatMap((cells) => {
    const own = cells.filter((i) => data.on_path[i]).sort((a, b) => data.row_to[a] - data.row_from[a] - data.row_to[b] + data.row_from[b]);
    if (!own.length) return [];
    const [left, top, width, height] = boxOf(map, own[0]);
    return [[left, top + height / 2], [left + width, top + height / 2]];
  });
  for (const [color, width] of [[theme.background, 4.5], [theme.path, 2.5]]) {
    ctx.strokeStyle = color;
    ctx.lineWidth = width;
    ctx.lineJoin = "round";
    ctx.beginPath();
    points.forEach(([x, y], step) => (step ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.stroke();
  }
}

function drawPlace(map, ctx) {
  const { settings, look, shell, theme } = map;
  if (!settings.selected_at) return;
  const [depth, low, high] = settings.selected_at;
  const kx = shell.stage.clientWidth / look.depths, ky = (shell.stage.clientHeight - MAP_HEAD) / look.leaves;
  const height = Math.max(7, (high - low + 1) * ky), width = Math.max(7, kx);
  const left = (depth + 0.5 - look.depth) * kx - width / 2, top = MAP_HEAD + ((low + high + 1) / 2 - look.leaf) * ky - height / 2;
  ring(ctx, left, top, width, height, theme.background, 5);
  ring(ctx, left, top, width, height, theme.text, 2.2);
}

function ring(ctx, left, top, width, height, color, weight) {
  ctx.strokeStyle = color;
  ctx.lineWidth = weight;
  ctx.strokeRect(left, top, width, height);
}

function outlineCell(map, ctx, i, color) {
  const [left, top, width, height] = boxOf(map, i);
  ring(ctx, left, top, width - 1, height, map.theme.background, 3.5);
  ring(ctx, left, top, width - 1, height, color, 1.6);
}

function drawDepths(map, ctx, width) {
  const { theme, look } = map;
  const kx = width / look.depths;
  ctx.fillStyle = theme.background;
  ctx.fillRect(0, 0, width, MAP_HEAD - 1);
  ctx.font = `12px ${theme.font}`;
  ctx.fillStyle = theme.dim;
  let every = 1;
  for (let scale = 1; every * kx < 42; scale *= 10) every = [1, 2, 5].map((part) => part * scale).find((step) => step * kx >= 42) ?? every;
  const first = Math.ceil(look.depth / every) * every;
  for (let depth = first; depth < look.depth + look.depths; depth += every) {
    const x = (depth - look.depth + 0.5) * kx;
    const text = depth === first ? `depth ${countText(depth)}` : countText(depth);
    const half = ctx.measureText(text).width / 2;
    ctx.fillText(text, Math.min(Math.max(x - half, 2), width - 2 * half - 2), 11);
  }
}

/** Where one is, each step of the way back a button. */
function crumbs(map) {
  const { note } = map.shell;
  const { data } = map;
  note.hidden = false;
  note.replaceChildren();
  const parts = [`Whole run: ${countText(data.run_nodes)} nodes, ${countText(data.run_leaves)} leaves`, ...map.trail.map(partText)];
  if (map.trail.length && !map.timer) parts[parts.length - 1] = partText(data.part);
  parts.forEach((text, step) => {
    if (step) child(note, "span", "quiet", "›");
    const last = step === parts.length - 1;
    const item = child(note, last ? "span" : "button", "", text);
    if (!last) item.onclick = () => zoomTo(map, map.trail.slice(0, step), false);
  });
}

const partText = ([leafFrom, leafTo, depthFrom, depthTo]) => `leaves ${countText(leafFrom)}–${countText(leafTo)}, depth ${countText(depthFrom)}–${countText(depthTo)}`;

function mapLegend(map) {
  const { shell, theme, data, settings } = map;
  shell.bar.replaceChildren();
  const box = (color) => (ctx) => { ctx.fillStyle = color; ctx.fillRect(2, 1, 14, 12); };
  const css = (rgb) => `rgb(${rgb.join(",")})`;
  if (settings.color === "fate") {
    legendGlyph(shell.bar, theme, "none pruned", box(theme.fate[EXPANDED]));
    legendGlyph(shell.bar, theme, "all pruned", box(css(mix(theme.rgb.text, theme.rgb.background, 0.78))));
  } else if (data.score_range) {
    showRamp(shell.bar, data.score_range, "best score");
    legendGlyph(shell.bar, theme, "fainter: more pruned", box(css(mix(rampChannels(0.8), theme.rgb.background, 0.72))));
  }
  if (settings.color !== "fate" && data.best.includes(null)) legendGlyph(shell.bar, theme, "no score", box(css(mix(theme.rgb.text, theme.rgb.background, 0.82))));
  if (data.on_path.includes(1)) legendGlyph(shell.bar, theme, "selected path", (ctx) => line(ctx, theme.path, 3, [], [1, 7], [17, 7]));
  if (settings.selected_at) legendGlyph(shell.bar, theme, "inspected", (ctx) => ring(ctx, 4, 2, 10, 10, theme.text, 2.2));
  child(shell.bar, "span", "keys", "click: one node opens, many zoom · wheel zoom · drag pan · Backspace back · f whole run");
}
