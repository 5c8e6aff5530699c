// Show modal dialogs with a heading. Escape closes them unless they require an answer. Enter and Space
// answer only once somebody can have read the question.

import { h } from "./dom.js";
import { t } from "./text.js";

/** The time in which nobody has read what came up: a second Enter of the press that asked for it comes sooner. */
export const READ_MS = 400;

let serial = 0;

/** Show `content` under `title` and return the dialog, which is removed when it closes.
 *  With `must`, only one of the caller's buttons closes it. */
export function dialog(title, content, { must = false, onclose = () => {}, className = "" } = {}) {
  const id = `dialog-${++serial}`;
  const close = h("button", { class: "button quiet", type: "button", onclick: () => element.close() }, t("close"));
  const element = h(
    "dialog", { "aria-labelledby": id, class: className },
    h("div", { class: "stack" },
      h("div", { class: "row ends" }, h("h2", { id }, title), must ? null : close), content),
  );
  element.addEventListener("cancel", (event) => { if (must) event.preventDefault(); });
  // Chromium closes a dialog at the second Escape even if `cancel` was prevented at the first.
  element.addEventListener("keydown", (event) => { if (must && event.key === "Escape") event.preventDefault(); });
  element.dataset.unread = "";
  setTimeout(() => delete element.dataset.unread, READ_MS);
  element.addEventListener("keydown", (event) => { if ("unread" in element.dataset && (event.key === "Enter" || event.key === " ")) event.preventDefault(); });
  element.addEventListener("close", () => { element.remove(); onclose(); });
  document.body.append(element);
  element.showModal();
  return element;
}
