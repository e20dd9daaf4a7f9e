// What does the search tree look like, and where does the reader look? Draws, hit-tests and steps; tree.py has laid it out.

const ROW_MOST = 27, ROW_TEXT = 10, HEAD = 25, REACH = 40, DRAG = 4, EXTRA_MOST = 30, TREE_FONT = 11.5, TEXT_LEAST = 9.8, TEXT_COLUMNS = 12;

function createTree(parent) {
  const shell = createShell(parent, "search tree");
  const tree = {
    shell, data: null, at: null, cam: null, fitted: true, hover: -1, theme: null, settings: {}, lit: new Set(), widths: new Map(), drag: null,
    choice: createChoice((value) => tree.component.setStateValue("node", value)),
  };
  shell.stage.classList.add("drags");
  const draw = () => redraw(shell, () => drawTree(tree));
  tree.draw = draw;
  tree.close = listen(shell, {
    stage: {
      wheel: (event) => wheel(tree, event), pointerdown: (event) => down(tree, event), pointermove: (event) => moved(tree, event),
      pointerup: (event) => up(tree, event), pointercancel: () => (tree.drag = null), keydown: (event) => pressed(tree, event),
      blur: () => tree.choice.flush(), pointerleave: () => hovered(tree, -1),
    },
    changed: () => tree.component && tree.update(tree.component),
    resized: () => { if (tree.data) { if (tree.fitted) home(tree); clampCamera(tree); draw(); } },
    arrived: () => tree.component && tree.update(tree.component),
  });
  tree.update = (component) => update(tree, component);
  return tree;
}

function update(tree, component) {
  tree.component = component;
  const settings = component.data;
  tree.theme = themeOf(tree.shell.root);
  tree.settings = settings;
  const data = shelved(settings.key, settings.version);
  const other = data && data.key !== tree.data?.key;
  if (data && data !== tree.data) {
    tree.data = data;
    tree.at = indexed(data);
    tree.hover = -1;
    describe(tree);
    tree.shell.stage.style.height = `${stageHeight(tree.shell.stage, settings.height, HEAD + tree.at.leaves * ROW_MOST + 12)}px`;
    if (other || tree.fitted) home(tree);
  }
  if (!tree.data) return;
  tree.lit = new Set(settings.lit.map((id) => tree.at.index.get(id)).filter((at) => at !== undefined));
  if (tree.choice.offer(settings.selected) || other) reveal(tree, currentOf(tree));
  treeLegend(tree);
  tree.draw();
}

function describe(tree) {
  const { data, shell } = tree;
  const n = data.id.length;
  const part = n < data.run_nodes;
  shell.note.hidden = !part;
  shell.note.textContent = part
    ? `${countText(n)} of ${countText(data.run_nodes)} nodes are drawn: the selected path, then by depth. ▸ counts what lies below.` : "";
  shell.stage.setAttribute("aria-label", `Search tree, ${countText(n)} nodes. Arrow keys go to parent, child and siblings; f fits; plus and minus zoom.`);
}

/** Nodes by column and children by parent, as flat arrays, so that drawing and hit-testing search instead of looping. */
function indexed(data) {
  const n = data.id.length, column = data.column ?? data.depth, parent = data.parent_index;
  const columns = n ? column.reduce((most, value) => Math.max(most, value), 0) + 1 : 1;
  const at = { n, column, columns, index: new Map(), extra: new Map(), missing: new Map(data.missing_parent), leaves: 1, scored: !!data.score_range };
  [at.start, at.order] = grouped(column, columns, n);
  [at.childStart, at.children] = grouped(parent, n, n);
  at.tops = [];
  for (let i = 0; i < n; i++) {
    at.index.set(data.id[i], i);
    if (data.hi[i] >= at.leaves) at.leaves = data.hi[i] + 1;
    if (parent[i] < 0 && !(data.flag[i] & (ORPHAN | CUT))) at.tops.push(i);
  }
  for (const [to, from] of data.extra_edges) for (const end of [to, from]) at.extra.set(end, [...(at.extra.get(end) ?? []), [to, from]]);
  at.scoreChars = at.scored ? data.score.reduce((most, value) => Math.max(most, scoreText(value).length), 1) : 0;
  at.place = places(data, at);
  at.pathEnd = data.flag.findLastIndex((flag) => flag & ON_PATH);
  at.stubs = at.tops.length > 1 || data.flag.some((flag) => flag & (ORPHAN | CUT));
  return at;
}

/** Where each column begins, in widths of a full column: one whose steps are short needs less. */
function places(data, at) {
  const place = new Float64Array(at.columns + 1);
  for (let c = 0; c < at.columns; c++) {
    let longest = c === at.columns - 1 || at.columns > TEXT_COLUMNS ? 40 : 0;
    for (let k = at.start[c]; k < at.start[c + 1] && longest < 28; k++) {
      const i = at.order[k];
      if (at.childStart[i] < at.childStart[i + 1]) longest = Math.max(longest, (data.label[i] ?? "(root)").length);
    }
    place[c + 1] = place[c] + Math.min(1, 0.32 + longest / 40);
  }
  return place;
}

function grouped(key, groups, n) {
  const start = new Int32Array(groups + 1), members = new Int32Array(n);
  for (let i = 0; i < n; i++) if (key[i] >= 0) start[key[i] + 1]++;
  for (let g = 0; g < groups; g++) start[g + 1] += start[g];
  const next = start.slice();
  for (let i = 0; i < n; i++) if (key[i] >= 0) members[next[key[i]]++] = i;
  return [start, members];
}
