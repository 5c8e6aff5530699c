// Print papers with the browser: the slip printer is its default printer, and a terminal's browser
// prints without asking (--kiosk-printing).

import { h, paper } from "../base/dom.js";

/** Print a paper's markup and resolve when the browser has passed it to the printer. */
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
