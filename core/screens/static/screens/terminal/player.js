// Send content to the player's screen (/terminal/player/), if one is open. Texts go with that of which
// they were made, so that the screen says them in the player's language.

import { recipeOf } from "../base/text.js";

const channel = new BroadcastChannel("terminal.player");
let content = { kind: "idle" };
let touched = null;   // while a play is mirrored: presses its button of this number

channel.addEventListener("message", ({ data }) => {
  if (data === "resend") channel.postMessage(content);
  else if ("touched" in data && content.kind === "stage") touched?.(data.touched);
});

/** Return a text, or texts in lists and objects, with that of which they were made: `{text, of}`. */
function sayable(value) {
  if (typeof value !== "string") return value && typeof value === "object" ? mapped(value) : value;
  const of = recipeOf(value);
  if (!of) return value;
  return { text: value, of: Array.isArray(of) ? [of[0], mapped(of[1])] : of };
}
const mapped = (value) => (Array.isArray(value) ? value.map(sayable)
  : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sayable(one)])));

/** Show `{kind: "idle"}`, `{kind, tone, title, large, rows: [[label, value]], note}`, texts or lists of
 *  texts, `{kind, game, ...}`, which the game's own module draws, or `{kind: "stage", title, markup,
 *  result}`: a play as the till shows it, and its result (tone, large, note) once it has ended. */
export function show(newContent) {
  content = newContent.game || newContent.markup ? newContent : { ...mapped(newContent), kind: newContent.kind, tone: newContent.tone };
  channel.postMessage(content);
}

/** Return markup of an element whose texts and labels say of what they were made. */
function markupOf(root) {
  const copy = root.cloneNode(true);
  const texts = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (texts.nextNode()) {
    const { currentNode: node } = texts;
    if (recipeOf(node.data) && node.parentNode.namespaceURI === copy.namespaceURI) nodes.push(node);   // a drawing has no spans
  }
  for (const node of nodes) {
    const span = document.createElement("span");
    span.dataset.text = JSON.stringify(sayable(node.data));
    node.replaceWith(span);
    span.append(node);
  }
  for (const node of copy.querySelectorAll("[aria-label]")) node.dataset.label = JSON.stringify(sayable(node.ariaLabel));
  return copy.outerHTML;
}

/** Mirror a play: `root` is what the till shows of it, and the player touches its buttons there. Return
 *  the function that shows it as it is now, with its result if one is given. */
export function mirror(title, root) {
  const now = (result = null) => {
    show({ kind: "stage", title: sayable(title), markup: markupOf(root), result: result && { ...mapped(result), tone: result.tone } });
    touched = result ? null : (index) => root.querySelectorAll("button")[index]?.click();
  };
  now();
  return now;
}

export const clear = () => show({ kind: "idle" });
/** Have the player's screen speak another language. */
export const speak = (language) => channel.postMessage({ language });
