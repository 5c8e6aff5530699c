// Hold the coupons of one payment. Each is a sale of its own, under its own UUID: what is refused
// stays here, and harms no other.

import { requestUuid } from "../../screens/terminal/request-uuid.js";

const KEPT = "lototrot.basket";   // in sessionStorage: the coupons that are not asked for yet

export class Basket {
  #items = [];
  #operator = null;
  #run = null;      // while a payment is under way: what became of its coupons

  /** `sell(coupon)` asks for one sale; `changed()` follows every change; `ended(run)` the last sale of
   *  a payment, with `{sold_cents, sold, refused: [title]}`. */
  constructor(outbox, { sell, changed, ended }) {
    Object.assign(this, { outbox, sell, changed, ended });
    outbox.addEventListener("change", () => { if (this.#run) setTimeout(() => this.#next()); });
  }

  get items() { return this.#items; }
  get isPaying() { return this.#run !== null; }

  /** Take up the coupons that this operator had not paid when the page was left. */
  restore(operator) {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    this.#items = kept?.operator === operator ? kept.items : [];
    this.#operator = operator;
    this.#run = null;
    this.changed();
  }

  add(bet) { this.#keep([...this.#items, { uuid: requestUuid(), ...bet.kept, amount_cents: bet.amountCents }]); }
  remove(uuid) { this.#keep(this.#items.filter((item) => item.uuid !== uuid)); }
  clear() { this.#run = null; this.#keep([]); }

  /** Follow withdrawals and closings: `betOf(item)` is the bet as it can be sold now, or nothing.
   *  Return whether a coupon changed. */
  refresh(betOf) {
    if (this.#run) return false;
    const items = this.#items.flatMap((item) => {
      const bet = betOf(item);
      if (!bet?.isComplete) return [];
      const isSame = JSON.stringify(bet.races) === JSON.stringify(item.races);
      return isSame ? [item] : [{ uuid: requestUuid(), ...bet.kept, amount_cents: bet.amountCents }];
    });
    if (JSON.stringify(items) === JSON.stringify(this.#items)) return false;
    this.#keep(items);
    return true;
  }

  /** Sell the coupons one after the other. */
  pay() {
    this.#run = { waiting: this.#items.map(({ uuid }) => uuid), sold: 0, sold_cents: 0, refused: [] };
    this.#next();
  }

  /** Take back a coupon whose sale was refused or given up, under another UUID. Return whether a
   *  payment of several is under way, which tells of it at its end. */
  refused({ coupon, body }, title) {
    if (!coupon) return false;
    const { contest, races, amount_cents } = body;
    this.#keep([...this.#items, { uuid: requestUuid(), contest, races, amount_cents }]);
    if (!this.#run) return false;
    this.#run.refused.push(title);
    this.#run.asked = null;
    return true;
  }

  #next() {
    const run = this.#run;
    if (!run || this.outbox.entry) return;
    if (run.asked) {   // its entry has gone and nothing refused it
      run.sold += 1;
      run.sold_cents += run.asked.amount_cents;
      run.asked = null;
    }
    const coupon = this.#items.find(({ uuid }) => uuid === run.waiting[0]);
    run.waiting.shift();
    if (coupon) {
      run.asked = coupon;
      this.remove(coupon.uuid);
      this.sell(coupon);
    } else if (run.waiting.length) this.#next();
    else {
      this.#run = null;
      this.ended(run);
    }
  }

  #keep(items) {
    this.#items = items;
    if (items.length) sessionStorage.setItem(KEPT, JSON.stringify({ operator: this.#operator, items }));
    else sessionStorage.removeItem(KEPT);
    this.changed();
  }
}
