// A ticket as its holder sees it, and where to ask for the proof that it was sealed.

export { details } from "./terminal/details.js";

export const proof = "lototrot/proofs";
