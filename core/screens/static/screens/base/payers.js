// Say who must and who may pay a checked document (14.III.10.2, 15.III.6.4).

import { t } from "./text.js";

// The checks of texts look for these keys, which are put together at run time:
// t("place_establishment") t("place_central_office") t("place_authorised_entity") t("place_issuer")
// t("must_pay") t("may_pay")

/** Return rows of a label and the places: those that must pay, then those that may. */
export function payersOf({ places, must_places: must, issuer_must: issuer }) {
  const may = places.filter((place) => !must.includes(place));
  const row = (label, names) => (names.length ? [[t(label), names.map((name) => t(`place_${name}`)).join(", ")]] : []);
  return [...row("must_pay", issuer ? ["issuer", ...must] : must), ...row("may_pay", may)];
}
