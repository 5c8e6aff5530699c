// The page as an SVG: what of its elements is shown, and the rules of style that they use. It has
// no script and asks for nothing, so that it may stand in an <img>.

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const MOMENTARY = /:(hover|focus|focus-visible|focus-within|active|target|autofill|modal)\b/;
const PARTS = /::?[\w-]+(\([^()]*\))?/g;
const KEPT = /^(class|style|type|value|checked|disabled|selected|open|max|hidden|dir|lang|rows|cols|size|colspan|rowspan|role|preserveAspectRatio)$/;

const matches = (selector) => {
  try {
    return !!document.querySelector(selector.replace(/:root|:host/g, "html"))
      || !!document.querySelector(selector.replace(PARTS, "") || "*");
  } catch { return false; }
};
const used = (rule) => rule.selectorText.split(/,(?![^(]*\))/)
  .some((one) => !MOMENTARY.test(one) && !one.includes("::backdrop") && matches(one.trim()));

const said = (rules) => [...rules].map((rule) => {
  if (rule instanceof CSSStyleRule) return used(rule) ? rule.cssText : "";
  if (rule instanceof CSSMediaRule) return matchMedia(rule.conditionText).matches ? said(rule.cssRules) : "";
  if (rule instanceof CSSSupportsRule) return CSS.supports(rule.conditionText) ? said(rule.cssRules) : "";
  if (rule instanceof CSSLayerBlockRule) {
    const inside = said(rule.cssRules);
    return inside && `@layer ${rule.name}{${inside}}`;
  }
  return rule instanceof CSSLayerStatementRule || rule instanceof CSSPropertyRule ? rule.cssText : "";
}).filter(Boolean).join("\n");

const seen = (e) => {
  if (!e.checkVisibility({ visibilityProperty: true }) || e.matches("script, style, link, noscript, template, input[type=hidden], .material-symbols-outlined")) return false;
  const box = e.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
};

const copy = (from) => {
  const to = from.cloneNode(false);
  for (const { name } of [...to.attributes]) {
    const drawn = from.namespaceURI === SVG ? !/^(id|data-|aria-|on)/.test(name) : KEPT.test(name);
    const styled = name === "id" ? styles.includes(`#${from.id}`) : styles.includes(`[${name}`);
    if (!drawn && !styled) to.removeAttribute(name);
  }
  if (from instanceof HTMLInputElement && from.value && from.type !== "file") to.setAttribute("value", from.value);
  if (from instanceof HTMLTextAreaElement) to.append(from.value);
  if (from instanceof HTMLOptionElement) to.toggleAttribute("selected", from.selected);
  if (from instanceof HTMLDetailsElement || from instanceof HTMLSelectElement || from.namespaceURI === SVG) {
    to.append(...[...from.childNodes].map((e) => (e.nodeType === 1 ? copy(e) : e.cloneNode())));
    return to;
  }
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) to.append(child.data.replace(/\s+/g, " "));
    else if (child.nodeType === Node.ELEMENT_NODE && seen(child)) to.append(copy(child));
  }
  return to;
};

const styles = [...document.styleSheets].map((sheet) => said(sheet.cssRules)).join("\n")
  .replaceAll("html:root", "html")  // whose root is the SVG
  .replaceAll("url(", "none(");
const [width, height] = [innerWidth, innerHeight];
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const body = new XMLSerializer().serializeToString(copy(document.body));
const own = [...document.documentElement.attributes].filter(({ name }) => KEPT.test(name))
  .map(({ name, value }) => ` ${name}="${escaped(value)}"`).join("");
return `<svg xmlns="${SVG}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  + ` font-size="${getComputedStyle(document.documentElement).fontSize}">`
  + `<foreignObject width="${width}" height="${height}"><html xmlns="${HTML}"${own}>`
  + `<style>${escaped(styles)}</style>${body}</html></foreignObject></svg>`;
