// Write and read a coupon prepared on a phone: letters and digits only, which every scanner types alike
// (docs/coupon.md).

const VERSION = 1;
const MODULUS = 99_991;
const SHAPE = /^COUPON(\d)C([1-9]\d{0,9})((?:[RD](?:\d\d){1,31}){1,10})K(\d{5})$/;
const LONGEST = 700;

/** A scanned text is no coupon that this reader takes; `code` never changes. */
export class CouponRefused extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

const check = (text) => String([...text].reduce((rest, letter) => (rest * 31 + letter.charCodeAt(0)) % MODULUS, 0)).padStart(5, "0");
const leg = (race) => {
  const [letter, numbers] = Array.isArray(race) ? ["R", race] : ["D", race.quick_pick];
  return letter + [...numbers].sort((a, b) => a - b).map((number) => String(number).padStart(2, "0")).join("");
};

/** Return the text of a coupon; `races` as the API takes them, drawn numbers included. */
export function write({ contest, races }) {
  const text = `COUPON${VERSION}C${contest}${races.map(leg).join("")}`;
  return `${text}K${check(text)}`;
}

/** Return `{contest, races}` of a text. Throws CouponRefused. */
export function read(text) {
  if (text.length > LONGEST) throw new CouponRefused("coupon_malformed");
  const parts = SHAPE.exec(text);
  if (!parts) throw new CouponRefused(/^COUPON[02-9]C/.test(text) ? "coupon_other_version" : "coupon_malformed");
  const [, version, contest, legs, sum] = parts;
  if (Number(version) !== VERSION) throw new CouponRefused("coupon_other_version");
  if (check(text.slice(0, -6)) !== sum) throw new CouponRefused("coupon_mistyped");
  const races = legs.match(/[RD]\d+/g).map((part) => {
    const numbers = part.slice(1).match(/\d\d/g).map(Number);
    const isAscending = numbers.every((number, i) => number > (numbers[i - 1] ?? 0));
    if (!isAscending) throw new CouponRefused("coupon_malformed");
    return part[0] === "R" ? numbers : { quick_pick: numbers };
  });
  return { contest: Number(contest), races };
}
