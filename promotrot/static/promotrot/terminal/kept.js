// Store the play under way, so that it continues after a reload: its UUID and the uncovered
// cells. Codes are not stored.

const KEPT = "promotrot.play";

export const kept = () => JSON.parse(localStorage.getItem(KEPT) ?? "null");
export const begin = (uuid) => keep({ uuid, uncovered: [] });
export const forget = () => localStorage.removeItem(KEPT);

export function keep(play) {
  localStorage.setItem(KEPT, JSON.stringify(play));
  return play;
}
