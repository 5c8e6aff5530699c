// Keep the server's clock on the terminal. This machine's clock is never read: between two answers
// of the server a monotonic counter continues from the last one.

let reading = null;   // the server's time and performance.now() at that moment, ms

export function sync(header) {
  const server = Date.parse(header);
  if (!Number.isNaN(server)) reading = { server, at: performance.now() };
}

/** Return the server's time in ms, or null before the first answer. */
export const now = () => (reading ? reading.server + performance.now() - reading.at : null);

/** Call `tick` with the server's time, now and at the beginning of each second. */
export function everySecond(tick) {
  const beat = () => {
    const at = now();
    if (at !== null) tick(at);
    setTimeout(beat, 1000 - ((at ?? 0) % 1000) + 5);
  };
  beat();
}
