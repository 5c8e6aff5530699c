// Keep coupons on this phone, and nowhere else: the last ones saved, and the player's usual numbers.

const SAVED = "lototrot.coupons";
const USUAL = "lototrot.usual";
const MOST = 20;

/** Return what is stored; what another version of the page left is forgotten. */
function stored(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

const store = (name, value) => localStorage.setItem(name, JSON.stringify(value));

export const saved = () => stored(SAVED, []);
export const save = (coupon) => store(SAVED, [coupon, ...saved()].slice(0, MOST));
export const drop = (index) => store(SAVED, saved().filter((_, place) => place !== index));
export const usual = () => stored(USUAL, null);
export const keepUsual = (races) => store(USUAL, races);
