"""List the acts on accounts that two administrators must do."""

from core.staff import accounts, second_factor

KINDS = (
    accounts.ACCOUNT,
    accounts.ROLES,
    accounts.REACTIVATION,
    accounts.PASSWORD,
    second_factor.ENDING,
)
