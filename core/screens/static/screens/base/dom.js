// Elements without a library: what is text stays text, nothing is parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element. `on*` are listeners, true and false set or leave out, `class` may be a list. */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(made, name, value);
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function set(element, name, value) {
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else if (value === true) element.setAttribute(name, "");
  else element.setAttribute(name, Array.isArray(value) ? value.filter(Boolean).join(" ") : value);
}

export const amount = (text, more = "") => h("span", { class: `amount ${more}`.trim() }, text);

/** A drawing's `<use>` of a symbol in a sheet of our own, decorative unless it has a label. */
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

/** A paper of ours (`slip.html`) as an element. The page's policy forbids styles in markup and
 *  allows them from scripts; a quote in a paper's text is escaped, so only attributes match. */
export function paper(markup) {
  const renamed = markup.replaceAll(' style="', ' data-style="');
  const section = new DOMParser().parseFromString(renamed, "text/html").querySelector("section.receipt");
  for (const styled of [section, ...section.querySelectorAll("[data-style]")]) {
    styled.style.cssText = styled.dataset.style ?? "";
    delete styled.dataset.style;
  }
  return document.adoptNode(section);
}

/** Say something to screen readers without moving the focus. */
export function announce(text) {
  let node = document.getElementById("announcer");
  if (!node) {
    node = h("p", { id: "announcer", class: "heard", "aria-live": "polite" });
    document.body.append(node);
  }
  node.textContent = text;
}
