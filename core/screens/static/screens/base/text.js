// Give the texts of this page in its language, translated by the server (core/screens/texts.py).

const node = document.getElementById("messages");
const catalogue = node ? JSON.parse(node.textContent) : {};
export const language = document.documentElement.lang || "ca";
const numbers = new Intl.NumberFormat(language, { useGrouping: "always" });

const recipes = new Map();   // of what each late text was made: another screen shows it in its language
const MOST_MADE = 2000;

/** Keep of what a text was made, and return the text: `[key, values]`, `{cents}`, `{date}`, `{decimal}`,
 *  `{texts}`, the text of the API in each language, or `{problem}`, a code of the API. */
export function remember(text, recipe) {
  recipes.delete(text);   // the one made last is the last to go
  if (recipes.size >= MOST_MADE) recipes.delete(recipes.keys().next().value);
  recipes.set(text, recipe);
  return text;
}

/** Return of what a text was made lately; undefined for any other text. */
export const recipeOf = (text) => recipes.get(text);

/** Return the text of a key with `{name}` replaced by `values.name`; `values.n` selects the plural. */
export function t(key, values = {}) {
  const entry = catalogue[key];
  if (entry === undefined) throw new Error(`no text for ${key}`);
  const text = Array.isArray(entry) ? entry[values.n === 1 ? 0 : 1] : entry;
  const filled = text.replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`${key} needs ${name}`);
    const value = values[name];
    return typeof value === "number" ? numbers.format(value) : value;
  });
  return remember(filled, [key, values]);
}

/** Return whether a text has that key, for keys that come from the server. */
export const has = (key) => key in catalogue;

const ARTICLES = / \((\d[\d.IVX, ]*)\)/;

/** Return a sentence of the API without the articles in brackets, which players do not read. */
export const plain = (sentence) => sentence.replace(ARTICLES, "");

/** Return the articles that a sentence of the API names, "" for none. */
export const articlesOf = (sentence) => ARTICLES.exec(sentence)?.[1] ?? "";
