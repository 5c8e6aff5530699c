// The system's time. Whatever comes from the system is of some moment ago, never of one to come, so
// the latest of what was read lately is nearest; lately, because this machine's clock drifts.

const KEPT = 20;
const ahead = [];  // of this page's own clock, by what was read; in ms

export function setTime(at) {
  ahead.push(at - performance.now());
  if (ahead.length > KEPT) ahead.shift();
}

export const now = () => performance.now() + Math.max(...ahead);
