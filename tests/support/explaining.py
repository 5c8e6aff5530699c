"""Explain a settlement from its signed certificate, for tests of the board."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils import translation

from core.receipts.formats import format_cents
from core.screens import texts

Step = list[str | list[list[str]]]
"""The words of one step: sentences, and tables by rows of cells, the heading first."""


@dataclass(frozen=True, slots=True)
class Certified:
    """The document of a certificate, read in one language."""

    document: dict[str, Any]
    language: str

    def steps(self) -> list[Step]:
        """Return every step with every figure that it shows."""
        with translation.override(self.language):
            catalogue = texts.catalogue("lototrot_board")
        words = {key: text for key, text in catalogue.items() if isinstance(text, str)}
        return [step for step in self._steps(words) if step]

    def _steps(self, words: dict[str, str]) -> list[Step]:
        figures, rules = self.document["figures"], self.document["rules"]
        categories = sorted(figures["winners"], key=int, reverse=True)
        top, won = categories[0], [c for c in categories if figures["winners"][c]]
        names = {category: f"{category}/{top}" for category in categories}
        above = figures["regime"] == "9.3"
        percents = rules["shares_above" if above else "shares_below"]
        regime = words["step_above" if above else "step_below"].format(
            tested=self._euros(figures["tested_jackpot"]),
            threshold=self._euros(rules["jackpot_threshold_cents"]),
            article=figures["regime"],
        )
        reserve = {"reserve": words["board_reserve"]} if figures["shares"]["reserve"] else {}
        shares = [
            [name, f"{percents[each]} %", self._euros(figures["shares"][each])]
            for each, name in (names | reserve).items()
        ]
        carried = {
            "own_share": figures["after_cascade"][top],
            "board_jackpot": figures["jackpot_in"],
            "unclaimed": figures["lapsed_in"],
            "board_reserve": figures["reserve_paid_out"],
        }
        return [
            [
                words["step_pool"].format(
                    takings=self._euros(figures["takings"]),
                    percent=rules["prize_percent"],
                    pool=self._euros(figures["prize_pool"]),
                    rest=self._euros(figures["organiser_share"]),
                )
            ],
            [regime, [[words["category"], words["share"], words["amount"]], *shares]],
            [
                words["step_right"],
                [
                    [words["category"], words["board_bets"]],
                    *[[names[each], self._count(figures["winners"][each])] for each in categories],
                ],
            ],
            self._falls(words, names),
            [
                words["step_carried"].format(category=names[top]),
                [
                    [words["where_from"], words["amount"]],
                    *[[words[key], self._euros(cents)] for key, cents in carried.items() if cents],
                ],
            ],
            self._corrected(words, names, won),
            self._prizes(words, names, won),
            [
                words["step_onward"].format(
                    jackpot=self._euros(figures["jackpot_out"]),
                    reserve=self._euros(figures["reserve_out"]),
                )
            ],
        ]

    def _falls(self, words: dict[str, str], names: dict[str, str]) -> Step:
        """Return what empty categories passed down by 9.5, from the amounts before and after."""
        figures = self.document["figures"]
        step: Step = []
        fallen = 0
        lower = list(names)[1:]
        for category, below in zip(lower, [*lower[1:], None], strict=True):
            had = figures["shares"][category] + fallen
            fallen = had - figures["after_cascade"][category]
            if fallen:
                key = "step_falls" if below else "step_falls_reserve"
                step.append(
                    words[key].format(
                        category=names[category],
                        below=names.get(below or ""),
                        amount=self._euros(had),
                    )
                )
        assert fallen == figures["unwon_to_reserve"]
        return step

    def _corrected(self, words: dict[str, str], names: dict[str, str], won: Sequence[str]) -> Step:
        figures = self.document["figures"]
        trace = figures["correction"]
        step: Step = [
            words["step_halved"].format(above=names[str(above)], below=names[str(below)])
            for above, below in trace["halved"]
        ]
        for group in trace["joined"]:
            step.append(
                words["step_joined"].format(
                    categories=", ".join(names[str(each)] for each in group)
                )
            )
        amounts = {each: Fraction(figures["after_correction"][each]) for each in won}
        rows = [[names[each], self._euros(int(amount))] for each, amount in amounts.items()]
        return [*step, [[words["category"], words["amount"]], *rows]] if step else []

    def _prizes(self, words: dict[str, str], names: dict[str, str], won: Sequence[str]) -> Step:
        figures = self.document["figures"]
        if not won:
            return [words["step_no_prizes"]]
        in_all = {each: figures["prize_each"][each] * figures["winners"][each] for each in won}
        assert sum(in_all.values()) == figures["prizes_total"]
        rows = [
            [
                names[each],
                self._count(figures["winners"][each]),
                self._euros(figures["prize_each"][each]),
                self._euros(in_all[each]),
            ]
            for each in won
        ]
        head = [words[key] for key in ("category", "board_bets", "prize_of_bet", "in_all")]
        left = figures["rounding_remainder"]
        rest = [words["step_rounding"].format(amount=self._euros(left))] if left else []
        return [words["step_prizes"], [head, *rows], *rest]

    def _euros(self, cents: int) -> str:
        return format_cents(cents, self.language)

    def _count(self, number: int) -> str:
        return f"{number:,}".replace(",", "," if self.language == "en" else ".")
