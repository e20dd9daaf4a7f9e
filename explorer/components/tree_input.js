// What does the reader ask of the tree? Pointer, wheel and keys; a key press is never waited for.

/** The node at a point of the stage, -1 for none: a binary search in each column whose text may reach the point. */
function hit(tree, px, py) {
  const { cam, at, data } = tree;
  if (!at?.n || py < HEAD - 2) return -1;
  const leaf = (py - cam.y) / cam.ky - 0.5;
  const tolerance = Math.min(Math.max(cam.ky / 2, 7), 12);
  const nearest = columnAt(tree, px + 10);
  for (let c = nearest; c >= Math.max(0, nearest - REACH); c--) {
    const i = closest(tree, c, leaf);
    if (i < 0 || Math.abs(screenY(tree, i) - py) > tolerance) continue;
    const dx = px - screenX(tree, i);
    if (dx >= -10 && dx <= Math.max(10, tree.widths.get(i)?.total ?? 0)) return i;
  }
  return -1;
}

function closest(tree, column, leaf) {
  const { at, data } = tree;
  let [low, high] = [at.start[column], at.start[column + 1]];
  if (low === high) return -1;
  const first = low, behind = high;
  while (low < high) {
    const half = (low + high) >> 1;
    if (middle(data, at.order[half]) < leaf) low = half + 1;
    else high = half;
  }
  const near = [low - 1, low].filter((k) => k >= first && k < behind).map((k) => at.order[k]);
  return near.sort((a, b) => Math.abs(middle(data, a) - leaf) - Math.abs(middle(data, b) - leaf))[0];
}

function wheel(tree, event) {
  if (!tree.cam) return;
  const [x, y] = pointerAt(tree.shell, event);
  const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
  if (zoom(tree, Math.exp(-Math.max(-240, Math.min(240, pixels)) * 0.0022), x, y)) {
    event.preventDefault();
    tree.shell.tip.hidden = true;
  }
}

function down(tree, event) {
  if (event.button || !tree.cam) return;
  const [x, y] = pointerAt(tree.shell, event);
  tree.drag = { x, y, camX: tree.cam.x, camY: tree.cam.y, far: false };
  tree.shell.stage.setPointerCapture(event.pointerId);
}

function moved(tree, event) {
  const [x, y] = pointerAt(tree.shell, event);
  const { drag } = tree;
  if (!drag) {
    const i = hit(tree, x, y);
    hovered(tree, i);
    if (i >= 0) showTip(tree.shell, x, y, tipLines(tree, i));
    return;
  }
  if (!drag.far && Math.hypot(x - drag.x, y - drag.y) < DRAG) return;
  drag.far = true;
  tree.fitted = false;
  tree.shell.tip.hidden = true;
  tree.shell.stage.classList.add("dragging");
  tree.cam.x = drag.camX + x - drag.x;
  tree.cam.y = drag.camY + y - drag.y;
  clampCamera(tree);
  tree.draw();
}

function up(tree, event) {
  const { drag } = tree;
  tree.drag = null;
  tree.shell.stage.classList.remove("dragging");
  if (!drag || drag.far) return;
  const i = hit(tree, ...pointerAt(tree.shell, event));
  if (i >= 0) choose(tree, i, true);
}

function hovered(tree, i) {
  tree.shell.stage.classList.toggle("picks", i >= 0);
  if (i < 0) tree.shell.tip.hidden = true;
  if (i === tree.hover) return;
  tree.hover = i;
  tree.draw();
}

function tipLines(tree, i) {
  const { data, at } = tree;
  const lines = [{ text: described(data, i) }];
  if (data.label[i] !== null) lines.push({ text: data.label[i], code: true });
  const further = data.extra_edges.length ? (at.extra.get(i) ?? []).filter(([to]) => to === i).map(([, from]) => data.id[from]) : [];
  if (further.length) lines.push({ text: `merged: the first logged parent is the primary one; further ${further.join(", ")}` });
  if (at.missing.has(i)) lines.push({ text: `its parent ${at.missing.get(i)} is not in the log` });
  if (data.flag[i] & CUT) lines.push({ text: "its parent is not drawn" });
  if (data.badge[i]) lines.push({ text: `${countText(data.badge[i])} nodes below are not drawn` });
  return lines;
}

function choose(tree, i, now) {
  tree.choice.pick(tree.data.id[i], now);
  tree.shell.live.textContent = described(tree.data, i);
  if (!now) reveal(tree, i);
  tree.draw();
}

function pressed(tree, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !tree.at?.n) return;
  const [width, height] = size(tree);
  if (event.key === "f") {
    tree.cam = whole(tree);
    tree.fitted = true;
    tree.draw();
  } else if (event.key === "+" || event.key === "=") zoom(tree, 1.3, width / 2, height / 2);
  else if (event.key === "-") zoom(tree, 1 / 1.3, width / 2, height / 2);
  else if (event.key === "Enter") tree.choice.flush();
  else {
    const next = step(tree, event.key);
    if (next === undefined) return;
    if (next >= 0) choose(tree, next, false);
  }
  event.preventDefault();
  event.stopPropagation();
}

/** The node that a key leads to: -1 where the way ends, undefined for a key that means nothing here. */
function step(tree, key) {
  const { data, at } = tree;
  const current = currentOf(tree);
  if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(key)) return undefined;
  if (key === "End") return at.pathEnd >= 0 ? at.pathEnd : at.n - 1;
  if (key === "Home" || current < 0) return 0;
  if (key === "ArrowLeft") return data.parent_index[current];
  if (key === "ArrowRight") {
    const below = at.children.subarray(at.childStart[current], at.childStart[current + 1]);
    return below.find((c) => data.flag[c] & ON_PATH) ?? below[0] ?? -1;
  }
  const column = at.column[current];
  const beside = closestPosition(tree, column, current) + (key === "ArrowUp" ? -1 : 1);
  return beside >= at.start[column] && beside < at.start[column + 1] ? at.order[beside] : -1;
}

/** Position of a node in the order of its column. Beyond the last sibling the next family's follow. */
function closestPosition(tree, column, i) {
  const { at } = tree;
  let [low, high] = [at.start[column], at.start[column + 1]];
  while (low < high) {
    const half = (low + high) >> 1;
    if (at.order[half] < i) low = half + 1;
    else high = half;
  }
  return low;
}

export default mounted(createTree);
