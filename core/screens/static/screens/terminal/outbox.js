// What was asked of the system and must not be asked twice: a sale, kept before it is sent.
//
// An entry lives in localStorage from before its first byte leaves until its paper is out. While one
// is there nothing else is sold. It survives a cut line, a reload and a switched-off machine, and
// it is always the same request under the same UUID, which the system registers once.

import { client, LineLost, Problem } from "./client.js";
import { line } from "./line.js";

const KEPT = "terminal.outbox";
const AGAIN_MS = [1000, 2000, 4000, 8000, 16_000, 30_000];

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

class Outbox extends EventTarget {
  #entry = JSON.parse(localStorage.getItem(KEPT) ?? "null");
  #kinds = new Map();
  #turn = 0;      // a loop that is no longer the current one ends
  #cancel = null;
  #secret = null; // what of the body must not be kept: a code in a player's hand

  /** `{kind, uuid, path, body, stage}`; stage is "asked", "answered", and what the game marks. */
  get entry() { return this.#entry; }
  get unanswered() { return this.#entry?.stage === "asked"; }

  /** What a game does with its entries: `answered(answer, entry)` (null where an inquiry found it
   *  sold and does not say more), `refused(problem, entry)`, `burnt(entry)` and, after a reload,
   *  `resume(entry)` for one that was answered. */
  handle(kind, handler) { this.#kinds.set(kind, handler); }

  handler(kind) { return this.#kinds.get(kind); }

  /** Keep a request and send it until there is an answer. `secret` is sent with the body and never
   *  kept: after a reload such a request cannot be sent again, and its kind's `lost(entry)` finds
   *  out what became of it. */
  ask(entry, secret = null) {
    if (this.#entry) throw new Error("an unanswered request is under way");
    this.#secret = secret;
    this.#keep({ ...entry, stage: "asked", secret: Boolean(secret) });
    return this.#send();
  }

  /** After a start or a signing on: carry on with what is kept, if anything is. */
  async resume() {
    if (!this.#entry) return;
    if (this.unanswered && this.#entry.secret && !this.#secret) await this.#kinds.get(this.#entry.kind).lost(this.#entry);
    else if (this.unanswered) await this.#send();
    else await this.#kinds.get(this.#entry.kind).resume(this.#entry);
  }

  /** Keep how far an answered request has come. */
  mark(stage) { this.#keep({ ...this.#entry, stage }); }

  /** The paper is out, or cannot come: the entry is forgotten. */
  done(uuid) { if (this.#entry?.uuid === uuid) this.#keep(null); }

  /** Have the system say whether it was ever sold; if not, it never will be. */
  async giveUp() {
    const entry = this.#entry;
    const turn = ++this.#turn;
    this.#cancel?.abort();
    const found = await this.#until(turn, () => client.post(`${entry.path}/${entry.uuid}/inquiry`));
    if (found === undefined || turn !== this.#turn) return;
    if (found.outcome === "sold") return this.#answered(found.ticket ?? null);
    this.#keep(null);
    this.#kinds.get(entry.kind).burnt(entry);
  }

  async #send() {
    const entry = this.#entry;
    const turn = ++this.#turn;
    try {
      const answer = await this.#until(turn, (signal) => client.post(entry.path, { ...entry.body, ...this.#secret }, { signal }));
      if (turn === this.#turn) await this.#answered(answer);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (turn !== this.#turn) return;
      if (problem.code.startsWith("operator_session_")) return; // signing on resumes it
      this.#secret = null;
      this.#keep(null);
      this.#kinds.get(entry.kind).refused(problem, entry);
    }
  }

  async #answered(answer) {
    this.#secret = null;
    this.#keep({ ...this.#entry, stage: "answered" });
    await this.#kinds.get(this.#entry.kind).answered(answer, this.#entry);
  }

  /** The first answer that says something; undefined when another turn began meanwhile. */
  async #until(turn, attempt) {
    for (let tries = 0; turn === this.#turn; tries++) {
      this.#cancel = new AbortController();
      try {
        return await attempt(this.#cancel.signal);
      } catch (error) {
        const again = error instanceof LineLost || (error instanceof Problem && error.transient);
        if (!again) throw error;
        this.dispatchEvent(new Event("change"));
        const pause = wait(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
        await (line.up ? pause : Promise.race([pause, line.back()]));
      }
    }
    return undefined;
  }

  #keep(entry) {
    this.#entry = entry;
    if (entry) localStorage.setItem(KEPT, JSON.stringify(entry));
    else localStorage.removeItem(KEPT);
    this.dispatchEvent(new Event("change"));
  }
}

export const outbox = new Outbox();
