// Papers by the browser's own printing: the slip printer is its default printer, and a terminal's
// browser prints without asking (--kiosk-printing).

import { h, paper } from "../base/dom.js";

/** Print a paper of ours (markup) and resolve when the browser has handed it over. */
export async function print(markup, { wide = false } = {}) {
  const section = paper(markup);
  document.getElementById("paper")?.remove();
  document.body.append(h("div", { id: "paper", class: wide ? "sheet" : "roll" }, section));
  document.body.classList.add("printing");
  try {
    await new Promise((done) => {
      addEventListener("afterprint", done, { once: true });
      window.print();
    });
  } finally {
    document.body.classList.remove("printing");
  }
  return section;
}
