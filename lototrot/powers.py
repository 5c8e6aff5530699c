"""Name the acts of Lototrot that need a power, and list the roles that may do each."""

from core.staff.powers import Role

UNDO_BREACH = "lototrot.breach"
CLASSIFY = "lototrot.classification"
CONFIRM_CORRECTION = "lototrot.classification.correction"
CLOSE_CONTEST = "lototrot.contest.close"
END_GAME = "lototrot.end"
AMEND_FIGURES = "lototrot.figures.amend"
OPEN_CONTEST = "lototrot.contest.open"
POSTPONE_CLOSING = "lototrot.contest.postpone"
CONFIRM_POSTPONEMENT = "lototrot.contest.postpone.confirm"
PREPARE_CONTEST = "lototrot.contest.prepare"
READ = "lototrot.read"
READ_TICKETS = "lototrot.tickets.read"
ORDER_PAYMENT = "lototrot.payment_order"
LIST_PRIZES = "lototrot.prizes.list"
APPROVE_PROGRAMME = "lototrot.programme.approve"
IMPORT_PROGRAMME = "lototrot.programme.import"
DECLARE_RACE = "lototrot.race.declare"
DECIDE_UNPRINTED = "lototrot.unprinted"
REQUEST_SETTLEMENT = "lototrot.settlement.request"
RECORD_START = "lototrot.start"
EXPORT_TICKETS = "lototrot.tickets.export"
STOP_SALES = "lototrot.stop"
WATCH = "lototrot.watch"
WITHDRAW = "lototrot.withdrawal"

POWERS = {
    UNDO_BREACH: frozenset({Role.ORGANISER}),
    CLASSIFY: frozenset({Role.STEWARDS}),
    CONFIRM_CORRECTION: frozenset({Role.INSPECTOR, Role.AUDITOR}),
    CLOSE_CONTEST: frozenset({Role.ORGANISER}),
    END_GAME: frozenset({Role.ORGANISER}),
    AMEND_FIGURES: frozenset({Role.ORGANISER}),
    OPEN_CONTEST: frozenset({Role.ORGANISER}),
    POSTPONE_CLOSING: frozenset({Role.ORGANISER, Role.STEWARDS}),
    CONFIRM_POSTPONEMENT: frozenset({Role.STEWARDS}),
    PREPARE_CONTEST: frozenset({Role.ORGANISER}),
    READ: frozenset(Role),
    READ_TICKETS: frozenset({Role.INSPECTOR, Role.AUDITOR}),
    ORDER_PAYMENT: frozenset({Role.ORGANISER}),
    LIST_PRIZES: frozenset({Role.ORGANISER, Role.AUDITOR}),
    APPROVE_PROGRAMME: frozenset({Role.ORGANISER}),
    IMPORT_PROGRAMME: frozenset({Role.ORGANISER}),
    DECLARE_RACE: frozenset({Role.STEWARDS, Role.ORGANISER}),
    REQUEST_SETTLEMENT: frozenset({Role.ORGANISER}),
    RECORD_START: frozenset({Role.STEWARDS}),
    DECIDE_UNPRINTED: frozenset({Role.ORGANISER}),
    EXPORT_TICKETS: frozenset({Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR}),
    STOP_SALES: frozenset({Role.STEWARDS}),
    WATCH: frozenset({Role.ORGANISER, Role.STEWARDS, Role.INSPECTOR, Role.AUDITOR}),
    WITHDRAW: frozenset({Role.STEWARDS, Role.ORGANISER}),
}
