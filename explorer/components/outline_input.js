// What does the reader ask of the outline? A press moves at once; the page is told when the keys rest.

function rowAt(list, event) {
  const [, y] = pointerAt(list.shell, event);
  const row = Math.floor((y - TOP + list.shell.stage.scrollTop) / ROW);
  return list.at && y >= TOP - 2 && row >= 0 && row < list.at.n ? row : -1;
}

function pointed(list, event) {
  const row = rowAt(list, event);
  const selectable = row >= 0 && list.data.kind[row] !== MORE_ROW;
  list.shell.stage.classList.toggle("picks", selectable);
  if (row !== list.hover) {
    list.hover = selectable ? row : -1;
    list.draw();
  }
  if (!selectable || list.data.kind[row] !== NODE_ROW) return void (list.shell.tip.hidden = true);
  const lines = [{ text: described(list.data, row) }];
  if (list.data.label[row] !== null) lines.push({ text: list.data.label[row], code: true });
  if (list.data.badge[row]) lines.push({ text: `${countText(list.data.badge[row])} nodes below: click to list its children` });
  showTip(list.shell, ...pointerAt(list.shell, event), lines);
}

function clicked(list, event) {
  const row = rowAt(list, event);
  if (row < 0 || list.data.kind[row] === MORE_ROW || list.data.id[row] === null) return;
  chooseRow(list, row, true);
}

function chooseRow(list, row, now) {
  list.choice.pick(list.data.id[row], now);
  list.shell.live.textContent = list.data.kind[row] === NODE_ROW ? described(list.data, row) : `${list.data.badge[row]} levels above`;
  if (!now) scrollTo(list, row);
  list.draw();
}

function keyed(list, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !list.at?.n) return;
  if (event.key === "Enter") list.choice.flush();
  else {
    const row = nextRow(list, event.key);
    if (row === undefined) return;
    if (row >= 0 && list.data.id[row] !== null) chooseRow(list, row, false);
  }
  event.preventDefault();
  event.stopPropagation();
}

/** The row that a key leads to: -1 where the way ends, undefined for a key that means nothing here. */
function nextRow(list, key) {
  const { data, at } = list;
  const page = Math.max(1, Math.floor((list.shell.stage.clientHeight - TOP) / ROW) - 1);
  const strides = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page };
  const current = at.index.get(list.choice.current) ?? -1;
  if (key === "Home") return seek(data, 0, 1);
  if (key === "End") return seek(data, at.n - 1, -1);
  if (key in strides) {
    if (current < 0) return seek(data, 0, 1);
    const way = Math.sign(strides[key]);
    const target = Math.min(Math.max(current + strides[key], 0), at.n - 1);
    return target === current ? -1 : seek(data, target, way);
  }
  if (key === "ArrowLeft") return current < 0 ? 0 : data.parent_index[current] >= 0 ? data.parent_index[current] : aboveRow(data, current);
  if (key !== "ArrowRight") return undefined;
  for (let row = current + 1, first = -1; ; row++) {
    if (row >= at.n || (current >= 0 && data.level[row] <= data.level[current])) return first;
    if (data.kind[row] !== NODE_ROW || data.parent_index[row] !== current) continue;
    if (data.flag[row] & ON_PATH) return row;
    if (first < 0) first = row;
  }
}

function aboveRow(data, row) {
  for (let at = row - 1; at >= 0; at--) if (data.kind[at] === ABOVE_ROW && data.level[at] === data.level[row]) return at;
  return -1;
}

/** The nearest row from here on that is a node or leads to one. */
function seek(data, row, way) {
  while (row >= 0 && row < data.kind.length && data.kind[row] === MORE_ROW) row += way;
  return row >= 0 && row < data.kind.length ? row : -1;
}

export default mounted(createOutline);
