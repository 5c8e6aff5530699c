// Keep a request that must not be registered twice, such as a sale, before it is sent.
//
// An entry stays in localStorage from before it is sent until its paper is printed. Nothing else is
// sold meanwhile. It survives a lost connection, a reload and a switched-off machine. It is always
// sent under the same UUID, which the server registers once. Only where the server refuses the time in
// a UUID is it sent again under another one: nothing can have been registered under the first.
//
// If its player may have gone, or the server had a fault, an unanswered sale is not sent again: the
// outbox only asks whether it was registered. A fault in the answer to that is asked again, for ever:
// only the server knows. After a minute of them the sale is in doubt, and the operator is told what to do.

import { client, LineLost, Problem } from "./client.js";
import { now } from "./clock.js";
import { line } from "./line.js";
import { requestUuid } from "./request-uuid.js";

const KEPT = "terminal.outbox";
const AGAIN_MS = [1000, 2000, 4000, 8000, 16_000, 30_000];
const PLAYER_WAITS_MS = 3_600_000;
const GONE = Symbol("the player may have gone");

// The UUID has the time of a wrong clock, or waited for days. The answer has told the server's time.
const WRONG_TIME = new Set(["request_uuid_from_the_future", "request_uuid_too_old"]);

const who = () => `${client.enrolled?.terminal}/${client.session?.operator}`;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

class Outbox extends EventTarget {
  #entry = null;
  #kinds = new Map();
  #turn = 0;      // a loop ends when this number is no longer its own
  #cancel = null;
  #doubt = false; // for a minute the server has had a fault whenever it was asked what became of it
  #secret = null; // the part of the body that must not be stored: a ticket's code

  /** Take up what was kept when this machine was left. */
  open() { this.#keep(JSON.parse(localStorage.getItem(KEPT) ?? "null")); }

  /** Return `{kind, uuid, path, body, stage}`; stage is "asked", "answered", or a game's mark. */
  get entry() { return this.#entry; }
  get unanswered() { return this.#entry?.stage === "asked"; }
  get inDoubt() { return this.unanswered && this.#doubt; }

  /** Set a game's functions for its entries: `answered(answer, entry)` (answer is null if an
   *  inquiry says only that it was sold), `refused(problem, entry)`, `burnt(entry)` and, after a
   *  reload, `resume(entry)` for an answered one. */
  handle(kind, handler) { this.#kinds.set(kind, handler); }

  handler(kind) { return this.#kinds.get(kind); }

  /** Store a request and send it until there is an answer. `secret` is sent with the body and not
   *  stored: after a reload such a request cannot be sent again, and its kind's `lost(entry)` asks
   *  for its outcome. */
  ask(entry, secret = null) {
    if (this.#entry) throw new Error("an unanswered request is under way");
    this.#secret = secret;
    this.#keep({ ...entry, stage: "asked", secret: Boolean(secret), by: who(), at: now() });
    return this.#send();
  }

  /** Continue with the stored entry, if there is one, after a start or a sign-on. */
  async resume() {
    if (!this.#entry) return;
    const maySend = this.#playerWaits && (this.#secret || !this.#entry.secret);
    if (!this.unanswered) await this.#kinds.get(this.#entry.kind).resume(this.#entry);
    else if (maySend) await this.#send();
    else await this.#inquire();
  }

  /** Return whether the operator who asked works here, and asked within the last hour. */
  get #playerWaits() { return this.#entry.by === who() && now() - this.#entry.at < PLAYER_WAITS_MS; }

  /** Store the stage of an answered request. */
  mark(stage) { this.#keep({ ...this.#entry, stage }); }

  /** Delete the entry: its paper is printed, or cannot be. */
  done(uuid) { if (this.#entry?.uuid === uuid) this.#keep(null); }

  /** Ask the server whether it was sold, until it says so; if not, it burns the UUID, which cannot be sold. */
  async giveUp() {
    const entry = this.#entry;
    const turn = ++this.#turn;
    this.#cancel?.abort();
    try {
      const inquiry = await this.#until(turn, () => client.post(`${entry.path}/${entry.uuid}/inquiry`), true);
      if (inquiry === undefined || turn !== this.#turn) return;
      if (inquiry.outcome === "sold") return this.#answered(inquiry.ticket ?? null);
      this.#keep(null);
      this.#kinds.get(entry.kind).burnt(entry);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (client.enrolled) this.#refused(problem, entry);
    }
  }

  /** Ask for the outcome of an unanswered request, which is not sent again. */
  #inquire() {
    const entry = this.#entry;
    this.#secret = null;
    return entry.secret ? this.#kinds.get(entry.kind).lost(entry) : this.giveUp();
  }

  async #send() {
    const entry = this.#entry;
    const turn = ++this.#turn;
    try {
      const answer = await this.#until(turn, async (signal) => (
        this.#playerWaits ? client.post(entry.path, { ...entry.body, ...this.#secret }, { signal }) : GONE));
      if (turn !== this.#turn) return;
      if (answer !== GONE) await this.#answered(answer);
      else if (client.session) return this.#inquire();   // without one, signing on resumes it
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (turn !== this.#turn) return;
      if (!client.session) return; // signing on resumes it
      if (problem.status >= 500) return this.#inquire(); // it may be registered all the same
      if (WRONG_TIME.has(problem.code) && this.#playerWaits && !entry.renewed) {
        const uuid = requestUuid();
        this.#keep({ ...entry, uuid, body: { ...entry.body, uuid }, renewed: true });
        return this.#send();
      }
      this.#refused(problem, entry);
    }
  }

  #refused(problem, entry) {
    this.#secret = null;
    this.#keep(null);
    this.#kinds.get(entry.kind).refused(problem, entry);
  }

  async #answered(answer) {
    this.#secret = null;
    this.#keep({ ...this.#entry, stage: "answered" });
    await this.#kinds.get(this.#entry.kind).answered(answer, this.#entry);
  }

  /** Return the first definite answer; undefined if another turn began meanwhile. With `faults` a
   *  fault of the server is no answer either. */
  async #until(turn, attempt, faults = false) {
    this.#doubt = false;
    for (let tries = 0; turn === this.#turn; tries++) {
      this.#cancel = new AbortController();
      try {
        return await attempt(this.#cancel.signal);
      } catch (error) {
        const failed = error instanceof Problem && (error.transient || (faults && error.status >= 500));
        if (!failed && !(error instanceof LineLost)) throw error;
        this.#doubt = faults && failed && tries >= AGAIN_MS.length;
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
