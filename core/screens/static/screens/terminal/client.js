// Call the public API (docs/api.md) with this terminal's credentials.

import { language } from "../base/text.js";
import * as clock from "./clock.js";
import { line } from "./line.js";

const PREFIX = "/api/v1/";
const PATIENCE_MS = 15_000;
const DOUBT_MS = 1500;   // without an answer by then, check the connection
const AGAIN_MS = 700;
const AWAY = new Set([502, 503, 504]);

/** The server refused. `code` never changes; `title` and `detail` are in the page's language. */
export class Problem extends Error {
  constructor(status, document) {
    super(document.title ?? String(status));
    Object.assign(this, { status, code: document.code ?? "", title: document.title ?? String(status),
      detail: document.detail ?? "", data: document.data ?? {}, transient: Boolean(document.transient) });
  }
}

/** No answer came; the request may have arrived. */
export class LineLost extends Error {}

const ENROLLED = "terminal.enrolled";   // in localStorage: kept on this machine
const SIGNED_ON = "terminal.signed-on"; // in sessionStorage: until this window closes

class Client extends EventTarget {
  #enrolled = JSON.parse(localStorage.getItem(ENROLLED) ?? "null");
  #session = JSON.parse(sessionStorage.getItem(SIGNED_ON) ?? "null");

  get enrolled() { return this.#enrolled; }
  get session() { return this.#session; }

  async enrol(code) {
    this.#enrolled = await this.post("terminal/enrolment", { enrolment_code: code });
    localStorage.setItem(ENROLLED, JSON.stringify(this.#enrolled));
  }

  async signOn(number, pin) {
    this.#keepSession(await this.post("terminal/session", { number, pin }));
  }

  async signOff() {
    await this.call("DELETE", "terminal/session");
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

  /** Return the answer to a request. Throws Problem or LineLost. */
  async call(method, path, { body, as = "json", signal } = {}) {
    const headers = { "Accept-Language": language };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.#enrolled) headers.Authorization = `Terminal ${this.#enrolled.token}`;
    if (this.#session) headers["X-Operator-Session"] = this.#session.token;
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const doubt = setTimeout(() => line.doubt(), DOUBT_MS);
    let answer, content;
    try {
      answer = await fetch(PREFIX + path, {
        method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store",
        signal: signal ? AbortSignal.any([signal, patience]) : patience,
      });
      content = await answer.text();
    } catch (error) {
      if (!signal?.aborted) line.lost();
      throw new LineLost(error.message);
    } finally {
      clearTimeout(doubt);
    }
    clock.sync(answer.headers.get("X-Server-Time"));
    if (AWAY.has(answer.status) && !answer.headers.get("Content-Type")?.includes("problem+json")) {
      line.lost();
      throw new LineLost(String(answer.status));
    }
    line.heard();
    if (!answer.ok) throw this.#problem(answer, content);
    return as === "text" ? content : content && JSON.parse(content);
  }

  #problem(answer, content) {
    const isProblem = answer.headers.get("Content-Type")?.includes("problem+json");
    const problem = new Problem(answer.status, isProblem ? JSON.parse(content) : {});
    if (problem.code === "terminal_unknown" || problem.code === "terminal_revoked") {
      this.#enrolled = null;
      localStorage.removeItem(ENROLLED);
      this.#keepSession(null);
    } else if (problem.code.startsWith("operator_session_")) this.#keepSession(null);
    return problem;
  }

  #keepSession(session) {
    this.#session = session;
    if (session) sessionStorage.setItem(SIGNED_ON, JSON.stringify(session));
    else sessionStorage.removeItem(SIGNED_ON);
    this.dispatchEvent(new Event("session"));
  }
}

export const client = new Client();
