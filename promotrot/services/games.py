"""Record concrete games as documents and have two persons approve them; they never change
(15.II.2).
"""

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.canonical import canonical_sha256
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid, NotFound
from core.kernel.money import exact_json
from core.kernel.regulation import GameFigures, shipped
from core.ledger import services as ledger
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from promotrot import accounts, powers
from promotrot.engine import game as engine
from promotrot.engine.game_json import read_game, write_factors, write_game
from promotrot.engine.rules import Fault
from promotrot.engine.strategies import Percentages
from promotrot.models.game import Game, GameApproval, GameEnding, GameType, GameVersion
from promotrot.selectors.games import artwork_missing, version_game


class GameUnknown(NotFound):
    code = "game_unknown"
    message = "There is no such game."


class VersionUnknown(NotFound):
    code = "game_version_unknown"
    message = "The game has no such version."


class TypeChanged(Conflict):
    code = "game_type_changed"
    message = (
        "With another percentage, price, number of tickets or prizes it is another game: give it"
        " another code."
    )


class GameEnded(Conflict):
    code = "game_ended"
    message = "The game has ended for good."


class VersionApproved(Conflict):
    code = "game_version_approved"
    message = "This version is approved already."


class ApprovalRefused(Invalid):
    """The game has faults. `data["faults"]` lists each with its stable code and article."""

    code = "approval_refused"
    message = "The game does not pass its approval."


@transaction.atomic
def game_record(*, by: StaffActor, document: Mapping[str, Any]) -> GameVersion:
    """Record a version of a game from its document. The same content again returns the same row.

    A version with faults is recorded too, but it cannot be approved. Raises GameRefused,
    TypeChanged, GameEnded.
    """
    by.need(powers.RECORD_GAME)
    return _record(document, by.user_id, by.session_id)


def _record(document: Mapping[str, Any], person: int, session: int) -> GameVersion:
    read = read_game(document)
    digest = canonical_sha256(dict(document)).hex()
    game = _game_of(read)
    hold((Lock.GAME, game.pk))
    recorded = GameVersion.objects.filter(game=game, digest=digest).first()
    if recorded is not None:
        return recorded
    need_not_ended(game)
    return GameVersion.objects.create(
        game=game,
        version=game.versions.count() + 1,
        document=document,
        digest=digest,
        recorded_at=clock.now(),
        recorded_by_id=person,
        recorded_in_id=session,
    )


@transaction.atomic
def game_propose(
    *,
    by: StaffActor,
    document: Mapping[str, Any],
    replaces: uuid.UUID | None = None,
    like: GameVersion | None = None,
) -> Proposal:
    """Propose a version of a game, whole. A second person confirms: it is on record, and approved.

    `replaces` is a proposal that still waits and that this one corrects: it is rejected. `like` is
    the version that this one is compared with where it is the first of its code. Raises
    GameRefused, TypeChanged, GameEnded, ApprovalRefused, VersionApproved, ProposalPending, or
    ProposalUnknown and ProposalDecided for `replaces`.
    """
    by.need(powers.RECORD_GAME)
    by.need(powers.APPROVE_GAME)
    read = _need_proposable(document)
    return two_persons.propose(
        kind=GAME,
        subject=f"promotrot:{read.code}",
        by=by,
        content={"document": dict(document), "like": like.pk if like else None},
        replaces=replaces,
    )


def _need_proposable(document: Mapping[str, Any]) -> engine.Game:
    """Return the game of a document that may be recorded and approved today. Raise otherwise."""
    read = read_game(document)
    game = Game.objects.select_related("type").filter(code=read.code).first()
    if game is not None:
        need_not_ended(game)
        if factors_of(read) != game.type.factors:
            raise TypeChanged(game=game.code)
        digest = canonical_sha256(dict(document)).hex()
        approved = GameVersion.objects.filter(
            game=game, digest=digest, approval__isnull=False
        ).first()
        if approved is not None:
            raise VersionApproved(game=game.code, version=approved.version)
    need_approvable(approval_on_today(read))
    return read


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    document = proposal.content["document"]
    _need_proposable(document)
    version = _record(document, proposal.proposed_by_id, proposal.proposed_in_id)
    _need_open_question(version)
    _approved(version, proposal)


def _game_of(read: engine.Game) -> Game:
    """Return the game with that code and its type. Create both if they are new."""
    factors = factors_of(read)
    kind, _ = GameType.objects.get_or_create(
        digest=canonical_sha256(factors).hex(),
        defaults={
            "mode": factors["mode"],
            "prize_percent": factors["prize_percent"],
            "tickets": read.kind.tickets,
            "price_cents": read.kind.price_cents,
            "factors": factors,
        },
    )
    account = accounts.prizes(read.code)
    game, _ = Game.objects.get_or_create(
        code=read.code,
        defaults={
            "type": kind,
            "recorded_at": clock.now(),
            "prize_account": ledger.account_open([account])[account.code],
        },
    )
    if game.type_id != kind.pk:
        raise TypeChanged(game=game.code)
    return game


def factors_of(read: engine.Game) -> dict[str, Any]:
    """Return the factors and the mode that make a game's type, in one canonical form."""
    return {"mode": write_game(read)["mode"], **write_factors(read)}


def game_check(*, version: GameVersion) -> engine.Approval:
    """Return the result of an approval of the version today: faults, percentages and plan."""
    return approval_on_today(version_game(version.pk))


def approval_on_today(game: engine.Game) -> engine.Approval:
    """Return the engine's approval by the regulation in force.

    It also checks that every language has texts and that every sign has a drawing (15.I.1).
    """
    approval = engine.approve(game, figures_today(), day=natural_day(clock.now()))
    missing = artwork_missing(game)
    if not missing:
        return approval
    detail = f"There is no drawing of {', '.join(missing)}."
    fault = Fault("artwork_missing", "15.I.1", detail, "$.presentation")
    return engine.Approval((*approval.faults, fault), None, None)


def figures_today() -> GameFigures:
    """Return the regulation's figures for Promotrot today."""
    return shipped().in_force(natural_day(clock.now())).promotrot


def need_approvable(approval: engine.Approval) -> Percentages:
    """Return the percentages of an approval. Raises ApprovalRefused, with all faults, if there are
    any.
    """
    if approval.faults or approval.percentages is None:
        raise ApprovalRefused(
            faults=[
                {"code": f.code, "article": f.article, "detail": f.detail, "place": f.place}
                for f in approval.faults
            ]
        )
    return approval.percentages


def game_approve_propose(*, by: StaffActor, version: GameVersion) -> Proposal:
    """Propose to approve a version. A second person confirms.

    Raises ApprovalRefused, VersionApproved, GameEnded.
    """
    by.need(powers.APPROVE_GAME)
    _need_open_question(version)
    need_approvable(game_check(version=version))
    return two_persons.propose(
        kind=APPROVAL,
        subject=f"promotrot:{version.game.code}:{version.version}",
        by=by,
        content={
            "game": version.game.code,
            "version": version.version,
            "digest": version.digest,
        },
    )


def _need_open_question(version: GameVersion) -> None:
    if GameApproval.objects.filter(version=version).exists():
        raise VersionApproved(game=version.game.code, version=version.version)
    need_not_ended(version.game)


def _approve(proposal: Proposal, by: StaffActor) -> None:
    version = version_get(proposal.content["game"], proposal.content["version"])
    hold((Lock.GAME, version.game_id))
    _need_open_question(version)
    _approved(version, proposal)


def _approved(version: GameVersion, proposal: Proposal) -> None:
    """Record the approval of a version today. Raises ApprovalRefused."""
    approval = game_check(version=version)
    percentages = need_approvable(approval)
    GameApproval.objects.create(
        version=version,
        proposal=proposal,
        day=natural_day(clock.now()),
        approved_at=clock.now(),
        percentages={
            "worst": exact_json(percentages.worst),
            "random": exact_json(percentages.random),
            "best": exact_json(percentages.best),
        },
        plan_digest=approval.plan.digest().hex() if approval.plan else "",
    )


APPROVAL = two_persons.Kind(
    "promotrot.approval", powers.APPROVE_GAME, _approve, good_for=two_persons.A_WEEK
)


GAME = two_persons.Kind(
    "promotrot.game", powers.APPROVE_GAME, _confirmed, good_for=two_persons.A_WEEK
)


def need_not_ended(game: Game) -> None:
    """Raise GameEnded if the game has ended for good."""
    if GameEnding.objects.filter(game=game).exists():
        raise GameEnded(game=game.code)


def game_get(code: str) -> Game:
    """Return the game. Raises GameUnknown."""
    game = Game.objects.select_related("type").filter(code=code).first()
    if game is None:
        raise GameUnknown(game=code)
    return game


def version_get(code: str, version: int) -> GameVersion:
    """Return the version. Raises VersionUnknown."""
    row = (
        GameVersion.objects.select_related("game__type")
        .filter(game__code=code, version=version)
        .first()
    )
    if row is None:
        raise VersionUnknown(game=code, version=version)
    return row
