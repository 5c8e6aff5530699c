"""Fill in how the prize money is divided: races, threshold, and both columns of shares."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.building.form import BuildingForm
from core.admin_support.building.words import percent
from core.admin_support.forms import EurosField, Grid, PercentField, euros_text
from core.kernel.money import MAX_CENTS, percent_text
from lototrot.engine.bet_type import MAX_LEGS, MIN_LEGS, RESERVE, BetTypeRefused
from lototrot.engine.bet_type import BetType as Rules

Data = dict[str, Any]
MOST_EUROS = MAX_CENTS // 100_000
_SIDES = ("below", "above")


class SharesForm(BuildingForm):
    """The division of the prize money. `rules` are the engine's, None while figures are missing.

    The reserve is what remains; an empty second column is as the first one.
    """

    legs = forms.TypedChoiceField(
        label=_("Races"),
        coerce=int,
        choices=[(legs, legs) for legs in range(MIN_LEGS, MAX_LEGS + 1)],
    )
    jackpot_threshold_cents = EurosField(
        label=_("Threshold of the jackpot (€)"),
        min_value=0,
        max_value=MOST_EUROS,
        help_text=_("Above it the second column divides the prize money."),
    )

    def rules_read(self, data: Data, figures: Data) -> Rules | None:
        """Return the engine's rules of what was filled in; None if some of it is missing.

        `figures` has `legs`, the threshold and both columns. Raises BetTypeRefused.
        """
        raise NotImplementedError

    def build(self) -> None:
        rows = []
        for wrong in range(MAX_LEGS):
            names = [f"{side}_{wrong}" for side in _SIDES]
            for name, side in zip(names, (_("up to the threshold"), _("above it")), strict=True):
                self.fields[name] = PercentField(label=side, required=False)
            rows.append((_missed(wrong), names))
        headers = (_("category"), _("up to the threshold (%)"), _("above it (%)"))
        self.grids = [Grid(headers, rows)]
        self.rules: Rules | None = None

    def begin_with(self, document: Mapping[str, Any]) -> None:
        """Fill the figures in as those of a document."""
        self.initial["legs"] = document["legs"]
        self.initial["jackpot_threshold_cents"] = euros_text(document["jackpot_threshold_cents"])
        for side in _SIDES:
            for hits, share in document[f"shares_{side}"].items():
                if hits != RESERVE:
                    self.initial[f"{side}_{document['legs'] - int(hits)}"] = share

    def clean(self) -> Data:
        data: Data = super().clean() or {}
        if "legs" in data and not any(name in self.errors for name in self.grids[0].names):
            self._read(data)
        return data

    def _read(self, data: Data) -> None:
        """Read the figures by the engine, and put its faults at their fields."""
        shares = {f"shares_{side}": self._shares(data, side) for side in _SIDES}
        if not data.get("above_0"):  # the second column is empty: as the first
            shares["shares_above"] = shares["shares_below"] if not self._filled("above") else None
        threshold = data.get("jackpot_threshold_cents")
        if None in shares.values() or threshold is None:
            return
        figures = {"legs": data["legs"], "jackpot_threshold_cents": threshold, **shares}
        try:
            self.rules = self.rules_read(data, figures)
        except BetTypeRefused as error:
            for fault in error.data["errors"]:
                self._put(fault)

    def _put(self, fault: Mapping[str, str]) -> None:
        places = {"shares_below": "below_0", "shares_above": "above_0"}
        field = places.get(fault["field"], fault["field"])
        place = field if field in self.fields else None
        self.add_error(place, self.fault_texts().get(fault["code"], fault["detail"]))

    def fault_texts(self) -> dict[str, str]:
        """Return the faults of the engine in words, by code."""
        return {
            "categories_differ": gettext("Both columns need the same categories."),
            "bad_integer": gettext("This amount is too small or too large."),
            "bad_text": gettext("This text has signs that cannot be printed."),
        }

    def needless(self) -> str:
        """Return the names of the fields that a bet on so few races does not need."""
        legs = self.cleaned_data.get("legs", MAX_LEGS)
        return " ".join(f"{side}_{wrong}" for side in _SIDES for wrong in range(legs, MAX_LEGS))

    def _filled(self, side: str) -> list[int]:
        cells = (self.cleaned_data.get(f"{side}_{wrong}") for wrong in range(MAX_LEGS))
        return [wrong for wrong, share in enumerate(cells) if share is not None]

    def _shares(self, data: Data, side: str) -> Data | None:
        """Return the shares of a column with what remains as reserve, or None with its faults."""
        filled, legs = self._filled(side), data["legs"]
        if not filled:
            return None
        for wrong in range(max(filled) + 1):
            name = f"{side}_{wrong}"
            if wrong >= legs:
                text = gettext("A bet on %(legs)s races has no such category.") % {"legs": legs}
                self.add_error(name, text)
                return None
            if wrong not in filled:
                self.add_error(name, gettext("Categories have no gap: fill this one in too."))
                return None
        total = sum((data[f"{side}_{wrong}"] for wrong in filled), Fraction(0))
        if total > 100:
            text = gettext("The shares sum to %(sum)s: 100 %% at most.")
            self.add_error(f"{side}_{filled[-1]}", text % {"sum": percent(total)})
            return None
        by_hits = {str(legs - wrong): percent_text(data[f"{side}_{wrong}"]) for wrong in filled}
        return {**by_hits, RESERVE: percent_text(100 - total)}


def _missed(wrong: int) -> str:
    if wrong == 0:
        return gettext("All right")
    return gettext("All but %(wrong)s") % {"wrong": wrong}
