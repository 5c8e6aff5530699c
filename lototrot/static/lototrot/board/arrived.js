// Tell which results have just arrived, so that they are shown with a movement.

const MOVES_MS = 6000;      // what is drawn again meanwhile begins once more
const since = new Map();    // race → performance.now() of its result; -Infinity before this page
let opened = false;

/** Return whether the result of a race arrived in the last seconds, while this page was open. Ask for
 *  every race of a drawing, decided or not: those decided in the first one are old. */
export function arrived(race, isDecided) {
  if (!opened) setTimeout(() => { opened = true; });
  const ms = performance.now();
  if (isDecided && !since.has(race)) since.set(race, opened ? ms : -Infinity);
  return ms - (since.get(race) ?? -Infinity) < MOVES_MS;
}
