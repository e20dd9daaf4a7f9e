// Which part of the tree is on the stage? A place and two scales: pixels a depth, pixels a leaf.

const middle = (data, i) => (data.lo[i] + data.hi[i]) / 2;
const columnX = (tree, column) => tree.cam.x + tree.at.place[column] * tree.cam.kx;
const screenX = (tree, i) => columnX(tree, tree.at.column[i]);
const screenY = (tree, i) => tree.cam.y + (middle(tree.data, i) + 0.5) * tree.cam.ky;
const size = (tree) => [tree.shell.stage.clientWidth || 800, tree.shell.stage.clientHeight || 400];

/** Scale and place at which all of it is on the stage. */
function whole(tree) {
  const [width, height] = size(tree);
  const left = tree.at.stubs ? 48 : 22;
  const ky = Math.min(ROW_MOST, (height - HEAD - 8) / tree.at.leaves);
  const { place, columns } = tree.at;
  const room = ky >= ROW_TEXT ? (width - left) / place[columns] : (width - left - 28) / Math.max(0.5, place[columns - 1]);
  return { x: left, y: HEAD + 2, kx: Math.min(room, 300), ky };
}

/** Where a drawing opens: all of it, unless that would press its columns into a smear. */
function home(tree) {
  tree.cam = whole(tree);
  tree.cam.kx = Math.max(tree.cam.kx, 26);
  tree.fitted = true;
}

function clampCamera(tree) {
  const { cam, at } = tree;
  const [width, height] = size(tree);
  cam.x = Math.min(Math.max(cam.x, 60 - at.place[at.columns - 1] * cam.kx), width - 60);
  cam.y = Math.min(Math.max(cam.y, HEAD + 40 - at.leaves * cam.ky), height - 30);
}

function zoom(tree, factor, px, py) {
  const fit = whole(tree), { cam } = tree;
  const kx = Math.min(Math.max(cam.kx * factor, Math.min(fit.kx, 26)), Math.max(320, fit.kx));
  const ky = Math.min(Math.max(cam.ky * factor, fit.ky), Math.max(ROW_MOST, fit.ky) * 1.4);
  if (kx === cam.kx && ky === cam.ky) return false;
  cam.x = px - ((px - cam.x) * kx) / cam.kx;
  cam.y = py - ((py - cam.y) * ky) / cam.ky;
  cam.kx = kx;
  cam.ky = ky;
  tree.fitted = false;
  clampCamera(tree);
  tree.draw();
  return true;
}

/** Pan just so far that a node is in sight. */
function reveal(tree, i) {
  if (i < 0 || !tree.cam) return;
  const [width, height] = size(tree);
  const [x, y] = [screenX(tree, i), screenY(tree, i)];
  const [right, top] = [width - 60, HEAD + 16];
  if (x < 14) tree.cam.x += 90 - x;
  else if (x > right) tree.cam.x -= x - right + 120;
  if (y < top) tree.cam.y += top + 40 - y;
  else if (y > height - 16) tree.cam.y -= y - height + 56;
}

/** The last column that begins at or left of a point of the stage; the first one where none does. */
function columnAt(tree, x) {
  const { place, columns } = tree.at;
  const target = (x - tree.cam.x) / tree.cam.kx;
  let [low, high] = [0, columns - 1];
  while (low < high) {
    const half = (low + high + 1) >> 1;
    if (place[half] <= target) low = half;
    else high = half - 1;
  }
  return low;
}
