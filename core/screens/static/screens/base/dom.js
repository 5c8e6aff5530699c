// Create elements without a library. Text is never parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Return an element. `on*` attributes are listeners, true sets an attribute without a value,
 *  false leaves it out, and `class` may be a list. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function set(element, name, value) {
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else if (value === true) element.setAttribute(name, "");
  else element.setAttribute(name, Array.isArray(value) ? value.filter(Boolean).join(" ") : value);
}

/** Return a function that draws parts, `[facts, make]`, in a place, and returns what they make: elements, or objects with a
 *  `root`. A part whose facts are as before stays as it is: it may be under a finger, or be read out. */
export function drawer(place) {
  let before = new Map();
  return (parts) => {
    const after = new Map();
    for (const [facts, make] of parts) {
      const key = JSON.stringify(facts);
      after.set(key, before.get(key) ?? make());
    }
    before = after;
    const drawn = [...after.values()];
    const nodes = drawn.map((each) => each.root ?? each);
    for (const old of [...place.childNodes]) if (!nodes.includes(old)) old.remove();
    nodes.forEach((node, at) => { if (place.childNodes[at] !== node) place.insertBefore(node, place.childNodes[at] ?? null); });
    return drawn;
  };
}

export const amount = (text, more = "") => h("span", { class: `amount ${more}`.trim() }, text);

const CLOTHS = 18;

/** Return the number of a horse on the colour of its saddle cloth. */
export const cloth = (number) => h("b", { class: ["cloth", number > CLOTHS && "again"], "data-cloth": ((number - 1) % CLOTHS) + 1 }, String(number));

/** Return an SVG that uses a symbol of a sheet of this project; without a label it is decorative. */
export function drawing(href, { label = "", className = "" } = {}) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", className);
  if (label) { svg.setAttribute("role", "img"); svg.setAttribute("aria-label", label); }
  else svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", href);
  svg.append(use);
  return svg;
}

/** Return a paper that the API rendered (`slip.html`) as an element. The page's policy forbids
 *  styles in markup and allows them from scripts. Quotes in a paper's text are escaped, so that
 *  only attributes match. */
export const paper = (markup) => adopted(markup, "section.receipt");

/** Return an element of markup that this project made, with its styles. */
export function adopted(markup, selector) {
  const renamed = markup.replaceAll(' style="', ' data-style="');
  const section = new DOMParser().parseFromString(renamed, "text/html").querySelector(selector);
  for (const styled of [section, ...section.querySelectorAll("[data-style]")]) {
    styled.style.cssText = styled.dataset.style ?? "";
    delete styled.dataset.style;
  }
  return document.adoptNode(section);
}

/** Announce a text to screen readers without moving the focus. */
export function announce(text) {
  let node = document.getElementById("announcer");
  if (!node) {
    node = h("p", { id: "announcer", class: "heard", "aria-live": "polite" });
    document.body.append(node);
  }
  node.textContent = text;
}
