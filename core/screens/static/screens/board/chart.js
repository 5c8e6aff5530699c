// Draw lines over days as an SVG. Screen readers get its title; a table beside it has the figures.

const NS = "http://www.w3.org/2000/svg";
const WIDTH = 640, HEIGHT = 200, PAD = 8;

function node(name, attributes, text) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Return a chart of `series`: [{name, values: [n, ...], said: [text, ...]}], lists as long as
 *  `labels`. Values are never negative; `said` are the values as text. */
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
