"""Name the acts on public draws that need a power, and list the roles that may do each."""

from core.staff.powers import Role

CERTIFY = "draws.certify"
CONDUCT = "draws.conduct"

POWERS = {
    CERTIFY: frozenset({Role.INSPECTOR}),
    CONDUCT: frozenset({Role.ORGANISER}),
}
