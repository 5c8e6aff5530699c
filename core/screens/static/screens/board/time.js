// The system's time: what the last pulse said, and what has gone by here since.

let base = 0;
let read = 0;

export function setTime(at) { base = at; read = performance.now(); }
export const now = () => base + (performance.now() - read);
