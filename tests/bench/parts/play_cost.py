"""Divide the processor time of a play with its act, in microseconds for both."""

import secrets

from core.api.middleware import RequestLog
from core.api.views import LeanView
from core.database import statements
from promotrot.api import play as play_api
from promotrot.services import playing
from tests.bench.dividing import Divided, divided, need_accounts
from tests.bench.parts import play
from tests.bench.store import Figures, Store, terminals
from tests.support import emitting


def measure(store: Store) -> Figures:
    """Return the figures `play_cost.*`. Skipped without /proc or with a server that is not ours."""
    need_accounts()
    game = emitting.approved(
        emitting.document(play.GAME, code=f"{play.GAME}-{secrets.token_hex(3)}")
    )
    plays = play.Plays([emitting.opened(game)], terminals())
    what = Divided(
        "play_cost",
        "play",
        plays.request,
        plays._playing.clear,
        (201, 201),
        (
            ("view", LeanView, "dispatch"),
            ("parsing", LeanView, "body"),
            ("outcome", playing, "_drawn"),
            ("codes", playing, "issues"),
            ("driver", statements, "_run"),
            ("card", play_api, "card_of"),
            ("answer", play_api, "json_response"),
            ("log", RequestLog, "_write"),
        ),
        {"promotrot_sell": "sell", "promotrot_look": "look", "promotrot_act": "act"},
        "promotrot_sell",
    )
    return divided(store, what, url=store.stack.play_url)
