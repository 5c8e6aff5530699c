"""Define a concrete game (a type, its presentation and its texts) and check it for approval
(15.II.2).

The approval lists all faults at once. It returns what is published with the game: the plan of a
pre-drawn emission, or the exact percentages of a probabilistic game.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from core.kernel.languages import LANGUAGES
from core.kernel.regulation import GameFigures
from promotrot.engine import presentation as pictures
from promotrot.engine import prize_table, strategies
from promotrot.engine.plan import BlockSizeRefused, Plan, PlanImpossible, make_plan
from promotrot.engine.presentation import Presentation, Symbols
from promotrot.engine.prize_table import PredrawnType
from promotrot.engine.rules import Fault
from promotrot.engine.strategies import Percentages, ProbabilisticType


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a game in one language.

    `prizes` names the prizes in kind, `labels` the signs of a picture or the acts of a play. Both
    are by identifier.
    """

    name: str
    rules: tuple[str, ...]
    prizes: Mapping[str, str]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PredrawnGame:
    """A pre-drawn type with its pictures. A block has `block_tickets` tickets [P2]."""

    code: str
    kind: PredrawnType
    block_tickets: int
    presentation: Presentation
    texts: Mapping[str, Texts]


@dataclass(frozen=True, slots=True)
class ProbabilisticGame:
    """A probabilistic type. Its mechanic also says how it is played on the screen."""

    code: str
    kind: ProbabilisticType
    texts: Mapping[str, Texts]


Game = PredrawnGame | ProbabilisticGame


@dataclass(frozen=True, slots=True)
class Approval:
    """The result of checking a game. A game without faults may be approved.

    The three `percentages` of a pre-drawn game are equal, because no act of the player changes them
    [P12]. `percentages` and `plan` are None if there are faults.
    """

    faults: tuple[Fault, ...]
    percentages: Percentages | None
    plan: Plan | None


def approve(game: Game, figures: GameFigures, *, day: date) -> Approval:
    """Check a game on the day of its approval. `figures` are Promotrot's figures in force."""
    rules_published = all(lang in game.texts and game.texts[lang].rules for lang in LANGUAGES)
    faults = list(_text_faults(game))
    plan = None
    if isinstance(game, PredrawnGame):
        faults += prize_table.faults(game.kind, figures, day=day, rules_published=rules_published)
        faults += pictures.faults(
            game.presentation, sum(not tier.extra for tier in game.kind.tiers)
        )
        if not faults:
            try:
                kept_percent = game.kind.kept_percent(figures.minimum_prize_percent)
                plan = make_plan(game.kind, kept_percent, block_tickets=game.block_tickets)
            except (BlockSizeRefused, PlanImpossible) as error:
                faults.append(Fault(error.code, "15.III.6.2", error.detail, "$.block_tickets"))
    else:
        faults += strategies.faults(game.kind, figures, day=day, rules_published=rules_published)
    if faults:
        return Approval(tuple(faults), None, None)
    return Approval((), _percentages(game), plan)


def _percentages(game: Game) -> Percentages:
    if isinstance(game, ProbabilisticGame):
        return game.kind.percentages()
    exact = Fraction(100 * game.kind.prizes_cents, game.kind.takings_cents)
    return Percentages(exact, exact, exact)


def _text_faults(game: Game) -> Iterable[Fault]:
    things = {prize.in_kind.description for prize in game.kind.prizes if prize.in_kind is not None}
    labels = {*_labels(game)}
    for language in LANGUAGES:
        texts = game.texts.get(language)
        missing = (
            ["everything"]
            if texts is None
            else [
                *(["the name"] if not texts.name.strip() else []),
                *sorted(things - {key for key, text in texts.prizes.items() if text.strip()}),
                *sorted(labels - {key for key, text in texts.labels.items() if text.strip()}),
            ]
        )
        if missing:
            detail = f"The texts in {language!r} lack {', '.join(missing)}."
            yield Fault("text_missing", "15.III.5.2", detail, f"$.texts.{language}")


def _labels(game: Game) -> Iterable[str]:
    """Return the identifiers that need a text on the screen."""
    if isinstance(game, PredrawnGame):
        return game.presentation.signs if isinstance(game.presentation, Symbols) else ()
    return game.kind.mechanic.labels
