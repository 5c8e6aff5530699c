// Hold the marks of each leg of a bet that is being made. This module neither draws on the screen nor
// sends.

const WORDS = 2 ** 32;

/** Return an integer from 0 up to, not including, `limit`: each as likely, by the system's generator. */
function chance(limit) {
  const word = new Uint32Array(1);
  do crypto.getRandomValues(word); while (word[0] >= WORDS - (WORDS % limit));
  return word[0] % limit;
}

/** Return `many` different ones of `numbers`, each set as likely. */
function sample(numbers, many) {
  const left = [...numbers];
  return Array.from({ length: Math.min(many, left.length) }, () => left.splice(chance(left.length), 1)[0]);
}

export class Bet {
  /** Take a Set of programme numbers for each leg, and the legs, from 0, whose numbers were drawn. */
  constructor(contest, marks = contest.races.map(() => new Set()), drawn = new Set()) {
    Object.assign(this, { contest, marks, drawn });
  }

  toggle(race, number) {
    const marked = this.marks[race];
    this.drawn.delete(race);
    if (marked.delete(number)) return;
    if (!this.contest.allows_multiple) marked.clear();
    marked.add(number);
  }

  /** Draw one number of a leg; if its numbers were drawn, draw again, one more of them. */
  quick(race) {
    const most = this.contest.allows_multiple ? this.contest.races[race].offered.length : 1;
    this.#draw(race, this.drawn.has(race) ? (this.chosen(race) % most) + 1 : 1);
  }

  /** Draw every leg: as many numbers as were drawn of it before, else one. */
  quickAll() { this.marks.forEach((_, race) => this.#draw(race, this.drawn.has(race) ? this.chosen(race) : 1)); }

  #draw(race, many) {
    this.marks[race] = new Set(sample(this.contest.races[race].offered, many));
    this.drawn.add(race);
  }

  /** Leave one number of a leg alone: a banker. */
  only(race, number) {
    this.marks[race] = new Set([number]);
    this.drawn.delete(race);
  }

  clear() {
    this.marks = this.marks.map(() => new Set());
    this.drawn.clear();
  }

  /** Return how many numbers a leg has. */
  chosen(race) { return this.marks[race].size; }

  /** Return the numbers of a leg, ascending. */
  numbers(race) { return [...this.marks[race]].sort((a, b) => a - b); }

  get bets() { return this.marks.reduce((product, { size }) => product * size, 1); }
  get amountCents() { return this.bets * this.contest.price_cents; }
  get isEmpty() { return this.marks.every(({ size }) => size === 0); }
  get isComplete() { return this.bets > 0; }
  get isTooLarge() { return this.bets > this.contest.max_bets; }
  get isDrawn() { return this.isComplete && this.drawn.size === this.marks.length; }

  /** Return the legs without a number, from 0. */
  get missing() { return this.marks.flatMap(({ size }, race) => (size === 0 ? [race] : [])); }

  /** Return what one more number of a leg would cost; 0 if none may be added. */
  oneMoreCents(race) {
    if (!this.isComplete || !this.contest.allows_multiple || this.chosen(race) >= this.contest.races[race].offered.length) return 0;
    const more = this.bets / this.chosen(race);
    return this.bets + more > this.contest.max_bets ? 0 : more * this.contest.price_cents;
  }

  get firstOpen() { return this.marks.findIndex(({ size }) => size === 0); }

  /** Return the marks as the API takes them. */
  get races() { return this.marks.map((_, race) => (this.drawn.has(race) ? { quick_pick: this.numbers(race) } : this.numbers(race))); }

  /** Return the bet in the form that `of` restores. */
  get kept() { return { contest: this.contest.id, races: this.races }; }

  static of(contest, kept) {
    const fits = kept?.contest === contest.id && kept.races.length === contest.races.length;
    return fits ? Bet.marked(contest, kept.races) : new Bet(contest);
  }

  /** Return a bet with these marks, without the numbers that are no longer offered. A leg of
   *  `{quick_pick: n}` is drawn. */
  static marked(contest, races) {
    const drawn = new Set();
    const marks = races.map((leg, race) => {
      const { offered } = contest.races[race];
      if (!Array.isArray(leg)) drawn.add(race);
      const numbers = Array.isArray(leg) ? leg : leg.quick_pick;
      return new Set(Array.isArray(numbers) ? numbers.filter((number) => offered.includes(number)) : sample(offered, numbers));
    });
    return new Bet(contest, marks, drawn);
  }

  /** Return the bet on the contest as it is now, and the withdrawn marks as [leg, number]. */
  on(contest) {
    const gone = this.marks.flatMap((marked, race) => [...marked].filter((number) => !contest.races[race].offered.includes(number)).map((number) => [race, number]));
    return [Bet.marked(contest, this.races), gone];
  }
}
