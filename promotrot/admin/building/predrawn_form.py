"""Build a pre-drawn game on a form: how many of each prize, the blocks, and the pictures."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from django import forms
from django.db.models import TextChoices
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.forms import Grid
from core.kernel.languages import LANGUAGES
from promotrot.admin.building import game_sums
from promotrot.admin.building.game_form import Data, GameForm, usual_labels
from promotrot.engine.game import Game, PredrawnGame
from promotrot.engine.game_json import MAX_CELLS, MAX_NUMBER, MAX_TICKETS
from promotrot.engine.plan import MIN_BLOCK_TICKETS
from promotrot.engine.presentation import Letters, NumberMatch, Presentation, Symbols
from promotrot.engine.prize_table import PredrawnType, Prize, Tier, declarable
from promotrot.selectors.games import drawn_signs

_FILL = ("rosette", "bridle")


class _Pictures(TextChoices):
    SYMBOLS = "symbols", _("signs: equal ones win")
    LETTERS = "letters", _("letters: a word wins")
    NUMBERS = "numbers", _("numbers: those in common win")


# The fields that only some of the pictures have.
_OWN = {
    _Pictures.SYMBOLS: ("match", "fills"),
    _Pictures.LETTERS: ("letters",),
    _Pictures.NUMBERS: ("highest", "winners", "yours"),
}
_OF_PRIZES = {
    _Pictures.SYMBOLS: "sign",
    _Pictures.LETTERS: "word",
    _Pictures.NUMBERS: "common",
}


def _whole(label: Any, initial: int, most: int, least: int = 1) -> forms.IntegerField:
    return forms.IntegerField(label=label, initial=initial, min_value=least, max_value=most)


class PredrawnForm(GameForm):
    live_template = "promotrot/admin/predrawn_live.html"
    builds = PredrawnGame
    prize_columns = ("count",)

    block_tickets = forms.IntegerField(
        label=_("Tickets of a block"),
        initial=MIN_BLOCK_TICKETS,
        min_value=1,
        max_value=MAX_TICKETS,
        help_text=_("10,000 or more, or the whole emission; each block keeps the percentage."),
    )
    pictures = forms.ChoiceField(label=_("Pictures"), choices=_Pictures.choices)
    columns = _whole(_("Squares side by side"), 3, MAX_CELLS)
    rows = _whole(_("Rows of squares"), 3, MAX_CELLS)
    match = _whole(_("Equal signs that win"), 3, MAX_CELLS, 2)
    fills = forms.MultipleChoiceField(
        label=_("Signs that only fill the picture"),
        widget=forms.CheckboxSelectMultiple,
        initial=_FILL,
    )
    letters = forms.CharField(
        label=_("Letters of the pictures"),
        max_length=120,
        help_text=_("With a space between two; those of the words, and others."),
    )
    highest = _whole(_("Numbers go up to"), 30, MAX_NUMBER)
    winners = _whole(_("Winning numbers"), 6, MAX_CELLS)
    yours = _whole(_("Numbers of the player"), 6, MAX_CELLS)

    def always(self) -> set[str]:
        return super().always() | {"block_tickets", "pictures"}

    def prize_fields(self) -> dict[str, forms.Field]:
        signs = [(sign, sign) for sign in self.signs()]
        return {
            "count": forms.IntegerField(label=_("number"), min_value=1, max_value=MAX_TICKETS),
            "sign": forms.ChoiceField(label=_("winning sign"), choices=signs),
            "word": forms.CharField(label=_("word"), max_length=MAX_CELLS),
            "common": forms.IntegerField(
                label=_("in common"), min_value=0, max_value=MAX_CELLS, widget=forms.NumberInput
            ),
        }

    def more_grids(self) -> list[Grid]:
        grid = self.labels_grid({sign: sign for sign in self.signs()}, _("Names of the signs"))
        signs = self.signs()
        choices = [(sign, self.sign_name(sign)) for sign in signs]
        assert isinstance(self.fields["fills"], forms.MultipleChoiceField)  # noqa: S101  (above)
        self.fields["fills"].choices = choices
        for at in range(self.lines):
            field = self.fields[f"sign_{at}"]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101  (from prize_fields)
            field.choices = choices
            self.initial[f"sign_{at}"] = signs[at % len(signs)]
        pairs = zip(signs, grid.rows, strict=True)
        rows = [(self.sign_name(sign), names) for sign, (_sign, names) in pairs]
        return [Grid(grid.headers, rows, grid.title)]

    def initial_of(self, game: Game) -> Data:
        assert isinstance(game, PredrawnGame)  # noqa: S101  (of this form)
        picture = game.presentation
        initial: Data = {"block_tickets": game.block_tickets, "pictures": _kind_of(picture)}
        initial |= {f"count_{at}": tier.count for at, tier in enumerate(game.kind.tiers)}
        if isinstance(picture, NumberMatch):
            names = ("highest", "winners", "yours")
            initial |= {name: getattr(picture, name) for name in names}
            return initial | {f"common_{at}": n for at, n in enumerate(picture.matches)}
        initial |= {"columns": picture.columns, "rows": picture.rows}
        if isinstance(picture, Letters):
            initial["letters"] = " ".join(picture.signs)
            return initial | {f"word_{at}": word for at, word in enumerate(picture.words)}
        initial["match"] = picture.match
        initial["fills"] = [sign for sign in picture.signs if sign not in picture.winning]
        return initial | {f"sign_{at}": sign for at, sign in enumerate(picture.winning)}

    def game_of(self, data: Data, prizes: Sequence[Prize]) -> Game | None:
        for at in range(len(prizes)):
            self.need(f"count_{at}", data)
        presentation = self._presentation(data, len(prizes))
        counts = [data.get(f"count_{at}") for at in range(len(prizes))]
        if presentation is None or None in counts or not data.get("block_tickets"):
            return None
        tiers = tuple(Tier(p, count or 0) for p, count in zip(prizes, counts, strict=True))
        kind = PredrawnType(Fraction(0), data["tickets"], data["price_cents"], tiers)
        exact = self.percent_of(Fraction(100 * kind.prizes_cents, kind.takings_cents))
        if exact is None:
            return None
        labels = presentation.signs if isinstance(presentation, Symbols) else ()
        return PredrawnGame(
            code=data.get("code") or "?",
            kind=PredrawnType(declarable(exact), kind.tickets, kind.price_cents, tiers),
            block_tickets=data["block_tickets"],
            presentation=presentation,
            texts=self.texts(data, prizes, labels),
        )

    def _presentation(self, data: Data, tiers: int) -> Presentation | None:
        pictures = data.get("pictures")
        if pictures not in _OWN:
            return None
        column = _OF_PRIZES[_Pictures(pictures)]
        squares = () if pictures == _Pictures.NUMBERS else ("columns", "rows")
        own = [name for name in _OWN[_Pictures(pictures)] if name != "fills"]
        needed = [*squares, *own, *(f"{column}_{at}" for at in range(tiers))]
        for name in needed:
            if data.get(name) in (None, ""):
                self.need(name, data)
        if self.errors.keys() & {*needed}:
            return None
        pictured = tuple(data[f"{column}_{at}"] for at in range(tiers))
        if squares and data["columns"] * data["rows"] > MAX_CELLS:
            text = gettext("A picture has at most %(cells)s squares.") % {"cells": MAX_CELLS}
            self.add_error("rows", text)
            return None
        if pictures == _Pictures.NUMBERS:
            return NumberMatch(data["highest"], data["winners"], data["yours"], pictured)
        if pictures == _Pictures.LETTERS:
            return Letters(data["columns"], data["rows"], tuple(data["letters"].split()), pictured)
        fills = [sign for sign in data.get("fills", ()) if sign not in pictured]
        signs = (*dict.fromkeys(pictured), *fills)
        return Symbols(data["columns"], data["rows"], data["match"], signs, pictured)

    def field_at(self, place: str) -> str:
        match = re.fullmatch(r"\$\.presentation\[(\d+)\]", place)
        pictures = self.cleaned_data.get("pictures")
        if match and int(match[1]) and pictures:
            return f"{_OF_PRIZES[_Pictures(pictures)]}_{int(match[1]) - 1}"
        return super().field_at("$.presentation" if match else place)

    def signs(self) -> list[str]:
        """Return the drawn signs that a shipped game names, and those of the game to begin with."""
        named = usual_labels(LANGUAGES[0])
        picture = self.like.presentation if isinstance(self.like, PredrawnGame) else None
        used = picture.signs if isinstance(picture, Symbols) else ()
        return [sign for sign in drawn_signs() if sign in named or sign in used]

    def sign_name(self, sign: str) -> str:
        """Return the name of a sign in the language of the page, as it is usual."""
        named = {code: self.initial.get(f"label_{code}_{sign}", "") for code in LANGUAGES}
        return game_sums.here(named) or sign

    def absent(self) -> Iterator[str]:
        yield from super().absent()
        chosen = self.cleaned_data.get("pictures")
        for pictures, names in _OWN.items():
            if pictures != chosen:
                yield from names
                yield from (f"{_OF_PRIZES[pictures]}_{at}" for at in range(self.lines))
        if chosen == _Pictures.NUMBERS:
            yield from ("columns", "rows")
        used: tuple[str, ...] = ()
        if self.game is not None and isinstance(self.game, PredrawnGame):
            picture = self.game.presentation
            used = picture.signs if isinstance(picture, Symbols) else ()
        elif chosen == _Pictures.SYMBOLS:
            return
        for sign, (_sign, labels) in zip(self.signs(), self.grids[2].rows, strict=True):
            if sign not in used:
                yield from labels

    def sums(self, game: Game) -> Data:
        assert isinstance(game, PredrawnGame)  # noqa: S101  (of this form)
        return game_sums.predrawn(game)


def _kind_of(picture: Presentation) -> str:
    kinds = {Symbols: _Pictures.SYMBOLS, Letters: _Pictures.LETTERS}
    return kinds.get(type(picture), _Pictures.NUMBERS)
