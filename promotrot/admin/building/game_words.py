"""Put a game into words: for its page, and for the deciding person beside the version before."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.building.words import (
    Facts,
    amount,
    changed,
    percent,
    rules_texts,
    table,
    version_name,
)
from core.admin_support.columns import NOTHING, whole
from core.admin_support.contents import ProposalWords
from core.database.reading.batches import row_by, rows_by, the
from core.kernel.canonical import canonical_bytes
from core.kernel.languages import LANGUAGES
from core.staff.models import Proposal
from promotrot.engine.game import Game, PredrawnGame, ProbabilisticGame, Texts
from promotrot.engine.game_json import read_game
from promotrot.engine.mechanics.hidden import Hidden
from promotrot.engine.mechanics.ladder import Ladder, Way
from promotrot.engine.presentation import Letters, Symbols
from promotrot.engine.prize_table import Prize
from promotrot.models.game import Game as RecordedGame
from promotrot.models.game import GameType, GameVersion
from promotrot.selectors.games import approved_before, version_game

Rows = Sequence[tuple[str, ...]]
Before = tuple[Game, str]
"""A game to compare with, and how it is named."""


def texts_of(game: Game) -> Texts:
    """Return the texts in the language of the page, or in any."""
    language = get_language() or ""
    return game.texts.get(language) or next(iter(game.texts.values()))


def prize_text(prize: Prize, texts: Texts) -> str:
    """Return a prize in words, a thing with its equivalent."""
    if prize.in_kind is None:
        return amount(prize.cash_cents)
    thing = prize.in_kind
    name = texts.prizes.get(thing.description) or thing.description
    return f"{name} ({amount(thing.equivalent_cents)})"


def tier_text(game: Game, tier: int) -> str:
    """Return the prize of a tier in words; 0 is none."""
    prizes = game.kind.prizes
    if not 0 < tier <= len(prizes):
        return gettext("nothing")
    return prize_text(prizes[tier - 1], texts_of(game))


# --- A game, and the one before it ----------------------------------------------------------------


def facts(game: Game, before: Before | None = None) -> Facts:
    """Return a game as names and values, with the values that the version before had otherwise."""
    old, named = before or (game, "")

    def line(title: Any, tell: Callable[[Game], str]) -> tuple[Any, Any]:
        return title, changed(tell(game), tell(old), named)

    rules_before = {code: _rules(old, code) for code in old.texts} if before else None
    return [
        *(
            (
                _("Name in %(language)s") % {"language": language},
                changed(_name(game, code), _name(old, code), named),
            )
            for code, language in settings.LANGUAGES
        ),
        line(_("code"), lambda of: of.code),
        line(_("kind of game"), _mode),
        line(_("price of a ticket"), lambda of: amount(of.kind.price_cents)),
        line(_("tickets of an emission"), lambda of: whole(of.kind.tickets)),
        line(_("takings if all are sold"), lambda of: amount(of.kind.takings_cents)),
        line(_("percentage to prizes"), lambda of: percent(of.kind.prize_percent)),
        (_("prizes"), _prizes(game, old, named)),
        *(_played(game, old, named)),
        (_("names on the screen"), _labels(game, old, named)),
        *rules_texts({code: _rules(game, code) for code in game.texts}, rules_before),
    ]


def _name(game: Game, code: str) -> str:
    return game.texts[code].name if code in game.texts else NOTHING


def _rules(game: Game, code: str) -> str:
    return "\n\n".join(game.texts[code].rules)


def _mode(game: Game) -> str:
    mode = GameType.Mode.PREDRAWN if isinstance(game, PredrawnGame) else GameType.Mode.PROBABILISTIC
    return str(mode.label)


def _prizes(game: Game, old: Game, named: str) -> SafeString:
    headers: list[Any] = [_("prize"), _("worth")]
    if isinstance(game, PredrawnGame):
        headers += [_("number"), _("together"), _("shown by")]
    now, was = _prize_rows(game), _prize_rows(old)
    return table(headers, _compared(now, was, named))


def _compared(now: Rows, was: Rows, named: str) -> list[Any]:
    """Return the rows with the former values in their cells, and the rows that were removed."""
    before, after = {row[0]: row for row in was}, {row[0] for row in now}
    width = max((len(row) for row in now), default=1)
    none = [NOTHING] * width
    removed = [(row[0], *none[1:]) for row in was if row[0] not in after] if named else []
    rows = []
    for row in [*now, *removed]:
        others = [*before.get(row[0], none)[1:], *none]
        cells = zip(row[1:], others, strict=False)
        rows.append((row[0], *(changed(cell, other, named) for cell, other in cells)))
    return rows


def _prize_rows(game: Game) -> list[tuple[str, ...]]:
    texts = texts_of(game)
    if isinstance(game, ProbabilisticGame):
        prizes = enumerate(game.kind.prizes, start=1)
        return [(str(number), prize_text(prize, texts)) for number, prize in prizes]
    return [
        (
            str(number),
            prize_text(tier.prize, texts),
            whole(tier.count),
            amount(tier.total_cents),
            shown_by(game, number),
        )
        for number, tier in enumerate(game.kind.tiers, start=1)
    ]


def shown_by(game: PredrawnGame, tier: int) -> str:
    """Return the content of a picture of the tier, in words."""
    picture = game.presentation
    if tier > picture.tiers:
        return NOTHING
    if isinstance(picture, Symbols):
        sign = picture.winning[tier - 1]
        return f"{picture.match} × {texts_of(game).labels.get(sign) or sign}"
    if isinstance(picture, Letters):
        return picture.words[tier - 1]
    return gettext("%(number)s in common") % {"number": picture.matches[tier - 1]}


def _played(game: Game, old: Game, named: str) -> Facts:
    if isinstance(game, PredrawnGame):
        tells: list[tuple[Any, Callable[[Any], str]]] = [
            (_("tickets of a block"), lambda of: whole(of.block_tickets)),
            (_("pictures"), _picture),
        ]
        was = old if isinstance(old, PredrawnGame) else game
        return [(title, changed(tell(game), tell(was), named)) for title, tell in tells]
    assert isinstance(game, ProbabilisticGame)  # noqa: S101  (there are two modes)
    other = old if isinstance(old, ProbabilisticGame) else game
    sentence = changed(_play(game), _play(other), named)
    return [
        (_("how it is played"), sentence),
        (_("chances"), chances_table(game, other, named)),
    ]


def _picture(game: PredrawnGame) -> str:
    picture = game.presentation
    if isinstance(picture, Symbols):
        text = gettext("%(columns)s × %(rows)s squares; %(match)s equal signs win")
        return text % {"columns": picture.columns, "rows": picture.rows, "match": picture.match}
    if isinstance(picture, Letters):
        text = gettext("%(columns)s × %(rows)s letters of %(letters)s")
        letters = ", ".join(picture.signs)
        return text % {"columns": picture.columns, "rows": picture.rows, "letters": letters}
    text = gettext("%(winners)s winning numbers and %(yours)s of the player, from 1 to %(highest)s")
    figures = {"winners": picture.winners, "yours": picture.yours, "highest": picture.highest}
    return text % figures


def _play(game: ProbabilisticGame) -> str:
    mechanic = game.kind.mechanic
    if isinstance(mechanic, Hidden):
        text = gettext(
            "%(places)s hidden places; up to %(openings)s are opened; changed: %(which)s"
        )
        which = ", ".join(tier_text(game, tier) for tier in sorted(mechanic.changeable)) or NOTHING
        return text % {"places": mechanic.places, "openings": mechanic.openings, "which": which}
    if isinstance(mechanic, Ladder):
        return gettext("a ladder of %(rungs)s rungs") % {"rungs": len(mechanic.rungs) - 1}
    return str(mechanic.document()["kind"])  # of a mechanic that has no words here


def chances_table(game: ProbabilisticGame, old: Game, named: str) -> SafeString:
    """Return the hidden prizes, or the rungs of the ladder, with the chance of each.

    Of a mechanic that has no words here, return its definition, field by field.
    """
    headers: tuple[Any, ...] = (_("name"), _("value"))
    if isinstance(game.kind.mechanic, Hidden):
        headers = (_("set"), _("chance"), _("what is hidden"))
    elif isinstance(game.kind.mechanic, Ladder):
        headers = (_("rung"), _("stops with"), _("ways up"))
    return table(headers, _compared(_chances(game), _chances(old), named))


def _chances(game: Game) -> list[tuple[str, ...]]:
    assert isinstance(game, ProbabilisticGame)  # noqa: S101  (asked only for such games)
    mechanic = game.kind.mechanic
    if isinstance(mechanic, Hidden):
        weights = sum(deal.weight for deal in mechanic.deals)
        return [
            (
                str(number),
                percent(Fraction(100 * deal.weight, weights)),
                ", ".join(tier_text(game, tier) for tier in deal.contents),
            )
            for number, deal in enumerate(mechanic.deals, start=1)
        ]
    if isinstance(mechanic, Ladder):
        return [
            (
                str(at) if at else gettext("start"),
                NOTHING if rung.stop is None else tier_text(game, rung.stop),
                "; ".join(_way(game, way, at) for way in rung.ways) or NOTHING,
            )
            for at, rung in enumerate(mechanic.rungs)
        ]
    fields = {**mechanic.document()}
    return [
        (name, canonical_bytes(value).decode()) for name, value in fields.items() if name != "kind"
    ]


def _way(game: Game, way: Way, at: int) -> str:
    text = gettext("%(act)s: %(chance)s to rung %(rung)s, otherwise %(fall)s")
    return text % {
        "act": texts_of(game).labels.get(way.name) or way.name,
        "chance": percent(Fraction(100 * way.up, way.of)),
        "rung": at + way.rise,
        "fall": tier_text(game, way.fall),
    }


def _labels(game: Game, old: Game, named: str) -> SafeString:
    headers = (_("name"), *(language for _code, language in settings.LANGUAGES))
    return table(headers, _compared(_label_rows(game), _label_rows(old), named))


def _label_rows(game: Game) -> list[tuple[str, ...]]:
    """Return the names of things, signs and acts, by language."""
    named: dict[str, dict[str, str]] = {}
    for code in LANGUAGES:
        texts = game.texts.get(code)
        for key, text in {
            **(texts.prizes if texts else {}),
            **(texts.labels if texts else {}),
        }.items():
            named.setdefault(key, {})[code] = text
    here = texts_of(game)
    names_here = {**here.prizes, **here.labels}
    return [
        (names_here.get(key, key), *(by_code.get(code, NOTHING) for code in LANGUAGES))
        for key, by_code in named.items()
    ]


# --- Proposals ------------------------------------------------------------------------------------


def before(code: str, like: int | None, proposal: Proposal | None = None) -> Before | None:
    """Return the version to compare one with: the game's approved one before, or its model.

    `like` is the key of the version that it was made from. What was approved by the `proposal`
    itself, or later, is not before it.
    """
    decision = getattr(proposal, "decision", None)
    earlier = approved_before(code, decision.decided_at if decision else None)
    if earlier is not None:
        return version_game(earlier.pk), version_name(earlier.version)
    if like is None:
        return None
    model = GameVersion.objects.select_related("game").get(pk=like)
    return version_game(model.pk), f"{model.game.code}, {version_name(model.version)}"


def _proposed(proposal: Proposal) -> Facts:
    game = read_game(proposal.content["document"])
    return facts(game, before(game.code, proposal.content["like"], proposal))


def _subject(proposal: Proposal) -> str:
    game = read_game(proposal.content["document"])
    text = gettext("%(name)s: %(tickets)s tickets at %(price)s")
    price, tickets = amount(game.kind.price_cents), whole(game.kind.tickets)
    return text % {"name": texts_of(game).name, "tickets": tickets, "price": price}


def _corrected_at(proposal: Proposal) -> str:
    mode = proposal.content["document"]["mode"]
    address = reverse("admin:promotrot_gameversion_changelist")
    return f"{address}{mode}/?{urlencode({'draft': str(proposal.uuid)})}"


def _version_of(content: Mapping[str, Any]) -> GameVersion:
    versions = GameVersion.objects.select_related("game")
    return versions.get(game__code=content["game"], version=content["version"])


def _approved(proposal: Proposal) -> Facts:
    version = _version_of(proposal.content)
    compared = before(version.game.code, None, proposal)
    return [(_("version"), str(version.version)), *facts(version_game(version.pk), compared)]


def _approval(proposal: Proposal) -> str:
    content = proposal.content
    game = the(row_by(RecordedGame, "code", content["game"]))
    versions = rows_by(GameVersion, "game", game.pk)
    version = the(next((row for row in versions if row.version == content["version"]), None))
    name = texts_of(read_game(version.document)).name
    return f"{name}, {version_name(version.version)}"


GAME_WORDS = ProposalWords("document", _subject, _proposed, _corrected_at)
APPROVAL_WORDS = ProposalWords("digest", _approval, _approved)
