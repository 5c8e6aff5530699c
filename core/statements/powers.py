"""Name the acts on the statements that need a power, and list the roles that may do each."""

from core.staff.powers import Role

SET_GUARANTEE = "statements.guarantee"
SET_RATES = "statements.rates"
READ = "statements.read"
SETTLE = "statements.settle"

POWERS = {
    SET_GUARANTEE: frozenset({Role.ORGANISER}),
    SET_RATES: frozenset({Role.ORGANISER}),
    READ: frozenset({Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.SUPERVISOR}),
    SETTLE: frozenset({Role.ORGANISER, Role.SUPERVISOR}),
}
