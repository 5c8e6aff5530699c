// Keep the terminal's key pair. The private key cannot be exported: it stays in this browser, and a
// copy of the storage of another machine does not have it.

const DATABASE = "terminal";
const STORE = "keys";
const KIND = { name: "ECDSA", namedCurve: "P-256" };
const NUMBER = "terminal.proof";   // in localStorage: the number of the last proof
const encoder = new TextEncoder();

const answered = (request) => new Promise((done, failed) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => failed(request.error);
});

async function store(mode) {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  return (await answered(opening)).transaction(STORE, mode).objectStore(STORE);
}

const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Make a key pair, keep the private key, and return the public one as the enrolment takes it. */
export async function makeKey() {
  const pair = await crypto.subtle.generateKey(KIND, false, ["sign"]);
  await answered((await store("readwrite")).put(pair.privateKey, "private"));
  localStorage.removeItem(NUMBER);
  return base64url(await crypto.subtle.exportKey("spki", pair.publicKey));
}

/** Use no number up to `number` again. */
export const numberUsed = (number) => localStorage.setItem(NUMBER, String(number));

/** Return the proof of a request, under a number that was not used before; null without a key. */
export async function prove(method, path, token, body) {
  const key = await answered((await store("readonly")).get("private"));
  if (!key) return null;
  const number = Math.max(Date.now(), Number(localStorage.getItem(NUMBER) ?? 0) + 1);
  numberUsed(number);
  const digest = hex(await crypto.subtle.digest("SHA-256", encoder.encode(body)));
  const statement = ["lototrot-terminal-proof-1", method, path, number, token, digest].join("\n");
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, encoder.encode(statement));
  return `${number}.${base64url(signature)}`;
}
