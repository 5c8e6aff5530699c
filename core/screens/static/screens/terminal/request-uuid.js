// Make the UUID of a request: version 7 (RFC 9562), which begins with the server's time in ms. The
// server refuses a new act under one that is too far from its own time.

import { now } from "./clock.js";

/** Return a new UUID. Before the first answer of the server its time is not known; the server refuses
 *  such a UUID, with its time, and the outbox asks again with another one. */
export function requestUuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Math.trunc(now() ?? 0).toString(16).padStart(12, "0");
  for (let at = 0; at < 6; at++) bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
