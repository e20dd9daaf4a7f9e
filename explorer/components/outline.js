// What was each chosen step chosen from? An indented list, of which only the rows in sight are drawn.

const ROW = 21, TOP = 24, NODE_ROW = 0, MORE_ROW = 1, ABOVE_ROW = 2, OUTLINE_FONT = 12;

function createOutline(parent) {
  const shell = createShell(parent, "outline of the selected path");
  const list = {
    shell, data: null, at: null, hover: -1, theme: null, settings: {}, lit: new Set(), spacer: child(shell.stage, "div"),
    choice: createChoice((value) => list.component.setStateValue("node", value)),
  };
  shell.stage.classList.add("scrolls");
  list.draw = () => redraw(shell, () => drawOutline(list));
  list.close = listen(shell, {
    stage: {
      scroll: () => { shell.tip.hidden = true; list.draw(); }, pointermove: (event) => pointed(list, event),
      click: (event) => clicked(list, event), keydown: (event) => keyed(list, event), blur: () => list.choice.flush(),
      pointerleave: () => { list.hover = -1; list.draw(); },
    },
    changed: () => list.component && list.update(list.component),
    resized: () => list.data && list.draw(),
    arrived: () => list.component && list.update(list.component),
  });
  list.update = (component) => updateOutline(list, component);
  return list;
}

function updateOutline(list, component) {
  list.component = component;
  const settings = (list.settings = component.data);
  list.theme = themeOf(list.shell.root);
  const moved = list.choice.offer(settings.selected);
  const data = shelved(settings.key, settings.version);
  // rows for an older choice would take the current one off the list: wait for its own
  const stale = data && list.choice.pending() && list.at?.index.has(list.choice.current) && !data.id.includes(list.choice.current);
  if (data && data !== list.data && !stale) replaceRows(list, data);
  else if (moved && list.data) scrollTo(list, list.at.index.get(list.choice.current));
  if (!list.data) return;
  list.lit = new Set(settings.lit);
  const extras = list.data.flag.some((flag) => flag & ON_PATH)
    ? [{ text: "selected path", draw: (ctx) => line(ctx, list.theme.path, 3, [], [1, 7], [17, 7]) }] : [];
  showLegend(list.shell, list.theme, list.data, settings.color, extras, "↑ ↓ rows · ← → parent, child · Home End");
  list.draw();
}

/** New rows, with the current one where it stood, so that nothing jumps. */
function replaceRows(list, data) {
  const { shell, choice } = list;
  const first = !list.data || list.data.key !== data.key;
  const before = list.at?.index.get(choice.current);
  const offset = before === undefined ? null : before * ROW - shell.stage.scrollTop;
  list.data = data;
  list.at = indexedRows(data);
  list.hover = -1;
  shell.stage.setAttribute("aria-label",
    `Selected path and what it beat, ${countText(list.at.nodes)} of ${countText(data.run_nodes)} nodes. Arrow keys move from row to row.`);
  const height = stageHeight(shell.stage, list.settings.height, TOP + data.id.length * ROW + 10);
  shell.stage.style.height = `${height}px`;
  list.spacer.style.height = `${Math.max(0, TOP + data.id.length * ROW + 8 - height)}px`;
  const now = list.at.index.get(choice.current);
  if (now !== undefined && offset !== null && !first) shell.stage.scrollTop = now * ROW - offset;
  else scrollTo(list, now, true);
}

function indexedRows(data) {
  const n = data.id.length;
  const at = { n, index: new Map(), last: new Int32Array(n).fill(-1), low: 0, high: 0, nodes: 0 };
  for (let i = 0; i < n; i++) {
    const above = data.parent_index[i];
    if (above >= 0) at.last[above] = i;
    at.high = Math.max(at.high, data.level[i]);
    if (data.kind[i] !== NODE_ROW) continue;
    at.index.set(data.id[i], i);
    at.nodes++;
  }
  at.low = n ? data.level.reduce((least, level) => Math.min(least, level), Infinity) : 0;
  return at;
}

function scrollTo(list, row, middle) {
  if (row === undefined || row < 0) return;
  const { stage } = list.shell;
  const [top, height] = [row * ROW, stage.clientHeight - TOP];
  if (middle) stage.scrollTop = top - height / 2;
  else if (top < stage.scrollTop) stage.scrollTop = top;
  else if (top + ROW > stage.scrollTop + height) stage.scrollTop = top + ROW + 6 - height;
}

// drawing -----------------------------------------------------------------------------------------------------------------------

/** Widths of the columns; score and fate give way before the step does. */
function columnsOf(list, width) {
  const deep = list.at.high > 20;
  const rule = width >= 560 ? 132 : 0, bar = width >= 480 ? 66 : 0;
  const score = list.data.score_range ? bar + 58 : 0;
  return { left: deep ? 52 : 12, step: width - rule - score - 8, score: width - rule - score, bar, rule: width - rule, hasRule: rule > 0, deep };
}

function drawOutline(list) {
  const { shell, data, theme } = list;
  const [width, height] = [shell.stage.clientWidth, shell.stage.clientHeight];
  const ctx = surface(shell.canvas, width, height);
  ctx.textBaseline = "middle";
  if (!data.id.length) return emptyRows(ctx, theme);
  const columns = columnsOf(list, width);
  const top = shell.stage.scrollTop / ROW;
  const from = Math.max(0, Math.floor(top)), to = Math.min(data.id.length - 1, Math.ceil(top + (height - TOP) / ROW));
  const view = { ctx, width, height, columns, from, to, y: (row) => TOP + (row - top + 0.5) * ROW, x: indent(list, columns, top, (height - TOP) / ROW) };
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, TOP - 2, width, height - TOP + 2);
  ctx.clip();
  drawBands(list, view);
  drawElbows(list, view);
  for (let row = from; row <= to; row++) drawRow(list, view, row);
  ctx.restore();
  drawHeads(list, view);
}

function emptyRows(ctx, theme) {
  ctx.font = `13px ${theme.font}`;
  ctx.fillStyle = theme.dim;
  ctx.fillText("This run recorded no nodes.", 12, 30);
}

/** Place of each level. Where the levels do not fit, the list drifts sideways with its scrolling, so the text stays in sight. */
function indent(list, columns, top, rows) {
  const { level } = list.data;
  const room = (columns.step - columns.left) * 0.55;
  const plain = room / Math.max(1, list.at.high - list.at.low);
  if (plain >= 13) return (value) => columns.left + (value - list.at.low) * Math.min(18, plain);
  const least = (start) => {
    let low = Infinity;
    for (let row = start; row < Math.min(level.length, start + rows); row++) low = Math.min(low, level[row]);
    return Number.isFinite(low) ? low : level.at(-1);
  };
  const row = Math.floor(top), share = top - row;
  const base = least(row) * (1 - share) + least(row + 1) * share;
  const step = Math.min(16, Math.max(10, room / rows));
  return (value) => columns.left + (value - base) * step;
}

function drawBands(list, { ctx, width, y, from, to }) {
  const current = list.at.index.get(list.choice.current);
  for (let row = from; row <= to; row++) {
    const lit = list.lit.has(list.data.id[row]) && list.data.kind[row] === NODE_ROW;
    if (row !== current && row !== list.hover && !lit) continue;
    ctx.globalAlpha = row === current ? 1 : 0.55;
    ctx.fillStyle = lit && row !== current ? list.theme.lit : list.theme.panel;
    ctx.fillRect(0, y(row) - ROW / 2, width, ROW);
    ctx.globalAlpha = 1;
    if (row !== current) continue;
    ctx.fillStyle = list.theme.text;
    ctx.fillRect(0, y(row) - ROW / 2, 3, ROW);
  }
}

/** Lines from each row to its parent, also where the parent or the next child is out of sight. */
function drawElbows(list, view) {
  const { data, at, theme } = list;
  const { ctx, x, y, from, to, height } = view;
  const plain = new Path2D(), path = new Path2D();
  for (let row = from; row <= to; row++) {
    const above = data.kind[row] === MORE_ROW ? parentOfMore(list, row) : data.parent_index[row];
    if (above < 0) continue;
    const on = data.kind[row] === NODE_ROW && data.flag[row] & data.flag[above] & ON_PATH;
    const target = on ? path : plain;
    target.moveTo(x(data.level[above]), Math.max(y(above) + 5, -9));
    target.lineTo(x(data.level[above]), y(row));
    target.lineTo(x(data.level[row]) - 6, y(row));
  }
  for (let row = to + 1 < at.n ? data.parent_index[to + 1] : -1; row >= 0 && x(data.level[row]) > -20; row = data.parent_index[row]) {
    if (at.last[row] <= to) continue;
    const on = data.flag[row] & data.flag[at.last[row]] & ON_PATH;
    (on ? path : plain).moveTo(x(data.level[row]), Math.max(y(row) + 5, -9));
    (on ? path : plain).lineTo(x(data.level[row]), height);
  }
  for (const [lines, color, width] of [[plain, theme.faint, 1.3], [path, theme.path, 2.4]]) {
    ctx.strokeStyle = color;
    ctx.lineWidth = width;
    ctx.stroke(lines);
  }
}

function parentOfMore(list, row) {
  for (let at = row - 1; at >= Math.max(0, row - 200); at--) {
    if (list.data.kind[at] === NODE_ROW && list.data.level[at] === list.data.level[row]) return list.data.parent_index[at];
    if (list.data.level[at] < list.data.level[row]) return at;
  }
  return -1;
}

function drawRow(list, view, row) {
  const { data, theme, settings } = list;
  const { ctx, columns } = view;
  const [x, y] = [view.x(data.level[row]), view.y(row)];
  if (columns.deep && (row === view.from || data.level[row] !== data.level[row - 1])) {
    ctx.font = `11px ${theme.font}`;
    ctx.fillStyle = theme.dim;
    ctx.textAlign = "right";
    ctx.fillText(countText(data.kind[row] === ABOVE_ROW ? data.level[row] - 1 : data.level[row]), 38, y);
    ctx.textAlign = "left";
  }
  if (data.kind[row] !== NODE_ROW) return drawCount(list, view, row, x, y);
  const color = nodeColor(theme, settings.color, data.fate[row], data.flag[row], data.score[row], data.norm[row]);
  drawStep(list, view, row, x, y);
  glyph(ctx, x, y, 5, data.fate[row], data.flag[row], color, theme);
  drawScore(list, view, row, y, color);
  if (columns.hasRule) {
    ctx.font = `11.5px ${theme.font}`;
    ctx.fillStyle = theme.dim;
    ctx.fillText(fitted(ctx, fateText(data, row), 122), columns.rule + 6, y);
  }
}

function fateText(data, row) {
  if (data.flag[row] & ERROR) return "error";
  if (data.flag[row] & VERIFIED) return `${FATE_WORDS[data.fate[row]]} · verified`;
  if (data.flag[row] & REFUTED) return `${FATE_WORDS[data.fate[row]]} · refuted`;
  if (data.fate[row] === PRUNED) return data.rules[data.rule[row]] || "pruned, no rule";
  return FATE_WORDS[data.fate[row]];
}

function drawCount(list, { ctx }, row, x, y) {
  const { data, theme } = list;
  const count = countText(data.badge[row]);
  ctx.font = `11.5px ${theme.font}`;
  ctx.fillStyle = data.kind[row] === ABOVE_ROW ? theme.link : theme.dim;
  ctx.fillText(data.kind[row] === ABOVE_ROW ? `▴ ${count} levels above: go up` : `… ${count} more siblings`, x - 2, y);
}

function drawStep(list, { ctx, columns }, row, x, y) {
  const { data, theme } = list;
  const badge = data.badge[row] ? `▸ ${countText(data.badge[row])} below` : "";
  ctx.font = `${OUTLINE_FONT}px ${theme.code}`;
  const badgeWidth = badge ? ctx.measureText(badge).width + 14 : 0;
  const onPath = data.flag[row] & ON_PATH;
  if (onPath) ctx.font = `600 ${OUTLINE_FONT}px ${theme.code}`;
  const own = data.label[row] ?? (data.parent_index[row] < 0 && !data.level[row] ? "(root)" : data.id[row]);
  const text = fitted(ctx, own, Math.max(0, columns.step - x - 12 - badgeWidth));
  ctx.fillStyle = data.label[row] === null || (data.fate[row] === PRUNED && list.at.index.get(list.choice.current) !== row) ? theme.dim : theme.text;
  ctx.fillText(text, x + 12, y);
  if (!badge) return;
  const width = ctx.measureText(text).width;
  ctx.font = `${OUTLINE_FONT}px ${theme.code}`;
  ctx.fillStyle = theme.link;
  ctx.fillText(badge, x + 12 + width + 14, y);
}

function drawScore(list, { ctx, columns }, row, y, color) {
  const { data, theme, settings } = list;
  if (!data.score_range) return;
  if (columns.bar) {
    ctx.fillStyle = theme.faint;
    ctx.fillRect(columns.score, y - 4, columns.bar, 8);
    if (data.norm[row] !== null) {
      ctx.fillStyle = settings.color === "score" ? color : data.flag[row] & ON_PATH ? theme.path : data.fate[row] === PRUNED ? theme.dim : color;
      ctx.fillRect(columns.score, y - 4, Math.max(1, data.norm[row] * columns.bar), 8);
    }
  }
  ctx.font = `12px ${theme.font}`;
  ctx.fillStyle = data.score[row] === null ? theme.dim : theme.text;
  ctx.fillText(data.score[row] === null ? "no score" : scoreText(data.score[row]), columns.score + columns.bar + 6, y);
}

function drawHeads(list, { ctx, width, columns }) {
  const { theme, data } = list;
  line(ctx, theme.faint, 1, [], [0, TOP - 2.5], [width, TOP - 2.5]);
  ctx.font = `12px ${theme.font}`;
  ctx.fillStyle = theme.dim;
  ctx.fillText(columns.deep ? "depth" : "step (indent = depth)", columns.deep ? 8 : columns.left - 4, 10);
  if (columns.deep) ctx.fillText("step (indent = depth)", columns.left, 10);
  if (data.score_range) ctx.fillText(`score ${data.score_range.map(scoreText).join(" … ")}`, columns.score, 10);
  if (columns.hasRule) ctx.fillText("fate or rule", columns.rule + 6, 10);
}
