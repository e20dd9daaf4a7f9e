// What does the reader ask of the map? One node opens, many zoom; the picture follows at once and its cells come after.

function cellAt(map, x, y) {
  const { data, at, look, shell } = map;
  if (!at?.n || y < MAP_HEAD) return -1;
  const depth = look.depth + (x / shell.stage.clientWidth) * look.depths;
  const leaf = look.leaf + ((y - MAP_HEAD) / (shell.stage.clientHeight - MAP_HEAD)) * look.leaves;
  const row = (leaf - at.leaf) / at.row;
  const inside = (at.columns[Math.floor((depth - at.depth) / at.column)] ?? []).filter((i) => data.row_from[i] <= row && row < data.row_to[i] + 1);
  return inside.at(-1) ?? -1;
}

function cellText(data, i) {
  const depth = deepest(data, i) === shallowest(data, i) ? `depth ${countText(shallowest(data, i))}` : `depth ${countText(shallowest(data, i))}–${countText(deepest(data, i))}`;
  const one = data.nodes[i] === 1;
  const score = data.best[i] === null ? "no score" : `${one ? "score" : "best score"} ${scoreText(data.best[i])}`;
  const pruned = data.pruned[i] < 0 ? "fate not recorded" : one ? (data.pruned[i] ? "pruned" : "not pruned") : `${data.pruned[i]}% pruned`;
  return `${depth} · ${countText(data.nodes[i])} ${one ? "node" : "nodes"} · ${score} · ${pruned}${data.on_path[i] ? " · on the selected path" : ""}`;
}

function openCell(map, i) {
  const { data } = map;
  const part = data.nodes[i] > 1 ? innerPart(data, i) : null;
  if (part) zoomTo(map, [...map.trail, part], false);
  else map.component.setStateValue("cell", [data.version, i, Date.now()]);
}

/** The part that a cell of many nodes opens; null where it could not be any narrower. */
function innerPart(data, i) {
  const [leafFrom, leafTo, depthFrom, depthTo] = data.part;
  // few leaves are there to be read, and the depths above them say nothing new
  const few = data.leaf_to[i] - data.leaf_from[i] < READABLE;
  const above = few ? Math.max(depthFrom, shallowest(data, i) - CONTEXT) : depthFrom;
  const part = [Math.max(leafFrom, data.leaf_from[i]), Math.min(leafTo, data.leaf_to[i]), above, depthTo];
  if (depthTo - depthFrom + 1 > data.map_columns) {
    const around = 2 * (deepest(data, i) - shallowest(data, i) + 1);
    part[2] = Math.max(depthFrom, shallowest(data, i) - Math.max(around, CONTEXT));
    part[3] = Math.min(depthTo, deepest(data, i) + around);
  }
  return part.some((end, at) => end !== data.part[at]) ? part : null;
}

function zoomTo(map, trail, wheeled) {
  clearTimeout(map.timer);
  map.timer = 0;
  map.trail = trail;
  map.wheeled = wheeled;
  const [leafTo, depthTo] = [map.data.run_leaves - 1, map.data.run_max_depth];
  if (!wheeled) map.look = lookOf(trail.at(-1) ?? [0, leafTo, 0, depthTo]);
  map.component.setStateValue("part", [trail, Date.now()]);
  map.draw();
}

/** Ask for the cells of where the look came to rest. */
function settle(map) {
  clearTimeout(map.timer);
  map.timer = setTimeout(() => {
    const { look, data } = map;
    const [, , depthFrom, depthTo] = map.trail.at(-1) ?? [0, 0, 0, data.run_max_depth];
    const part = [Math.floor(look.leaf), Math.min(data.run_leaves, Math.ceil(look.leaf + look.leaves)) - 1, depthFrom, depthTo];
    const everything = part[0] <= 0 && part[1] >= data.run_leaves - 1 && depthTo - depthFrom >= data.run_max_depth;
    zoomTo(map, everything ? [] : [...(map.wheeled ? map.trail.slice(0, -1) : map.trail), part], !everything);
  }, ZOOM_PAUSE);
}

function mapWheel(map, event) {
  if (!map.look || !map.at?.n) return;
  const [, y] = pointerAt(map.shell, event);
  const { look, data } = map;
  const share = Math.min(1, Math.max(0, (y - MAP_HEAD) / (map.shell.stage.clientHeight - MAP_HEAD)));
  const leaves = Math.min(data.run_leaves, Math.max(Math.min(6, data.run_leaves), look.leaves * Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.0025)));
  if (leaves === look.leaves) return;
  event.preventDefault();
  map.shell.tip.hidden = true;
  look.leaf = Math.min(data.run_leaves - leaves, Math.max(0, look.leaf + share * (look.leaves - leaves)));
  look.leaves = leaves;
  settle(map);
  map.draw();
}

function mapDown(map, event) {
  if (event.button || !map.look) return;
  const [x, y] = pointerAt(map.shell, event);
  map.drag = { x, y, leaf: map.look.leaf, far: false };
  map.shell.stage.setPointerCapture(event.pointerId);
}

function mapMoved(map, event) {
  const [x, y] = pointerAt(map.shell, event);
  const { drag, look, data, shell } = map;
  if (drag && (drag.far || Math.hypot(x - drag.x, y - drag.y) >= 4)) {
    drag.far = true;
    shell.tip.hidden = true;
    shell.stage.classList.add("dragging");
    const leaves = ((drag.y - y) / (shell.stage.clientHeight - MAP_HEAD)) * look.leaves;
    look.leaf = Math.min(data.run_leaves - look.leaves, Math.max(0, drag.leaf + leaves));
    return map.draw();
  }
  if (drag) return;
  const i = cellAt(map, x, y);
  shell.stage.classList.toggle("picks", i >= 0);
  if (i < 0) shell.tip.hidden = true;
  else showTip(shell, x, y, tipOfCell(map, i));
  if (i !== map.hover) {
    map.hover = i;
    map.draw();
  }
}

function tipOfCell(map, i) {
  const label = map.at.labels.get(i);
  const zooms = map.data.nodes[i] > 1 && innerPart(map.data, i);
  return [{ text: cellText(map.data, i) }, ...(label ? [{ text: label, code: true }] : []), { text: zooms ? "click to zoom in" : "click to inspect" }];
}

function mapUp(map, event) {
  const { drag } = map;
  map.drag = null;
  map.shell.stage.classList.remove("dragging");
  if (!drag) return;
  if (drag.far) return settle(map);
  const i = cellAt(map, ...pointerAt(map.shell, event));
  if (i < 0) return;
  map.cursor = i;
  openCell(map, i);
  map.draw();
}

function mapKey(map, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !map.at) return;
  if (event.key === "Backspace") zoomTo(map, map.trail.slice(0, -1), false);
  else if (event.key === "f" || event.key === "Home") zoomTo(map, [], false);
  else if (event.key === "Enter" && map.cursor >= 0) openCell(map, map.cursor);
  else if (event.key.startsWith("Arrow") && map.at.n) moveCursor(map, event.key);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function moveCursor(map, key) {
  const { data, at } = map;
  const from = Math.max(map.cursor, 0), column = data.column[from];
  let next = from;
  if (map.cursor >= 0 && (key === "ArrowUp" || key === "ArrowDown")) {
    const cells = at.byRow[column];
    next = cells[cells.indexOf(from) + (key === "ArrowUp" ? -1 : 1)] ?? from;
  } else if (map.cursor >= 0) {
    const way = key === "ArrowLeft" ? -1 : 1;
    let beside = column + way;
    while (at.byRow[beside] && !at.byRow[beside].length) beside += way;
    const center = (data.row_from[from] + data.row_to[from]) / 2;
    const distance = (i) => Math.max(data.row_from[i] - center, center - data.row_to[i], 0);
    next = (at.byRow[beside] ?? []).reduce((best, i) => (best < 0 || distance(i) < distance(best) ? i : best), -1);
    if (next < 0) next = from;
  }
  map.cursor = next;
  map.shell.live.textContent = cellText(data, next);
  map.draw();
}

export default mounted(createMap);
