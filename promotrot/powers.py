"""Name the acts of Promotrot that need a power, and list the roles that may do each."""

from core.staff.powers import Role

CLOSE_EMISSION = "promotrot.emission.close"
COMMIT_EMISSION = "promotrot.emission.commit"
OPEN_EMISSION = "promotrot.emission.open"
PLAN_EMISSION = "promotrot.emission.plan"
READ_EMISSIONS = "promotrot.emission.read"
WITNESS_EMISSION = "promotrot.emission.witness"
APPROVE_GAME = "promotrot.game.approve"
END_GAME = "promotrot.game.end"
RECORD_GAME = "promotrot.game.record"
END_PLAY = "promotrot.play.end"
MOVE_PLAY = "promotrot.play.move"
READ_PLAYS = "promotrot.play.read"
READ_POSITIONS = "promotrot.positions.read"
HAND_OVER = "promotrot.voucher.hand_over"

POWERS = {
    CLOSE_EMISSION: frozenset({Role.ORGANISER}),
    COMMIT_EMISSION: frozenset({Role.ORGANISER}),
    OPEN_EMISSION: frozenset({Role.ORGANISER}),
    PLAN_EMISSION: frozenset({Role.ORGANISER}),
    READ_EMISSIONS: frozenset({Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.SUPERVISOR}),
    WITNESS_EMISSION: frozenset({Role.INSPECTOR}),
    APPROVE_GAME: frozenset({Role.ORGANISER}),
    END_GAME: frozenset({Role.ORGANISER}),
    RECORD_GAME: frozenset({Role.ORGANISER}),
    END_PLAY: frozenset({Role.CASHIER, Role.SUPERVISOR}),
    MOVE_PLAY: frozenset({Role.ORGANISER}),
    READ_PLAYS: frozenset(
        {Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.SUPERVISOR, Role.CASHIER}
    ),
    READ_POSITIONS: frozenset({Role.INSPECTOR, Role.AUDITOR}),
    HAND_OVER: frozenset({Role.CASHIER, Role.SUPERVISOR}),
}
