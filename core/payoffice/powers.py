"""Name the acts of the prize office that need a power, and list the roles that may do each."""

from core.staff.powers import Role

KEEP_CASH = "payoffice.cash"
SET_CASH_CEILING = "payoffice.cash_ceiling"
CHECK = "payoffice.check"
ISSUE_CHEQUES = "payoffice.cheques"
PRINT_CHEQUES = "payoffice.cheques.print"
SEE_DEPOSIT = "payoffice.deposit.look"
MATCH_DEPOSIT = "payoffice.deposit.match"
TAKE_DEPOSIT = "payoffice.deposit.take"
PAY = "payoffice.pay"
PRESENT = "payoffice.present"
READ = "payoffice.read"
RULE_ON_DEPOSIT = "payoffice.ruling"
KEEP_STOCK = "payoffice.stock"
WRITE_OFF = "payoffice.write_off"

POWERS = {
    KEEP_CASH: frozenset({Role.CASHIER, Role.SUPERVISOR}),
    SET_CASH_CEILING: frozenset({Role.ORGANISER}),
    CHECK: frozenset({Role.CASHIER, Role.SUPERVISOR, Role.ORGANISER, Role.AUDITOR}),
    ISSUE_CHEQUES: frozenset({Role.SUPERVISOR, Role.ORGANISER}),
    PRINT_CHEQUES: frozenset({Role.CASHIER, Role.SUPERVISOR, Role.ORGANISER}),
    SEE_DEPOSIT: frozenset({Role.SUPERVISOR, Role.ORGANISER}),
    MATCH_DEPOSIT: frozenset({Role.SUPERVISOR, Role.ORGANISER}),
    TAKE_DEPOSIT: frozenset({Role.CASHIER, Role.SUPERVISOR}),
    PAY: frozenset({Role.CASHIER, Role.SUPERVISOR}),
    PRESENT: frozenset({Role.CASHIER, Role.SUPERVISOR}),
    READ: frozenset({Role.CASHIER, Role.SUPERVISOR, Role.ORGANISER, Role.AUDITOR}),
    RULE_ON_DEPOSIT: frozenset({Role.SUPERVISOR, Role.ORGANISER}),
    KEEP_STOCK: frozenset({Role.SUPERVISOR, Role.ORGANISER}),
    WRITE_OFF: frozenset({Role.ORGANISER}),
}
