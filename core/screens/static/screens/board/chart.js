// Lines over days as an SVG drawn here: a title for readers, a table beside it for the figures.

const NS = "http://www.w3.org/2000/svg";
const WIDTH = 640, HEIGHT = 200, PAD = 8;

function node(name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** `series`: [{name, values: [n, ...]}], all as long as `labels`. Values are never negative. */
export function lines(title, labels, series) {
  const most = Math.max(1, ...series.flatMap((each) => each.values));
  const x = (i) => PAD + (labels.length < 2 ? (WIDTH - 2 * PAD) / 2 : (i * (WIDTH - 2 * PAD)) / (labels.length - 1));
  const y = (value) => HEIGHT - PAD - (value / most) * (HEIGHT - 2 * PAD);
  const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": title });
  for (const part of [0, 0.5, 1]) {
    svg.append(node("line", { x1: PAD, x2: WIDTH - PAD, y1: y(most * part), y2: y(most * part), class: "rule" }));
  }
  series.forEach((each, index) => {
    const points = each.values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`);
    svg.append(node("polyline", { points: points.join(" "), class: `line line-${index}` }));
    each.values.forEach((value, i) => {
      const dot = node("circle", { cx: x(i), cy: y(value), r: 3.5, class: `dot dot-${index}` });
      dot.append(node("title", {}, `${labels[i]} · ${each.name}: ${each.said?.[i] ?? value}`));
      svg.append(dot);
    });
  });
  return svg;
}
