// The texts of this page in its language, as the server's gettext says them (core/screens/texts.py).

const node = document.getElementById("messages");
const catalogue = node ? JSON.parse(node.textContent) : {};
export const language = document.documentElement.lang || "ca";
const numbers = new Intl.NumberFormat(language, { useGrouping: "always" });

/** The text of a key, `{name}` replaced by `values.name`; a plural is chosen by `values.n`. */
export function t(key, values = {}) {
  const found = catalogue[key];
  if (found === undefined) throw new Error(`no text for ${key}`);
  const text = Array.isArray(found) ? found[values.n === 1 ? 0 : 1] : found;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    if (!(name in values)) throw new Error(`${key} needs ${name}`);
    const value = values[name];
    return typeof value === "number" ? numbers.format(value) : value;
  });
}

/** Whether a text has that key, for keys that come from the server. */
export const has = (key) => key in catalogue;
