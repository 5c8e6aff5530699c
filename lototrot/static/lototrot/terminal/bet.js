// Hold the marks of each leg of a bet that is being made. This module neither draws nor sends.

export class Bet {
  /** Take one entry for each leg: a Set of programme numbers, or how many the server draws. */
  constructor(contest, marks = contest.races.map(() => new Set())) {
    this.contest = contest;
    this.marks = marks;
  }

  toggle(race, number) {
    const marked = this.marks[race];
    if (!(marked instanceof Set)) this.marks[race] = new Set([number]);
    else if (!marked.delete(number)) {
      if (!this.contest.allows_multiple) marked.clear();
      marked.add(number);
    }
  }

  /** Have the server draw one number of a leg, or one more. */
  quick(race) {
    const marked = this.marks[race];
    const most = this.contest.allows_multiple ? this.contest.races[race].offered.length : 1;
    this.marks[race] = marked instanceof Set ? 1 : (marked % most) + 1;
  }

  /** Leave one number of a leg alone: a banker. */
  only(race, number) { this.marks[race] = new Set([number]); }

  quickAll() { this.marks = this.marks.map(() => 1); }
  clear() { this.marks = this.marks.map(() => new Set()); }
  clearRace(race) { this.marks[race] = new Set(); }

  /** Return how many numbers a leg has. */
  chosen(race) {
    const marked = this.marks[race];
    return marked instanceof Set ? marked.size : marked;
  }

  get bets() { return this.marks.reduce((product, _, race) => product * this.chosen(race), 1); }
  get amountCents() { return this.bets * this.contest.price_cents; }
  get isEmpty() { return this.marks.every((_, race) => this.chosen(race) === 0); }
  get isComplete() { return this.bets > 0; }
  get isTooLarge() { return this.bets > this.contest.max_bets; }

  /** Return the legs without a number, from 0. */
  get missing() { return this.marks.flatMap((_, race) => (this.chosen(race) === 0 ? [race] : [])); }

  /** Return what one more number of a leg would cost; 0 if none may be added. */
  oneMoreCents(race) {
    if (!this.isComplete || !this.contest.allows_multiple || this.chosen(race) >= this.contest.races[race].offered.length) return 0;
    const more = this.bets / this.chosen(race);
    return this.bets + more > this.contest.max_bets ? 0 : more * this.contest.price_cents;
  }

  get firstOpen() { return this.marks.findIndex((_, race) => this.chosen(race) === 0); }

  /** Return the marks as the API takes them. */
  get races() {
    return this.marks.map((marked) => (marked instanceof Set ? [...marked].sort((a, b) => a - b) : { quick_pick: marked }));
  }

  /** Return the bet in the form that `of` restores. */
  get kept() { return { contest: this.contest.id, races: this.races }; }

  static of(contest, kept) {
    const fits = kept?.contest === contest.id && kept.races.length === contest.races.length;
    return fits ? Bet.marked(contest, kept.races) : new Bet(contest);
  }

  /** Return a bet with these marks, without the numbers that are no longer offered. */
  static marked(contest, races) {
    return new Bet(contest, races.map((marks, race) => (Array.isArray(marks)
      ? new Set(marks.filter((number) => contest.races[race].offered.includes(number)))
      : marks.quick_pick)));
  }

  /** Return the bet on the contest as it is now, and the withdrawn marks as [leg, number]. */
  on(contest) {
    const gone = [];
    this.marks.forEach((marked, race) => {
      if (marked instanceof Set) for (const number of marked) if (!contest.races[race].offered.includes(number)) gone.push([race, number]);
    });
    return [Bet.marked(contest, this.races), gone];
  }
}
