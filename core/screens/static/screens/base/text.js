// Give the texts of this page in its language, translated by the server (core/screens/texts.py).

const node = document.getElementById("messages");
const catalogue = node ? JSON.parse(node.textContent) : {};
export const language = document.documentElement.lang || "ca";
const numbers = new Intl.NumberFormat(language, { useGrouping: "always" });

/** Return the text of a key with `{name}` replaced by `values.name`; `values.n` selects the plural. */
export function t(key, values = {}) {
  const entry = catalogue[key];
  if (entry === undefined) throw new Error(`no text for ${key}`);
  const text = Array.isArray(entry) ? entry[values.n === 1 ? 0 : 1] : entry;
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`${key} needs ${name}`);
    const value = values[name];
    return typeof value === "number" ? numbers.format(value) : value;
  });
}

/** Return whether a text has that key, for keys that come from the server. */
export const has = (key) => key in catalogue;
