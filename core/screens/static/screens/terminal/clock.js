// The system's clock as the terminal shows it. This machine's own clock is never read: between two
// answers of the server a monotonic counter carries on from the last one.

let known = null;   // the server's ms at a reading of performance.now()

export function sync(header) {
  const server = Date.parse(header);
  if (!Number.isNaN(server)) known = { server, at: performance.now() };
}

/** The server's time in ms, or null before any answer. */
export const now = () => (known ? known.server + performance.now() - known.at : null);

/** Call `tick` with the server's time, at once and at every whole second of it. */
export function everySecond(tick) {
  const beat = () => {
    const at = now();
    if (at !== null) tick(at);
    setTimeout(beat, 1000 - ((at ?? 0) % 1000) + 5);
  };
  beat();
}
