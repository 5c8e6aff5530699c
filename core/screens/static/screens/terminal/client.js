// Call the public API (docs/api.md) with this terminal's credentials.

import { left } from "../base/format.js";
import { language, t } from "../base/text.js";
import * as clock from "./clock.js";
import { makeKey, numberUsed, prove } from "./key.js";
import { line } from "./line.js";

const PREFIX = "/api/v1/";
const PATIENCE_MS = 15_000;
const DOUBT_MS = 1500;   // without an answer by then, check the connection
const AGAIN_MS = 700;
// Problems after which this terminal has to be enrolled.
const ENDED = new Set(["terminal_unknown", "terminal_revoked", "terminal_copied", "token_replaced", "proof_missing", "proof_refused"]);

/** The server refused. `code` never changes; `title` and `detail` are in the page's language. If it
 *  says how long to wait, `until` is the moment, by performance.now(), from which to try again. */
export class Problem extends Error {
  constructor(status, document, wait_s = 0) {
    super(document.title ?? String(status));
    const waits = document.code === "throttled" && wait_s > 0;
    Object.assign(this, { status, code: document.code ?? "", reason: document.title ?? String(status),
      until: waits ? performance.now() + wait_s * 1000 : 0,
      detail: document.detail ?? "", data: document.data ?? {}, transient: Boolean(document.transient) });
  }

  /** Return how long to wait, in ms; 0 if that time is over or the server named none. */
  get waitMs() { return Math.max(0, this.until - performance.now()); }

  get title() { return this.waitMs ? `${this.reason} ${t("try_again_in", { time: left(this.waitMs) })}` : this.reason; }
}

/** No answer came; the request may have arrived. */
export class LineLost extends Error {}

const ENROLLED = "terminal.enrolled";   // in localStorage: kept on this machine
const SIGNED_ON = "terminal.signed-on"; // in sessionStorage: until this window closes

class Client extends EventTarget {
  #enrolled = null;
  #session = null;
  #turn = Promise.resolve();   // of what changes the token

  get enrolled() { return this.#enrolled; }
  get session() { return this.#session; }

  /** Take up what was kept when this machine was left. */
  open() {
    this.#enrolled = JSON.parse(localStorage.getItem(ENROLLED) ?? "null");
    this.#session = JSON.parse(sessionStorage.getItem(SIGNED_ON) ?? "null");
  }

  async enrol(code) {
    this.#keepEnrolled(await this.post("terminal/enrolment", { enrolment_code: code, public_key: await makeKey() }));
  }

  async signOn(number, pin) { this.#keepSession(await this.sessionOf(number, pin)); }

  /** Sign an operator on beside the one who works here; return the session. */
  sessionOf(number, pin) {
    return this.#inTurn(async () => {
      const { terminal_token: token, ...session } = await this.#proven("terminal/session", { number, pin });
      this.#keepEnrolled({ ...this.#enrolled, token });
      return session;
    });
  }

  choosePin = (number, pin, newPin) => this.#proven("terminal/pin", { number, pin, new_pin: newPin });

  /** End the operator's shift: nothing of it is left to the next one. */
  async signOff() {
    await this.call("DELETE", "terminal/session");
    this.dispatchEvent(new Event("shift-ended"));
    this.#keepSession(null);
  }

  /** Forget the operator's session, which the server has ended. */
  forget() { this.#keepSession(null); }

  get = (path) => this.call("GET", path);
  post = (path, body = {}, options = {}) => this.call("POST", path, { body, ...options });
  /** Return a paper as markup. */
  text = (path, { method = "GET", ...options } = {}) => this.call(method, path, { as: "text", ...options });

  /** Repeat an attempt while no answer comes or the error is transient. It must be safe to repeat. */
  async insist(attempt) {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof LineLost || error.transient)) throw error;
        await new Promise((done) => setTimeout(done, AGAIN_MS));
        await line.back();
      }
    }
  }

  /** Return the answer to a request; get a new token if this one has ended. Throws Problem or LineLost. */
  async call(method, path, options = {}) {
    const { token } = this.#enrolled ?? {};
    try {
      return await this.#send(method, path, options);
    } catch (problem) {
      if (token && ["token_expired", "terminal_unknown"].includes(problem.code)) await this.#roll(token);
      else if (problem.code !== "token_replaced" || this.#enrolled?.token === token) throw this.#lost(problem);
      return this.#send(method, path, options).catch((again) => { throw this.#lost(again); });
    }
  }

  /** Send a request that the key of this terminal signs. */
  async #proven(path, body) {
    const text = JSON.stringify(body);
    const attempt = async () => this.#send("POST", path, { text, proof: await prove("POST", PREFIX + path, this.#enrolled.token, text) ?? "" });
    try {
      return await attempt();
    } catch (problem) {
      if (problem.code === "proof_used") numberUsed(problem.data.last);
      else if (problem.code === "terminal_unknown" && !body.terminal) await this.#newToken({ terminal: this.#enrolled.terminal });
      else throw this.#lost(problem);
      return attempt();
    }
  }

  /** Get a new token in the place of `ended`, once for all the requests that wait for it. */
  #roll(ended) {
    return this.#inTurn(async () => {
      if (this.#enrolled?.token === ended) await this.#newToken({});
    });
  }

  /** Get a new token. The body names this terminal where the server, restored to before it gave the token, does not know it. */
  async #newToken(body) {
    const { token } = await this.#proven("terminal/token", body);
    this.#keepEnrolled({ ...this.#enrolled, token });
  }

  /** Run what gets a new token, one after the other: the server knows the last that it gave alone. */
  #inTurn(act) {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #send(method, path, { body, text = body === undefined ? undefined : JSON.stringify(body), as = "json", signal, proof }) {
    const headers = { "Accept-Language": language };
    if (text !== undefined) headers["Content-Type"] = "application/json";
    if (this.#enrolled) headers.Authorization = `Terminal ${this.#enrolled.token}`;
    if (this.#session) headers["X-Operator-Session"] = this.#session.token;
    if (proof !== undefined) headers["X-Terminal-Proof"] = proof;
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const doubt = setTimeout(() => line.doubt(), DOUBT_MS);
    let answer, content;
    try {
      answer = await fetch(PREFIX + path, {
        method, headers, body: text, cache: "no-store", signal: signal ? AbortSignal.any([signal, patience]) : patience,
      });
      content = await answer.text();
    } catch (error) {
      if (!signal?.aborted) line.lost();
      throw new LineLost(error.message);
    } finally {
      clearTimeout(doubt);
    }
    const time = answer.headers.get("X-Server-Time");
    clock.sync(time);
    const isProblem = answer.headers.get("Content-Type")?.includes("problem+json");
    if (!isProblem && (!time || answer.status >= 500)) {   // a proxy or the shop's network answered
      line.lost();
      throw new LineLost(String(answer.status));
    }
    line.heard();
    if (!answer.ok) throw new Problem(answer.status, isProblem ? JSON.parse(content) : {}, Number(answer.headers.get("Retry-After")));
    return as === "text" ? content : content && JSON.parse(content);
  }

  /** Forget the credentials that a problem says have ended, and return the problem. */
  #lost(problem) {
    if (ENDED.has(problem.code)) {
      this.#keepEnrolled(null);
      this.#keepSession(null);
    } else if (problem.code?.startsWith("operator_session_")) this.#keepSession(null);
    return problem;
  }

  #keepEnrolled(enrolled) {
    this.#enrolled = enrolled;
    if (enrolled) localStorage.setItem(ENROLLED, JSON.stringify({ terminal: enrolled.terminal, token: enrolled.token }));
    else localStorage.removeItem(ENROLLED);
  }

  #keepSession(session) {
    this.#session = session;
    if (session) sessionStorage.setItem(SIGNED_ON, JSON.stringify(session));
    else sessionStorage.removeItem(SIGNED_ON);
    this.dispatchEvent(new Event("session"));
  }
}

export const client = new Client();
