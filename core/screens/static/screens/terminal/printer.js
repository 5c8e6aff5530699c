// Print papers with the browser: the slip printer is its default printer, and a terminal's browser
// prints without asking (--kiosk-printing).

import { h, paper } from "../base/dom.js";

const ROLL = "terminal.roll";   // in localStorage: the width of this machine's paper, in mm
let last = null;   // performance.now() when the last paper had been handed over

/** Return how long ago a paper was handed to the printer, in ms; null if none was since the start. */
export const sincePaper = () => (last === null ? null : performance.now() - last);

export const ROLLS_MM = [80, 58];

/** Return the width of the paper in this machine's printer, in mm. */
export const rollMm = () => Number(localStorage.getItem(ROLL) ?? ROLLS_MM[0]);
export const setRoll = (mm) => localStorage.setItem(ROLL, String(mm));

/** Print a page that shows whether width, letters and cut of the printer are right. */
export const testPage = (lines) => handedOver(h("section", { class: "receipt" }, lines.map((line) => h("p", {}, line))));

/** Print a paper that the API rendered. Resolve when the browser has passed it to the printer. */
export const print = (markup, { wide = false } = {}) => handedOver(paper(markup), wide);

async function handedOver(section, wide = false) {
  document.getElementById("paper")?.remove();
  document.body.append(h("div", { id: "paper", class: wide ? "sheet" : `roll mm-${rollMm()}` }, section));
  document.body.classList.add("printing");
  try {
    await new Promise((done) => {
      addEventListener("afterprint", done, { once: true });
      window.print();
    });
    last = performance.now();
  } finally {
    document.body.classList.remove("printing");
  }
  return section;
}
