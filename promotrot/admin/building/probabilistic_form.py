"""Build a probabilistic game on a form: what is hidden, or the rungs of a ladder, with chances."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import TextChoices
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.forms import Grid
from core.kernel.languages import LANGUAGES
from promotrot.admin.building import game_sums
from promotrot.admin.building.game_form import Data, GameForm, letter, usual_labels
from promotrot.engine.game import Game, ProbabilisticGame, Texts
from promotrot.engine.game_json import MAX_TICKETS
from promotrot.engine.mechanics.hidden import MAX_OPENINGS, Deal, Hidden
from promotrot.engine.mechanics.ladder import Ladder, Rung, Way
from promotrot.engine.prize_table import Prize, declarable
from promotrot.engine.situations import Mechanic
from promotrot.engine.strategies import ProbabilisticType

_DEALS, _RUNGS, _WAYS, _ACTS = 16, 13, 16, 4
_USUAL_ACTS = ("trot", "sprint", "third", "fourth")
_DEAL = ("weight", "contents")
_WAY = ("from", "act", "up", "of", "rise", "fall")


class _Play(TextChoices):
    HIDDEN = "hidden", _("hidden places: open one, keep or change it")
    LADDER = "ladder", _("a ladder: stop, or risk it for the next rung")


def _number(label: Any, least: int = 0, most: int = MAX_TICKETS) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most)


def _hidden_values(mechanic: Hidden) -> Data:
    """Return the values of the fields that say what is hidden."""
    values: Data = {"play": _Play.HIDDEN.value, "openings": mechanic.openings}
    values["empty_changes"] = 0 in mechanic.changeable
    values |= {f"change_{tier - 1}": True for tier in mechanic.changeable if tier}
    for at, deal in enumerate(mechanic.deals):
        contents = " ".join(map(str, deal.contents))
        values |= {f"weight_{at}": deal.weight, f"contents_{at}": contents}
    return values


class ProbabilisticForm(GameForm):
    live_template = "promotrot/admin/probabilistic_live.html"
    builds = ProbabilisticGame

    play = forms.ChoiceField(label=_("How it is played"), choices=_Play.choices)
    openings = forms.IntegerField(
        label=_("Places that may be opened"), initial=2, min_value=1, max_value=MAX_OPENINGS
    )
    empty_changes = forms.BooleanField(
        label=_("An empty place is changed for another"), initial=True
    )

    def always(self) -> set[str]:
        return super().always() | {"play"}

    def prize_fields(self) -> dict[str, forms.Field]:
        return {"change": forms.BooleanField(label=_("may be changed"))}

    def more_grids(self) -> list[Grid]:
        mechanic = self.like.kind.mechanic if isinstance(self.like, ProbabilisticGame) else None
        deals = len(mechanic.deals) if isinstance(mechanic, Hidden) else 0
        rungs = mechanic.rungs if isinstance(mechanic, Ladder) else ()
        ways = sum(len(rung.ways) for rung in rungs)
        named = dict.fromkeys(way.name for rung in rungs for way in rung.ways)
        self.acts = [*named, *_USUAL_ACTS[len(named) : _ACTS]]
        names = {"open": _("open a place"), "keep": _("keep it"), "stop": _("stop")}
        return [
            self._deals_grid(max(_DEALS, deals + 1)),
            self._rungs_grid(max(_RUNGS, len(rungs) + 1)),
            self._ways_grid(max(_WAYS, ways + 1)),
            self.labels_grid(names, _("Names of the acts")),
            self._acts_grid(),
        ]

    def _deals_grid(self, lines: int) -> Grid:
        rows = []
        for at in range(lines):
            weight = _number(_("weight"), 1)
            contents = forms.CharField(label=_("prizes behind the places"), max_length=80)
            names = self._add({"weight": weight, "contents": contents}, at)
            rows.append((str(at + 1), names))
        headers = (_("set"), _("weight"), _("prizes behind the places"))
        about = _(
            "One set is taken for each play, by its weight. Write the numbers of its prizes with a"
            " space between two, and 0 for an empty place: 1 5 6 0 0."
        )
        return Grid(headers, rows, _("What is hidden"), about)

    def _rungs_grid(self, lines: int) -> Grid:
        rows = []
        for at in range(lines):
            names = self._add({"stop": _number(_("number of the prize"), 0, 99)}, at)
            rows.append((gettext("rung %(number)s") % {"number": at} if at else _("start"), names))
        about = _("The prize with which the player may stop; empty where the play must go on.")
        return Grid((_("rung"), _("number of the prize")), rows, _("Rungs of the ladder"), about)

    def _ways_grid(self, lines: int) -> Grid:
        rows = []
        headers: list[Any] = []
        acts = [("", "–"), *((at, letter(at)) for at in range(len(self.acts)))]
        for at in range(lines):
            fields: dict[str, forms.Field] = {
                "from": _number(_("from rung"), 0, 99),
                "act": forms.TypedChoiceField(
                    label=_("by the act"), choices=acts, coerce=int, empty_value=None
                ),
                "up": _number(_("succeeds in"), 1),
                "of": _number(_("of so many"), 1),
                "rise": _number(_("up by rungs"), 1, 99),
                "fall": _number(_("otherwise prize"), 0, 99),
            }
            headers = [_("way"), *(field.label for field in fields.values())]
            rows.append((str(at + 1), self._add(fields, at)))
        about = _("Without a number it goes up by one rung, and otherwise there is no prize.")
        return Grid(headers, rows, _("Ways up"), about)

    def _acts_grid(self) -> Grid:
        rows = []
        for at, act in enumerate(self.acts):
            fields = {
                f"act_{code}": forms.CharField(label=language, max_length=60)
                for code, language in settings.LANGUAGES
            }
            rows.append((letter(at), self._add(fields, at)))
            for code in LANGUAGES:
                self.initial[f"act_{code}_{at}"] = usual_labels(code).get(act, "")
        headers = (_("act"), *(language for _code, language in settings.LANGUAGES))
        return Grid(headers, rows, _("Names of the ways up"))

    def initial_of(self, game: Game) -> Data:
        assert isinstance(game, ProbabilisticGame)  # noqa: S101  (of this form)
        mechanic = game.kind.mechanic
        if isinstance(mechanic, Hidden):
            return _hidden_values(mechanic)
        if isinstance(mechanic, Ladder):
            return self._ladder_values(mechanic, game.texts)
        return {}  # a mechanic that has no fields here

    def _ladder_values(self, mechanic: Ladder, texts: Mapping[str, Texts]) -> Data:
        initial: Data = {"play": _Play.LADDER.value}
        initial |= {f"stop_{at}": rung.stop for at, rung in enumerate(mechanic.rungs)}
        ways = [(at, way) for at, rung in enumerate(mechanic.rungs) for way in rung.ways]
        for line, (at, way) in enumerate(ways):
            values = (at, self.acts.index(way.name), way.up, way.of, way.rise, way.fall)
            initial |= {f"{name}_{line}": value for name, value in zip(_WAY, values, strict=True)}
        for number, act in enumerate(self.acts):
            for code, named in texts.items():
                if act in named.labels:
                    initial[f"act_{code}_{number}"] = named.labels[act]
        return initial

    # --- To a game --------------------------------------------------------------------------------

    def game_of(self, data: Data, prizes: Sequence[Prize]) -> Game | None:
        self.places: dict[str, str] = {}
        is_ladder = data.get("play") == _Play.LADDER
        mechanic = self._ladder(data) if is_ladder else self._hidden(data, len(prizes))
        if mechanic is None:
            return None
        faults = [*mechanic.faults(len(prizes))]
        for fault in faults:
            self.tell(fault)
        if faults:
            return None
        kind = ProbabilisticType(
            Fraction(0), data["tickets"], data["price_cents"], tuple(prizes), mechanic
        )
        worst = self.percent_of(kind.percentages().worst)
        if worst is None:
            return None
        return ProbabilisticGame(
            code=data.get("code") or "?",
            kind=ProbabilisticType(
                declarable(worst), kind.tickets, kind.price_cents, kind.prizes, mechanic
            ),
            texts=self._texts(data, prizes, mechanic),
        )

    def _texts(self, data: Data, prizes: Sequence[Prize], mechanic: Mechanic) -> dict[str, Texts]:
        """Return the texts; the ways up have names of their own."""
        acts = [act for act in self.acts if act in mechanic.labels]
        for act in acts:
            for code in LANGUAGES:
                name = f"act_{code}_{self.acts.index(act)}"
                self.need(name, data)
                data[f"label_{code}_{act}"] = data.get(name)
        fixed = [act for act in dict.fromkeys(mechanic.labels) if act not in acts]
        return self.texts(data, prizes, [*acts, *fixed])

    def _hidden(self, data: Data, prizes: int) -> Hidden | None:
        self.need("openings", data)
        deals: list[Deal] = []
        for at in self._filled(_DEAL):
            self.need(f"weight_{at}", data)
            self.need(f"contents_{at}", data)
            written = re.split(r"[,;\s]+", (data.get(f"contents_{at}") or "").strip())
            if not all(part.isdecimal() and len(part) < 3 for part in written):
                text = gettext("Numbers of prizes with a space between two; 0 is nothing.")
                self.add_error(f"contents_{at}", text)
            elif data.get(f"weight_{at}"):
                for name in _DEAL:
                    self.places[f"deals[{len(deals)}].{name}"] = f"{name}_{at}"
                deals.append(Deal(data[f"weight_{at}"], tuple(int(part) for part in written)))
        if not data.get("openings") or len(deals) < len(self._filled(_DEAL)):
            return None
        if not deals:
            self.need("weight_0", data)
            return None
        changeable = {at + 1 for at in range(prizes) if data.get(f"change_{at}")}
        changeable |= {0} if data.get("empty_changes") else set()
        return Hidden(data["openings"], frozenset(changeable), tuple(deals))

    def _ladder(self, data: Data) -> Ladder | None:
        stops = {at: data.get(f"stop_{at}") for at in range(len(self.grids[3].rows))}
        ways: dict[int, list[Way]] = {}
        for line in self._filled(_WAY[:4]):
            for name in ("from", "act", "up", "of"):
                if data.get(f"{name}_{line}") is None:
                    self.need(f"{name}_{line}", data)
            if any(f"{name}_{line}" in self.errors for name in _WAY):
                return None
            here = ways.setdefault(data[f"from_{line}"], [])
            place = f"rungs[{data[f'from_{line}']}].ways[{len(here)}]"
            self.places |= {f"{place}.{name}": f"{name}_{line}" for name in _WAY}
            self.places[f"{place}.name"] = f"act_{line}"
            act = self.acts[data[f"act_{line}"]]
            rise, fall = data.get(f"rise_{line}") or 1, data.get(f"fall_{line}") or 0
            here.append(Way(act, data[f"up_{line}"], data[f"of_{line}"], rise, fall))
        top = max([at for at, stop in stops.items() if stop is not None] + [*ways], default=-1)
        if top < 0:
            self.need("stop_1", data)
            return None
        rungs = (Rung(stops.get(at), tuple(ways.get(at, ()))) for at in range(top + 1))
        return Ladder(tuple(rungs))

    def _filled(self, columns: Sequence[str]) -> list[int]:
        """Return the lines of the table with these columns in which something is filled in."""
        grid = next(grid for grid in self.grids if f"{columns[0]}_0" in grid.names)
        lines = range(len(grid.rows))
        return [n for n in lines if any(self.data.get(f"{name}_{n}") for name in columns)]

    def field_at(self, place: str) -> str:
        inner = place.removeprefix("$.mechanic.")
        rung = re.fullmatch(r"rungs\[(\d+)\]\.(?:ways|stop)", inner)
        if rung:
            return f"stop_{rung[1]}"
        usual = {"deals": "weight_0", "rungs": "stop_0", "openings": "openings"}
        return self.places.get(inner) or usual.get(inner) or super().field_at(place)

    # --- Beside the form --------------------------------------------------------------------------

    def absent(self) -> Iterator[str]:
        yield from super().absent()
        deals, rungs, ways, names, acts = self.grids[2:]
        if self.cleaned_data.get("play") == _Play.LADDER:
            yield from ("openings", "empty_changes", *deals.names)
            yield from (f"change_{at}" for at in range(self.lines))
            yield from (name for row in names.rows[:2] for name in row[1])
            yield from self.rows_after(rungs, ("stop",), spare=2)
            yield from self.rows_after(ways, _WAY[:4])
            used = {self.data.get(f"act_{line}") for line in range(len(ways.rows))}
            for at, (_heading, fields) in enumerate(acts.rows):
                if at and str(at) not in used:
                    yield from fields
        else:
            yield from (*rungs.names, *ways.names, *acts.names, *names.rows[2][1])
            yield from self.rows_after(deals, _DEAL)

    def sums(self, game: Game) -> Data:
        assert isinstance(game, ProbabilisticGame)  # noqa: S101  (of this form)
        return game_sums.probabilistic(game)
