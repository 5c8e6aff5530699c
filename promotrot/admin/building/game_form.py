"""Build a game on a form: what both kinds of game have, and the faults of the engine in words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.validators import RegexValidator
from django.utils.text import slugify
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.building.form import RULES, BuildingForm
from core.admin_support.building.words import Facts, percent
from core.admin_support.columns import money
from core.admin_support.forms import DayField, EurosField, Grid, euros_text
from core.kernel.languages import LANGUAGES
from promotrot.admin.building import game_words as words
from promotrot.admin.words import FAULTS
from promotrot.engine.game import Game, Texts
from promotrot.engine.game_json import (
    MAX_THING_CHARS,
    MAX_TICKETS,
    read_game,
    shipped,
    write_game,
)
from promotrot.engine.prize_table import InKind, Prize
from promotrot.engine.rules import Fault
from promotrot.models.game import Game as Recorded
from promotrot.selectors.games import version_game
from promotrot.services import games

Data = dict[str, Any]
PRIZES = 20
THINGS = 4
_MAX_KEY_CHARS = MAX_THING_CHARS - len("-1")  # two things may need a number behind it
_MOST_EUROS = 1_000_000
_NOT_NAMED = ("rules_unpublished", "percent_unpublished", "percentage_mismatch")
_TOO_MUCH = _("More goes to prizes than is taken in.")


class GameForm(BuildingForm):
    """A game, new or like the version that is the target.

    `game` is the engine's, None as long as it is not whole. The percentage is computed.
    """

    kind = games.GAME.name
    tail = RULES
    builds: ClassVar[type[Game]]
    prize_columns: ClassVar[Sequence[str]] = ()
    """The names of further columns of the table of prizes."""

    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        validators=[RegexValidator("^[a-z0-9-]+$", _("Small letters, digits and hyphens."))],
        help_text=_("Another price, size or other prizes are another game, with another code."),
    )
    price_cents = EurosField(label=_("Price of a ticket (€)"), max_value=_MOST_EUROS)
    tickets = forms.IntegerField(
        label=_("Tickets of an emission"), min_value=1, max_value=MAX_TICKETS
    )

    def build(self) -> None:
        for code, language in settings.LANGUAGES:
            label = _("Name in %(language)s") % {"language": language}
            self.fields[f"name_{code}"] = forms.CharField(label=label, max_length=64)
        self.game: Game | None = None
        self.like: Game | None = None
        self.find_draft()
        if self.draft is not None:
            self.like = read_game(self.draft.content["document"])
        elif self.target is not None:
            self.like = version_game(self.target.pk)
        if not isinstance(self.like, self.builds):  # the address of the other form was written
            self.like = self.draft = None
        self.lines = max(PRIZES, len(self.like.kind.prizes) + 1 if self.like else 0)
        self.grids = [self._prizes_grid(), self._things_grid(), *self.more_grids()]
        self.add_rules(rows=5, required=True)
        for name, field in self.fields.items():
            field.required = field.required and name in self.always()
        if self.like is not None:
            self._begin_with(self.like)

    # --- Fields -----------------------------------------------------------------------------------

    def always(self) -> set[str]:
        """Return the names of the fields that every game of this kind needs."""
        return {"code", "price_cents", "tickets", *RULES, *(f"name_{code}" for code in LANGUAGES)}

    def more_grids(self) -> list[Grid]:
        """Add the fields of this kind of game, and return their tables."""
        raise NotImplementedError

    def prize_fields(self) -> dict[str, forms.Field]:
        """Return the fields of the further columns of one prize, by column."""
        raise NotImplementedError

    def _prizes_grid(self) -> Grid:
        rows = []
        headers: list[Any] = []
        for at in range(self.lines):
            fields = {
                "cash": EurosField(label=_("in cash (€)"), min_value=0, max_value=_MOST_EUROS),
                "thing": forms.TypedChoiceField(
                    label=_("or a thing"),
                    choices=[("", "–"), *[(n, letter(n)) for n in range(THINGS)]],
                    coerce=int,
                    empty_value=None,
                ),
                **self.prize_fields(),
            }
            headers = [_("prize"), *(field.label for field in fields.values())]
            names = self._add(fields, at)
            rows.append((str(at + 1), names))
        about = _(
            "From the largest to the smallest. A new line appears when the last is filled in."
        )
        return Grid(headers, rows, _("Prizes"), about)

    def _things_grid(self) -> Grid:
        rows = []
        headers: list[Any] = []
        for at in range(THINGS):
            named = {
                f"thing_{code}": forms.CharField(label=language, max_length=120)
                for code, language in settings.LANGUAGES
            }
            worth = EurosField(label=_("worth (€), tax included"), max_value=_MOST_EUROS)
            source = forms.CharField(label=_("by which source"), max_length=200)
            fields = {**named, "worth": worth, "source": source, "valued": DayField(label=_("on"))}
            headers = [_("thing"), *(field.label for field in fields.values())]
            rows.append((letter(at), self._add(fields, at)))
        return Grid(headers, rows, _("Things that are prizes"))

    def _add(self, fields: Mapping[str, forms.Field], at: int) -> list[str]:
        """Add the fields of a row of a table; return their names."""
        for name, field in fields.items():
            self.fields[f"{name}_{at}"] = field
        return [f"{name}_{at}" for name in fields]

    def labels_grid(self, keys: Mapping[str, Any], title: Any) -> Grid:
        """Add the names of signs or acts in each language; return their table.

        `keys` has the heading of each row. A name begins as in the games that are shipped.
        """
        rows = []
        for key, heading in keys.items():
            names = [f"label_{code}_{key}" for code in LANGUAGES]
            for name, (code, language) in zip(names, settings.LANGUAGES, strict=True):
                self.fields[name] = forms.CharField(label=language, max_length=60)
                self.initial[name] = usual_labels(code).get(key, "")
            rows.append((heading, names))
        return Grid((_("name"), *(language for _code, language in settings.LANGUAGES)), rows, title)

    # --- From a game ------------------------------------------------------------------------------

    def _begin_with(self, game: Game) -> None:
        initial: Data = {"code": game.code, "tickets": game.kind.tickets}
        initial["price_cents"] = euros_text(game.kind.price_cents)
        for code, texts in game.texts.items():
            initial |= {f"name_{code}": texts.name, f"rules_{code}": "\n\n".join(texts.rules)}
            initial |= {f"label_{code}_{key}": text for key, text in texts.labels.items()}
        for at, thing in enumerate(self._things_of(game)):
            initial |= {f"worth_{at}": euros_text(thing.equivalent_cents)}
            initial |= {f"source_{at}": thing.source, f"valued_{at}": thing.valued_on}
            for code, texts in game.texts.items():
                initial[f"thing_{code}_{at}"] = texts.prizes.get(thing.description, "")
        things = self._things_of(game)
        for at, prize in enumerate(game.kind.prizes):
            if prize.in_kind is None:
                initial[f"cash_{at}"] = euros_text(prize.cash_cents)
            else:
                initial[f"thing_{at}"] = things.index(prize.in_kind)
        self.initial.update(initial)
        self.initial.update(self.initial_of(game))

    def initial_of(self, game: Game) -> Data:
        """Return the first values of the fields of this kind of game."""
        raise NotImplementedError

    @staticmethod
    def _things_of(game: Game | None) -> list[InKind]:
        prizes = game.kind.prizes if game else ()
        return [*dict.fromkeys(p.in_kind for p in prizes if p.in_kind is not None)]

    # --- To a game --------------------------------------------------------------------------------

    def clean(self) -> Data:
        data: Data = super().clean() or {}
        prizes = self._prizes(data)
        if prizes and {"price_cents", "tickets"} <= data.keys():
            game = self.game_of(data, prizes)
            if game is not None:
                self.game = game
                self._judge(game)
        data["document"] = write_game(self.game) if self.game else None
        data["draft"] = self.draft
        return data

    def game_of(self, data: Data, prizes: Sequence[Prize]) -> Game | None:
        """Return the game with its percentage computed; None with its faults told, or as long as
        something is missing.
        """
        raise NotImplementedError

    def _judge(self, game: Game) -> None:
        """Put the faults that the engine finds today at their fields."""
        recorded = Recorded.objects.select_related("type").filter(code=game.code).first()
        if recorded is not None and recorded.type.factors != games.factors_of(game):
            text = gettext(
                "Another price, size or other prizes are another game: give it a new name."
            )
            self.add_error("code", text)
        for fault in games.approval_on_today(game).faults:
            if fault.code not in _NOT_NAMED and not fault.place.startswith("$.texts"):
                self.tell(fault)

    def tell(self, fault: Fault) -> None:
        """Put a fault of the engine at its field, in words."""
        place = self.field_at(fault.place)
        self.add_error(place if place in self.fields else None, self._sentence(fault))

    def _sentence(self, fault: Fault) -> str:
        figures = games.figures_today()
        if fault.code == "price_out_of_range":
            text = gettext("From %(least)s to %(most)s (15.III.4).")
            least, most = figures.minimum_price_cents, figures.maximum_price_cents
            return text % {"least": money(least), "most": money(most)}
        if fault.code == "prizes_too_low":
            text = gettext("At least %(least)s goes to prizes (15.III.6.2).")
            return text % {"least": percent(figures.minimum_prize_percent)}
        return f"{FAULTS.get(fault.code, fault.detail)} ({fault.article})."

    def field_at(self, place: str) -> str:
        """Return the name of the field for a place in the definition."""
        match = re.fullmatch(r"\$\.(tiers|prizes)\[(\d+)\](?:\.(.+))?", place)
        if match:
            at, inner = match[2], match[3] or "cash_cents"
            if inner.startswith("in_kind."):
                columns = {"equivalent_cents": "worth", "source": "source", "valued_on": "valued"}
                thing = self.cleaned_data.get(f"thing_{at}")
                return f"{columns[inner.removeprefix('in_kind.')]}_{thing}"
            return f"{ {'count': 'count'}.get(inner, 'cash') }_{at}"
        usual = {"$.tiers": "cash_0", "$.mechanic": "cash_0", "$.presentation": "pictures"}
        return usual.get(place, place.removeprefix("$."))

    def percent_of(self, exact: Fraction) -> Fraction | None:
        """Return the percentage, or None with the fault told if it is above 100."""
        if exact <= 100:
            return exact
        self.add_error("price_cents", _TOO_MUCH)
        return None

    def _prizes(self, data: Data) -> list[Prize]:
        """Return the prizes up to the last line that is filled in; none if there is a fault."""
        things, names = self._things(data), ("cash", "thing", *self.prize_columns)
        filled = [at for at in range(self.lines) if any(data.get(f"{n}_{at}") for n in names)]
        prizes = []
        for at in range(max(filled, default=-1) + 1):
            cash, thing = data.get(f"cash_{at}"), data.get(f"thing_{at}")
            if cash and thing is not None:
                self.add_error(f"cash_{at}", gettext("A prize is in cash or a thing, not both."))
            elif thing is not None and thing not in things:
                self.add_error(f"thing_{at}", gettext("This thing is not described below."))
            elif not cash and thing is None:
                self.add_error(f"cash_{at}", gettext("A sum, or a thing, is missing here."))
            else:
                prizes.append(Prize(cash or 0) if thing is None else Prize(in_kind=things[thing]))
        return prizes if len(prizes) == max(filled, default=-1) + 1 else []

    def _things(self, data: Data) -> dict[int, InKind]:
        """Return the things that are described, by line. A thing keeps its name in definitions."""
        named = [f"thing_{code}" for code in LANGUAGES]
        before = [thing.description for thing in self._things_of(self.like)]
        things: dict[int, InKind] = {}
        for at in range(THINGS):
            cells = [data.get(f"{column}_{at}") for column in (*named, "worth", "source", "valued")]
            if not any(cells):
                continue
            for column in named:
                self.need(f"{column}_{at}", data)
            named_en = slugify(data.get(f"thing_en_{at}") or "")[:_MAX_KEY_CHARS]
            key = before[at] if at < len(before) else named_en or f"thing-{at}"
            taken = {thing.description for thing in things.values()}
            things[at] = InKind(
                description=f"{key}-{at}" if key in taken else key,
                equivalent_cents=data.get(f"worth_{at}"),
                source=data.get(f"source_{at}") or "",
                valued_on=data.get(f"valued_{at}"),
            )
        return things

    def need(self, name: str, data: Data) -> None:
        """Put the error `required` at a field of the form that has no value and no error yet."""
        if name in self.fields and not data.get(name) and name not in self.errors:
            self.add_error(name, forms.ValidationError(gettext("Fill this in."), code="required"))

    def texts(self, data: Data, prizes: Sequence[Prize], labels: Sequence[str]) -> dict[str, Texts]:
        """Return the texts by language, as far as they are filled in."""
        things = {p.in_kind.description for p in prizes if p.in_kind is not None}
        lines = {thing.description: at for at, thing in self._things(data).items()}
        for code in LANGUAGES:
            for key in labels:
                self.need(f"label_{code}_{key}", data)
        return {
            code: Texts(
                name=data.get(f"name_{code}") or "",
                rules=tuple(_paragraphs(data.get(f"rules_{code}") or "")),
                prizes={k: data.get(f"thing_{code}_{lines[k]}") or "" for k in sorted(things)},
                labels={key: data.get(f"label_{code}_{key}") or "" for key in labels},
            )
            for code in LANGUAGES
        }

    # --- Beside the form --------------------------------------------------------------------------

    def lines_away(self) -> Iterator[str]:
        """Yield the fields of the lines to hide: all but one line after the last filled one."""
        columns = ("cash", "thing", *self.prize_columns)
        yield from self.rows_after(self.grids[0], columns)
        named = (*(f"thing_{code}" for code in LANGUAGES), "worth", "source", "valued")
        yield from self.rows_after(self.grids[1], named)

    def rows_after(self, grid: Grid, columns: Sequence[str], spare: int = 1) -> Iterator[str]:
        """Yield the fields of a table after its last filled line and `spare` more.

        A line is filled if one of the columns is.
        """
        filled = [
            at
            for at in range(len(grid.rows))
            if any(self.data.get(f"{column}_{at}") for column in columns)
        ]
        for _heading, names in grid.rows[max(filled, default=-1) + 1 + spare :]:
            yield from names

    def absent(self) -> Iterator[str]:
        """Yield the fields that this kind of play or picture lacks."""
        yield from self.lines_away()

    def live(self) -> Data:
        context: Data = {"absent": " ".join(self.absent())}
        if self.game is not None:
            context |= self.sums(self.game)
        return context

    def sums(self, game: Game) -> Data:
        """Return the computed figures of a game."""
        raise NotImplementedError

    def summary(self) -> Facts:
        game = self.game
        assert game is not None  # noqa: S101  (asked only of a valid form)
        return words.facts(game, words.before(game.code, self.target.pk if self.target else None))


def letter(at: int) -> str:
    """Return the letter that names a line: A, B, C, ..."""
    return chr(ord("A") + at)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text; an empty line stands between two."""
    for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        if paragraph.strip():
            yield paragraph.strip()


def usual_labels(code: str) -> dict[str, str]:
    """Return the names of signs and acts in the games that are shipped."""
    return {k: v for game in shipped() for k, v in game.texts[code].labels.items()}
