// The play under way, kept on this machine so that it goes on after a reload: which it is, what the
// player has uncovered, which vouchers are printed. Its codes are not kept.

const KEPT = "promotrot.play";

export const kept = () => JSON.parse(localStorage.getItem(KEPT) ?? "null");
export const begin = (uuid) => keep({ uuid, uncovered: [], printed: [] });
export const forget = () => localStorage.removeItem(KEPT);

export function keep(play) {
  localStorage.setItem(KEPT, JSON.stringify(play));
  return play;
}
