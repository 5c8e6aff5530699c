"""List the rules between the rows of public draws and the acts that wrote them (14.III.5.4)."""

from core.journal.binding import as_named, became, confirmed, published, stamped, with_rows
from core.journal.rules import Rule

_UUID = "(SELECT d.uuid::text FROM draws_draw d WHERE d.id = t.draw_id)"
_OF_DRAW = "o.draw_id = t.id"


RULES: tuple[Rule, ...] = (
    with_rows("draws_draw", ("draws_announcement", _OF_DRAW)),
    became("draws_draw", "state", "committed", ("draws_commitment", _OF_DRAW)),
    became("draws_draw", "state", "drawn", ("draws_outcome", _OF_DRAW)),
    became("draws_draw", "state", "certified", ("draws_drawcertificate", _OF_DRAW)),
    became("draws_draw", "state", "called_off", ("draws_calloff", _OF_DRAW)),
    became("draws_draw", "state", "abandoned", ("draws_abandonment", _OF_DRAW)),
    stamped(
        "draws_announcement", "announced_at", user="announced_by_id", session="announced_in_id"
    ),
    stamped("draws_attendance", "attended_at", user="inspector_id", session="session_id"),
    stamped("draws_placereason", "stated_at", session="session_id"),
    stamped("draws_calloff", "called_off_at", user="called_off_by_id", session="called_off_in_id"),
    published("draws_calloff", "draws.called_off", _UUID),
    stamped("draws_commitment", "committed_at", user="committed_by_id", session="committed_in_id"),
    published("draws_commitment", "draws.commitment", _UUID),
    with_rows(
        "draws_drawfield",
        ("draws_commitment", "o.draw_id = t.draw_id"),
        ("draws_outcome", "o.draw_id = t.draw_id AND o.method = 'balls'"),
    ),
    with_rows(
        "staff_proposal",
        ("proofs_logentry", "o.kind = 'draws.balls' AND o.subject = t.uuid::text"),
        name="balls_published",
        unless="t.kind <> 'draws.manual'",
    ),
    stamped("draws_outcome", "entered_at", user="entered_by_id", session="entered_in_id"),
    confirmed("draws_outcome"),
    as_named("draws_outcome"),
    published("draws_outcome", "draws.outcome", _UUID),
    stamped("draws_drawcertificate", "certified_at", session="session_id"),
    published("draws_drawcertificate", "draws.minutes", _UUID),
    stamped("draws_abandonment", "abandoned_at"),
    confirmed("draws_abandonment"),
    as_named("draws_abandonment"),
    published("draws_abandonment", "draws.abandoned", _UUID),
)
