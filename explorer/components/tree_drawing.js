// What is seen of the tree? Only what touches the stage; text only where its own rows are high enough for it.

const currentOf = (tree) => tree.at.index.get(tree.choice.current) ?? -1;

function drawTree(tree) {
  const [width, height] = size(tree);
  const ctx = surface(tree.shell.canvas, width, height);
  tree.widths.clear();
  tree.callout = null;
  if (!tree.at.n) return emptyNote(ctx, tree, "This run recorded no nodes.");
  tree.font = `${Math.min(TREE_FONT, Math.max(TEXT_LEAST, tree.cam.ky * 0.95))}px ${tree.theme.code}`;
  ctx.font = tree.font;
  ctx.textBaseline = "middle";
  tree.charWidth = ctx.measureText("0").width;
  const seen = inSight(tree, width, height);
  for (const i of seen.nodes) measureLabel(tree, ctx, i, width);
  drawStubs(tree, ctx, seen);
  drawEdges(tree, ctx, seen);
  drawExtra(tree, ctx);
  drawMarks(tree, ctx, seen);
  for (const i of seen.nodes) {
    const { data, theme, settings } = tree;
    const color = nodeColor(theme, settings.color, data.fate[i], data.flag[i], data.score[i], data.norm[i]);
    glyph(ctx, screenX(tree, i), screenY(tree, i), radiusOf(tree, i), data.fate[i], data.flag[i], color, theme);
  }
  for (const i of seen.nodes) drawLabel(tree, ctx, i);
  drawCallout(tree, ctx);
  drawHead(tree, ctx, width);
}

function emptyNote(ctx, tree, text) {
  ctx.font = `13px ${tree.theme.font}`;
  ctx.fillStyle = tree.theme.dim;
  ctx.fillText(text, 12, 30);
}

/** Nodes whose subtree touches the stage (`parents`: their edges may show) and those that stand on it. */
function inSight(tree, width, height) {
  const { cam, at, data } = tree;
  const from = Math.max(0, columnAt(tree, -REACH) - 1), to = columnAt(tree, width + REACH);
  const [low, high] = [(HEAD - 8 - cam.y) / cam.ky - 1, (height + 8 - cam.y) / cam.ky];
  const parents = [], nodes = [];
  for (let c = from; c <= to; c++) {
    for (let k = firstReaching(tree, c, low); k < at.start[c + 1]; k++) {
      const i = at.order[k];
      if (data.lo[i] > high) break;
      parents.push(i);
      const leaf = middle(data, i);
      if (leaf >= low && leaf <= high) nodes.push(i);
    }
  }
  return { parents, nodes };
}

/** Position in the order of a column of its first node that reaches down to a leaf row. */
function firstReaching(tree, column, leaf) {
  const { at, data } = tree;
  let [low, high] = [at.start[column], at.start[column + 1]];
  while (low < high) {
    const half = (low + high) >> 1;
    if (data.hi[at.order[half]] < leaf) low = half + 1;
    else high = half;
  }
  return low;
}

function radiusOf(tree, i) {
  const { data, cam } = tree;
  const rows = (data.hi[i] - data.lo[i] + 1) * cam.ky;
  return Math.max(1.5, Math.min(rows * 0.42, cam.kx * 0.3, 5));
}

/** What is written at a node, and how wide: text stands only where its own rows are high enough, so it never overlaps. */
function measureLabel(tree, ctx, i, width) {
  const { data, at, cam } = tree;
  const leaf = at.childStart[i] === at.childStart[i + 1];
  const room = leaf ? width - screenX(tree, i) - 16 : columnX(tree, at.column[i] + 1) - screenX(tree, i) - 46;
  if ((data.hi[i] - data.lo[i] + 1) * cam.ky < ROW_TEXT || room < 22 || (leaf && cam.kx < 26)) return i === currentOf(tree) ? callout(tree, ctx, i, width) : undefined;
  const top = data.parent_index[i] < 0;
  const score = at.scored && !(top && data.score[i] === null) ? (at.scoreChars + 1) * tree.charWidth : 0;
  const badge = data.badge[i] ? `▸ ${countText(data.badge[i])} below` : "";
  const badgeWidth = badge ? ctx.measureText(badge).width + 10 : 0;
  const own = data.label[i] ?? (top && !(data.flag[i] & (ORPHAN | CUT)) ? "(root)" : data.id[i]);
  const text = fitted(ctx, own, Math.max(0, room - score - badgeWidth));
  const textWidth = text ? ctx.measureText(text).width : 0;
  tree.widths.set(i, { score, text, textWidth, badge, total: 10 + score + textWidth + badgeWidth });
}

/** The inspected node says what it is also where there is no room for text: on a plate over its neighbours. */
function callout(tree, ctx, i, width) {
  const { data } = tree;
  const own = [tree.at.scored ? scoreText(data.score[i]) : "", data.label[i] ?? data.id[i]].filter(Boolean).join(" ");
  const text = fitted(ctx, own, Math.min(330, width - screenX(tree, i) - 36));
  tree.callout = text ? { i, text, textWidth: ctx.measureText(text).width } : null;
}

function drawCallout(tree, ctx) {
  const { theme, callout } = tree;
  if (!callout) return;
  const [x, y] = [screenX(tree, callout.i), screenY(tree, callout.i)];
  ctx.beginPath();
  ctx.roundRect(x + 12, y - 10, callout.textWidth + 16, 20, 5);
  ctx.fillStyle = theme.background;
  ctx.fill();
  ctx.strokeStyle = theme.edge;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.font = tree.font;
  ctx.fillStyle = theme.text;
  ctx.fillText(callout.text, x + 20, y + 0.5);
}

function drawLabel(tree, ctx, i) {
  const label = tree.widths.get(i);
  if (!label) return;
  const { data, theme } = tree;
  const [x, y] = [screenX(tree, i) + 10, screenY(tree, i) + 0.5];
  const quiet = data.fate[i] === PRUNED && i !== currentOf(tree);
  const onPath = data.flag[i] & ON_PATH;
  ctx.font = `${onPath ? "600 " : ""}${tree.font}`;
  if (label.score) {
    ctx.fillStyle = quiet || data.score[i] === null ? theme.dim : theme.text;
    ctx.textAlign = "right";
    ctx.fillText(scoreText(data.score[i]), x + label.score - tree.charWidth, y);
    ctx.textAlign = "left";
  }
  ctx.fillStyle = quiet || data.label[i] === null ? theme.dim : theme.text;
  ctx.fillText(label.text, x + label.score, y);
  if (!label.badge) return;
  ctx.font = tree.font;
  ctx.fillStyle = theme.link;
  ctx.fillText(label.badge, x + label.score + label.textWidth + 8, y);
}

function drawEdges(tree, ctx, seen) {
  const { data, at, theme, cam } = tree;
  const plain = new Path2D(), pruned = new Path2D(), path = new Path2D();
  for (const p of seen.parents) {
    const [x, y] = [screenX(tree, p), screenY(tree, p)];
    const from = x + (tree.widths.get(p)?.total ?? radiusOf(tree, p)) + 2;
    let last = -1e9;
    for (let k = at.childStart[p]; k < at.childStart[p + 1]; k++) {
      const c = at.children[k], cy = screenY(tree, c);
      const onPath = data.flag[c] & ON_PATH && data.flag[p] & ON_PATH;
      if (!onPath && Math.abs(cy - last) < 0.6) continue;
      last = cy;
      curve(onPath ? path : data.fate[c] === PRUNED ? pruned : plain, Math.min(from, screenX(tree, c) - 9), y, screenX(tree, c) - radiusOf(tree, c) - 1, cy);
    }
  }
  const dense = cam.ky < 3, thread = cam.ky < 0.8 ? theme.faint : theme.thread;
  strokePath(ctx, pruned, dense ? theme.faint : theme.edge, dense ? 0.7 : 0.9, dense ? [] : [3, 3]);
  strokePath(ctx, plain, dense ? thread : theme.edge, dense ? 0.9 : 1.1, []);
  strokePath(ctx, path, theme.path, cam.ky < 1 && tree.at.leaves > 2 ? 2 : 3, []);
}

function curve(path, x, y, toX, toY) {
  path.moveTo(x, y);
  if (toX - x < 10 || Math.abs(toY - y) < 0.5) return path.lineTo(toX, toY);
  const bend = (toX - x) * 0.5;
  path.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
}

function strokePath(ctx, path, color, width, dash) {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.stroke(path);
  ctx.setLineDash([]);
}

/** Links to further parents: all where they are few, else those of the node at hand. */
function drawExtra(tree, ctx) {
  const { data, at, theme } = tree;
  const mine = [...(at.extra.get(tree.hover) ?? []), ...(at.extra.get(currentOf(tree)) ?? [])];
  const edges = data.extra_edges.length <= EXTRA_MOST ? data.extra_edges : mine;
  const all = new Path2D(), held = new Path2D();
  for (const edge of edges) extraCurve(tree, mine.includes(edge) ? held : all, ...edge);
  strokePath(ctx, all, theme.merged, 1.4, [6, 4]);
  strokePath(ctx, held, theme.merged, 2.4, [6, 4]);
}

/** One link to a further parent. Where it would run back over the text of its column it swings out to the left. */
function extraCurve(tree, path, to, from) {
  const { at, widths } = tree;
  const [x, y, toX, toY] = [screenX(tree, from), screenY(tree, from), screenX(tree, to), screenY(tree, to)];
  const end = toX - radiusOf(tree, to) - 2;
  if (at.column[to] > at.column[from]) {
    const leaf = at.childStart[from] === at.childStart[from + 1];
    return curve(path, Math.min(x + ((leaf ? null : widths.get(from)?.total) ?? radiusOf(tree, from)) + 3, end - 14), y, end, toY);
  }
  const swing = Math.min(46, 14 + Math.abs(toY - y) * 0.12);
  path.moveTo(x - radiusOf(tree, from) - 2, y);
  path.bezierCurveTo(x - swing, y, toX - swing, toY, end, toY);
}

/** What stands at the left of a top: one line for several roots, a stub for each node whose parent is not there. */
function drawStubs(tree, ctx, seen) {
  const { data, at, theme } = tree;
  if (at.tops.length > 1) {
    const x = tree.cam.x - 24;
    line(ctx, theme.edge, 1.5, [2, 3], [x, screenY(tree, at.tops[0])], [x, screenY(tree, at.tops.at(-1))]);
  }
  for (const i of seen.nodes) {
    if (data.parent_index[i] >= 0) continue;
    const [x, y, r] = [screenX(tree, i), screenY(tree, i), radiusOf(tree, i)];
    if (data.flag[i] & (ORPHAN | CUT)) missingStub(ctx, theme, x, y, r, data.flag[i] & ORPHAN);
    else if (at.tops.length > 1) line(ctx, theme.edge, 1.2, [2, 3], [tree.cam.x - 24, y], [x - r - 1, y]);
  }
}

function missingStub(ctx, theme, x, y, r, orphan) {
  const color = orphan ? theme.fate[UNSCORED] : theme.dim;
  line(ctx, color, 1.4, [2, 2], [x - 24, y], [x - r - 1, y]);
  if (r < 3) return;
  ctx.strokeStyle = color;
  ctx.setLineDash([2, 2]);
  ctx.strokeRect(x - 35.5, y - 5.5, 11, 11);
  ctx.setLineDash([]);
  ctx.fillStyle = color;
  ctx.textAlign = "center";
  ctx.fillText(orphan ? "?" : "…", x - 30, y + 0.5);
  ctx.textAlign = "left";
}

/** Halos behind what is lit, hovered or inspected. */
function drawMarks(tree, ctx, seen) {
  const { theme } = tree, current = currentOf(tree);
  ctx.fillStyle = theme.lit;
  for (const i of seen.nodes) if (tree.lit.has(i)) disc(ctx, screenX(tree, i), screenY(tree, i), radiusOf(tree, i) + 5, "fill");
  if (tree.hover >= 0 && tree.hover !== current) {
    ctx.strokeStyle = theme.edge;
    ctx.lineWidth = 1.5;
    disc(ctx, screenX(tree, tree.hover), screenY(tree, tree.hover), radiusOf(tree, tree.hover) + 3.5, "stroke");
  }
  if (current < 0) return;
  const [x, y, label] = [screenX(tree, current), screenY(tree, current), tree.widths.get(current)];
  ctx.fillStyle = theme.panel;
  if (label) {
    ctx.beginPath();
    ctx.roundRect(x - 12, y - 9, label.total + 18, 18, 9);
    ctx.fill();
  }
  ctx.strokeStyle = theme.text;
  ctx.lineWidth = 2.2;
  disc(ctx, x, y, Math.max(radiusOf(tree, current), 3) + 4.5, "stroke");
}

function disc(ctx, x, y, radius, how) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 7);
  ctx[how]();
}

/** Depths on top, as many as there is room for. */
function drawHead(tree, ctx, width) {
  const { theme, cam, at } = tree;
  ctx.fillStyle = theme.background;
  ctx.fillRect(0, 0, width, HEAD - 3);
  line(ctx, theme.faint, 1, [], [0, HEAD - 3.5], [width, HEAD - 3.5]);
  ctx.font = `12px ${theme.font}`;
  ctx.fillStyle = theme.dim;
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((step) => step * cam.kx >= 40) ?? 20000;
  const first = Math.ceil(Math.max(0, columnX(tree, columnAt(tree, 0)) < -4 ? columnAt(tree, 0) + 1 : columnAt(tree, 0)) / every) * every;
  let free = 0;
  for (let c = first; c < at.columns && columnX(tree, c) < width; c += every) {
    const x = columnX(tree, c);
    const text = c === first ? `depth ${c}` : countText(c), wide = ctx.measureText(text).width;
    const left = Math.max(2, x - (x < 40 ? 5 : wide / 2));
    if (left < free) continue;
    ctx.fillText(text, left, 10);
    free = left + wide + 10;
  }
}

function treeLegend(tree) {
  const { data, theme, at, settings, shell } = tree;
  const extras = [];
  if (at.pathEnd >= 0) extras.push({ text: "selected path", draw: (ctx) => line(ctx, theme.path, 3, [], [1, 7], [17, 7]) });
  if (data.extra_edges.length) {
    const few = data.extra_edges.length <= EXTRA_MOST;
    extras.push({ text: few ? "further parent" : "further parent, of the node at hand", draw: (ctx) => line(ctx, theme.merged, 2, [5, 3], [1, 7], [17, 7]) });
  }
  if (at.missing.size) extras.push({ text: "parent not in the log", draw: (ctx) => missingStub(ctx, theme, 30, 7, 1, true) });
  if (at.tops.length > 1) extras.push({ text: `${countText(at.tops.length)} roots`, draw: (ctx) => line(ctx, theme.edge, 1.5, [2, 3], [9, 0], [9, 14]) });
  if (tree.lit.size) extras.push({ text: settings.lit_as ?? "found", draw: (ctx) => { ctx.fillStyle = theme.lit; disc(ctx, 9, 7, 6, "fill"); } });
  showLegend(shell, theme, data, settings.color, extras, "← → parent, child · ↑ ↓ siblings · f fit · wheel zoom · drag pan");
}
