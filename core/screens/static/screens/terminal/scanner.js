// Recognise scanned codes. A scanner is a keyboard that types fast and ends with Enter: such input
// is a code, wherever the focus is. Input of people into a field is left alone.

const GAP_MS = 400;   // outside a field only a scanner types twenty letters and digits this fast
const LEAST = 20;
let burst = "";
let last = 0;

/** Call `scanned(code)` for each code; if it returns false, the keys keep their usual effect. */
export function onScan(scanned) {
  addEventListener("keydown", (event) => {
    const at = event.timeStamp;
    if (event.target.matches?.("input:not(.code), textarea, select")) return;
    if (at - last > GAP_MS) burst = "";
    last = at;
    if (event.key.length === 1 && /[0-9A-Za-z-]/.test(event.key)) burst += event.key;
    else if (event.key === "Enter" && burst.length >= LEAST) {
      const code = burst;
      burst = "";
      if (!scanned(code)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (event.key !== "Shift") burst = "";
  }, { capture: true });
}
