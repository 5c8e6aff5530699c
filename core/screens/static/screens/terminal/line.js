// Watch whether the server can be reached and whether data has changed. Every request tells; between
// requests a heartbeat asks. The pulse, which boards read too, tells when to ask again: it is a
// file, so that thousands of terminals can read it without a request to the application.

const BEAT_MS = 15_000;
const PULSE_MS = 4000;
const PULSE = `${document.documentElement.dataset.live}/pulse.json`;
const ALIVE_MS = 20_000;   // a pulse read longer ago than this does not count
const PATIENCE_MS = 2000;
const AGAIN_MS = [500, 1000, 2000, 4000];

class Line extends EventTarget {
  up = true;
  #heard = performance.now();
  #timer = 0;
  #misses = 0;
  #pulse = { at: "", read: -Infinity };

  start() {
    addEventListener("offline", () => this.lost());
    addEventListener("online", () => this.#beat());
    this.#plan(BEAT_MS);
    this.#look();
  }

  /** Return whether pulses arrive: then changes are announced, and no request need ask for them. */
  get hasPulse() { return performance.now() - this.#pulse.read < ALIVE_MS; }

  /** Note that a request was answered, well or badly. */
  heard() {
    this.#heard = performance.now();
    this.#misses = 0;
    this.#turn(true);
  }

  /** Note that a request got no answer. */
  lost() {
    this.#turn(false);
    this.#plan(AGAIN_MS[0]);
  }

  /** Check the connection at once, because a request takes long. */
  doubt() {
    this.#heard = -Infinity;
    this.#plan(0);
  }

  /** Resolve when there is a connection: at once if there is one. */
  async back() {
    while (!this.up) await new Promise((done) => this.addEventListener("change", done, { once: true }));
  }

  async #look() {
    try {
      const answer = await fetch(PULSE, { credentials: "omit", signal: AbortSignal.timeout(PATIENCE_MS) });
      if (answer.ok) this.#news(await answer.json());
    } catch {
      if (this.up) this.doubt();
    }
    setTimeout(() => this.#look(), PULSE_MS + Math.random() * 500);
  }

  #news({ at, feeds }) {
    if (at === this.#pulse.at) return;
    this.#pulse = { at, read: performance.now() };
    this.dispatchEvent(new CustomEvent("pulse", { detail: feeds }));
  }

  #turn(up) {
    if (up === this.up) return;
    this.up = up;
    this.dispatchEvent(new Event("change"));
  }

  #plan(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#beat(), ms);
  }

  async #beat() {
    const quiet = performance.now() - this.#heard;
    if (this.up && quiet < BEAT_MS) return this.#plan(BEAT_MS - quiet);
    try {
      const answer = await fetch("/livez", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
      if (!answer.ok) throw new Error(answer.statusText);
      this.heard();
      this.#plan(BEAT_MS);
    } catch {
      this.#turn(false);
      this.#plan(AGAIN_MS[Math.min(this.#misses++, AGAIN_MS.length - 1)]);
    }
  }
}

export const line = new Line();
