// Estimate the server's time. A time that arrives is always some moment old, so the largest offset
// is nearest to the truth. Only recent offsets count, because this machine's clock drifts.

const MOST_OFFSETS = 20;
const offsets = [];  // the server's time minus this page's clock at each reading, ms

export function setTime(at) {
  offsets.push(at - performance.now());
  if (offsets.length > MOST_OFFSETS) offsets.shift();
}

export const now = () => performance.now() + Math.max(...offsets);
