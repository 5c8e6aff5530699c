"""Name the acts on public draws that need a power, and list the roles that may do each."""

from core.staff.powers import Role

CERTIFY = "draws.certify"
CONDUCT = "draws.conduct"
READ = "draws.read"

POWERS = {
    CERTIFY: frozenset({Role.INSPECTOR}),
    CONDUCT: frozenset({Role.ORGANISER}),
    READ: frozenset(Role) - {Role.CASHIER, Role.SUPERVISOR, Role.ADMINISTRATOR},
}
