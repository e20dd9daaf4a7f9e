// What do all drawings of a run share? Colours from the page's theme, one shape a fate, text that fits its place.

const EXPANDED = 1, PRUNED = 2, TERMINAL = 3, UNSCORED = 4, OPEN = 5;
const ON_PATH = 1, ORPHAN = 2, CUT = 4, ERROR = 8, MERGED = 16, VERIFIED = 32, REFUTED = 64, VIABLE = 128, LOST = 256;
const FATE_WORDS = ["fate not recorded", "expanded", "pruned", "terminal", "unscored", "open"];
const CIVIDIS = [
  [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115],
  [138, 134, 120], [165, 156, 116], [195, 179, 105], [225, 204, 85], [254, 232, 56],
];

/** Colours and fonts of the page around an element; read again at each change, so that light and dark follow at once. */
function themeOf(element) {
  const style = getComputedStyle(element);
  const read = (name, otherwise) => {
    const value = style.getPropertyValue(name).trim();
    return value && value !== "unset" ? value : otherwise;
  };
  const text = channels(read("--st-text-color", style.color));
  const background = channels(read("--st-background-color", "#ffffff"));
  const dark = luminance(background) < 0.4;
  const css = (share) => `rgb(${mix(text, background, share).join(",")})`;
  return {
    dark, text: css(0), dim: css(0.3), edge: css(0.5), thread: css(0.66), faint: css(0.8), panel: css(0.9), background: css(1), rgb: { text, background },
    primary: read("--st-primary-color", dark ? "#56b4e9" : "#0072b2"),
    link: read("--st-link-color", dark ? "#56b4e9" : "#0072b2"),
    path: dark ? "#e69f00" : "#d55e00",
    merged: "#cc79a7",
    viable: dark ? "#1fbf92" : "#007a59",
    lit: dark ? "rgba(240,228,66,.55)" : "rgba(240,228,66,.85)",
    fate: [css(0.35), dark ? "#56b4e9" : "#0072b2", css(0.4), dark ? "#1fbf92" : "#009e73", dark ? "#d98bb5" : "#b8578c", css(0.25)],
    code: read("--st-code-font", "ui-monospace, monospace"),
    font: read("--st-font", "system-ui, sans-serif"),
  };
}

const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

/** Red, green and blue of any CSS colour. */
function channels(color) {
  probe.clearRect(0, 0, 1, 1);
  probe.fillStyle = "#808080";
  probe.fillStyle = color;
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

function mix(from, to, share) {
  return from.map((value, at) => Math.round(value + (to[at] - value) * share));
}

function luminance([red, green, blue]) {
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

/** Red, green and blue on the cividis ramp for a share in [0, 1]. */
function rampChannels(share) {
  const place = Math.min(Math.max(share, 0), 1) * (CIVIDIS.length - 1);
  const at = Math.min(Math.floor(place), CIVIDIS.length - 2);
  return mix(CIVIDIS[at], CIVIDIS[at + 1], place - at);
}

/** A node's colour by fate or by score; null where it was not scored and is drawn hollow. */
function nodeColor(theme, color, fate, flag, score, norm) {
  if (color !== "score") return theme.fate[flag & ERROR ? UNSCORED : fate];
  return score === null ? null : `rgb(${rampChannels(norm ?? 0.5).join(",")})`;
}

/** One node. The shape says what became of it, whatever the colour says. */
function glyph(ctx, x, y, radius, fate, flag, color, theme) {
  const fill = color ?? theme.background;
  const byScore = color !== theme.fate[flag & ERROR ? UNSCORED : fate];
  if (radius < 2.4) {
    ctx.fillStyle = flag & ON_PATH ? theme.path : color ?? theme.edge;
    if (fate === TERMINAL || radius < 1) ctx.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    else {
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 7);
      ctx.fill();
    }
    return flag & VIABLE ? viableMark(ctx, x, y, radius, theme) : undefined;
  }
  ctx.lineWidth = 1.2;
  ctx.strokeStyle = byScore ? theme.dim : fill;
  ctx.fillStyle = fill;
  ctx.beginPath();
  if (flag & ERROR || fate === UNSCORED) triangle(ctx, x, y, radius * 1.15);
  else if (fate === TERMINAL) ctx.rect(x - radius * 0.9, y - radius * 0.9, radius * 1.8, radius * 1.8);
  else ctx.arc(x, y, fate === 0 ? radius * 0.5 : radius * 0.95, 0, 7);
  if (fate === OPEN && !(flag & ERROR)) hollow(ctx, radius, theme, byScore);
  else if (fate === PRUNED && !(flag & ERROR)) crossed(ctx, x, y, radius, theme, byScore);
  else {
    ctx.fill();
    if (byScore) ctx.stroke();
  }
  if (flag & (VERIFIED | REFUTED) && fate === TERMINAL && !(flag & ERROR) && radius >= 4) mark(ctx, x, y, radius, flag & VERIFIED, theme);
  if (flag & ON_PATH) pathRing(ctx, x, y, radius, fate, theme);
  if (flag & VIABLE) viableMark(ctx, x, y, radius, theme);
}

/** A right answer can still be reached from here: a diamond at the shoulder of the node, whatever its own shape says. */
function viableMark(ctx, x, y, radius, theme) {
  const [reach, left, top] = [Math.max(2.2, radius * 0.82), x - radius * 0.95, y - radius * 0.95];
  ctx.beginPath();
  ctx.moveTo(left, top - reach);
  ctx.lineTo(left + reach, top);
  ctx.lineTo(left, top + reach);
  ctx.lineTo(left - reach, top);
  ctx.closePath();
  ctx.fillStyle = theme.viable;
  ctx.fill();
  ctx.strokeStyle = theme.background;
  ctx.lineWidth = 1;
  ctx.stroke();
}

function triangle(ctx, x, y, radius) {
  ctx.moveTo(x, y - radius);
  ctx.lineTo(x + radius, y + radius * 0.8);
  ctx.lineTo(x - radius, y + radius * 0.8);
  ctx.closePath();
}

function hollow(ctx, radius, theme, byScore) {
  if (!byScore) ctx.fillStyle = theme.background;
  ctx.fill();
  ctx.strokeStyle = theme.fate[OPEN];
  ctx.lineWidth = Math.max(1.2, radius * 0.34);
  ctx.stroke();
}

function crossed(ctx, x, y, radius, theme, byScore) {
  if (!byScore) ctx.fillStyle = theme.panel;
  ctx.fill();
  ctx.strokeStyle = byScore ? theme.text : theme.fate[PRUNED];
  ctx.stroke();
  const reach = radius * 0.62;
  ctx.beginPath();
  ctx.moveTo(x - reach, y - reach);
  ctx.lineTo(x + reach, y + reach);
  ctx.moveTo(x + reach, y - reach);
  ctx.lineTo(x - reach, y + reach);
  ctx.stroke();
}

function mark(ctx, x, y, radius, good, theme) {
  const reach = radius * 0.5;
  ctx.strokeStyle = theme.background;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  if (good) {
    ctx.moveTo(x - reach, y);
    ctx.lineTo(x - reach * 0.2, y + reach * 0.8);
    ctx.lineTo(x + reach, y - reach * 0.8);
  } else {
    ctx.moveTo(x - reach, y - reach);
    ctx.lineTo(x + reach, y + reach);
    ctx.moveTo(x + reach, y - reach);
    ctx.lineTo(x - reach, y + reach);
  }
  ctx.stroke();
}

function pathRing(ctx, x, y, radius, fate, theme) {
  ctx.strokeStyle = theme.path;
  ctx.lineWidth = 2;
  ctx.beginPath();
  if (fate === TERMINAL) ctx.rect(x - radius - 0.8, y - radius - 0.8, radius * 2 + 1.6, radius * 2 + 1.6);
  else ctx.arc(x, y, radius + 1, 0, 7);
  ctx.stroke();
}

/** The text, cut with an ellipsis to so many pixels in the current font. */
function fitted(ctx, text, width) {
  if (text.length * 18 < width || ctx.measureText(text).width <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(text.slice(0, middle) + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return low ? text.slice(0, low).trimEnd() + "…" : "";
}

/** A score in at most six characters. */
function scoreText(score) {
  if (score === null) return "–";
  if (Number.isInteger(score) && Math.abs(score) < 1e5) return String(score);
  const size = Math.abs(score);
  if (size >= 1e5 || size < 0.0001) return score.toExponential(0).replace("e+", "e");
  if (size < 0.001) return String(Number(score.toFixed(4)));
  return String(Number(score.toPrecision(3)));
}

function countText(value) {
  return value.toLocaleString("en-US");
}

/** One sentence a node, for the live region and the first lines of the tooltip. */
function described(data, at) {
  const rule = data.rules[data.rule[at]];
  const score = data.score[at] === null ? "no score" : `score ${Number(data.score[at].toPrecision(6))}`;
  const error = data.flag[at] & ERROR ? " · error" : "";
  const check = data.flag[at] & VERIFIED ? " · verified" : data.flag[at] & REFUTED ? " · refuted by its check" : "";
  const truth = data.flag[at] & VIABLE ? " · known to be viable" : data.flag[at] & LOST ? " · known not to be viable" : "";
  const path = data.flag[at] & ON_PATH ? " · on the selected path" : "";
  return `${data.id[at]} · depth ${data.depth[at]} · ${score} · ${FATE_WORDS[data.fate[at]]}${rule ? ` by ${rule}` : ""}${error}${check}${truth}${path}`;
}
