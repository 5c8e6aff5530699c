// Draw lines over days as an SVG with axes. Screen readers get its title; a table beside it has the
// figures.

const NS = "http://www.w3.org/2000/svg";
const WIDTH = innerWidth < 640 ? 380 : 760, HEIGHT = 240;
const TOP = 12, RIGHT = 14, BOTTOM = 26, LEFT = 84;
const STEPS = [1, 2, 5, 10];
const LEAST = 100;   // one euro: what is all zero is drawn at the foot of it

function node(name, attributes, text) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Return the round values of an axis from 0 to `most` or a little above. */
function ticks(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4 || 1));
  const step = Math.max(1, power) * (STEPS.find((each) => each * power * 4 >= most) ?? 10);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
}

/** Return a chart of `series`: [{name, values: [n, ...], said: [text, ...]}], lists as long as
 *  `labels`. Values are never negative; `said` are the values as text; `axis` writes a value of the
 *  axis. */
export function lines(title, labels, series, axis) {
  const values = ticks(Math.max(LEAST, ...series.flatMap((each) => each.values)));
  const most = values.at(-1);
  const x = (i) => LEFT + (labels.length < 2 ? (WIDTH - LEFT - RIGHT) / 2 : (i * (WIDTH - LEFT - RIGHT)) / (labels.length - 1));
  const y = (value) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": title });
  for (const value of values) {
    svg.append(node("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "rule" }),
      node("text", { x: LEFT - 8, y: y(value) + 4, class: "tick", "text-anchor": "end" }, axis(value)));
  }
  const last = labels.length - 1;
  for (const i of new Set(WIDTH < 640 ? [0, last] : [0, Math.round(last / 2), last])) {
    svg.append(node("text", { x: x(i), y: HEIGHT - 6, class: "tick", "text-anchor": i === 0 ? "start" : i === last ? "end" : "middle" }, labels[i]));
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
