// A scanner is a keyboard that types fast and ends with Enter. What arrives like that is a code,
// wherever the focus is; what people type into a field is left alone.

const GAP_MS = 400;   // nobody types twenty letters and digits outside a field but a scanner
const LEAST = 20;
let burst = "";
let last = 0;

/** `scanned(code)` says whether it took the code; if not, what was typed stays what it is. */
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
