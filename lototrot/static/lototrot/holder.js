// Show a ticket to its holder, and name the path of the proof that it was sealed.

export { details } from "./terminal/details.js";

export const proof = "lototrot/proofs";
