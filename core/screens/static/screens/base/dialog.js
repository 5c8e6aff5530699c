// A modal dialog with a heading; Escape closes it unless it must be answered.

import { h } from "./dom.js";
import { t } from "./text.js";

let serial = 0;

/** Show `content` under `title` and return the dialog; it leaves the page when it closes.
 *  With `must`, only one of the caller's buttons closes it. */
export function dialog(title, content, { must = false, onclose = () => {}, className = "" } = {}) {
  const id = `dialog-${++serial}`;
  const close = h("button", { class: "button quiet", type: "button", onclick: () => made.close() }, t("close"));
  const made = h(
    "dialog", { "aria-labelledby": id, class: className },
    h("div", { class: "stack" },
      h("div", { class: "row ends" }, h("h2", { id }, title), must ? null : close), content),
  );
  made.addEventListener("cancel", (event) => { if (must) event.preventDefault(); });
  // Chromium lets a second Escape through whatever was prevented at the first.
  made.addEventListener("keydown", (event) => { if (must && event.key === "Escape") event.preventDefault(); });
  made.addEventListener("close", () => { made.remove(); onclose(); });
  document.body.append(made);
  made.showModal();
  return made;
}
