"""List the acts on premises' accounts that two persons must do."""

from core.statements import guarantee, services

KINDS = (services.RATE, guarantee.GUARANTEE, services.REMITTANCE, guarantee.LIMITS)
