"""List the acts on premises' accounts that two persons must do."""

from core.statements import guarantee, services

KINDS = (services.RATE, services.GUARANTEE, services.REMITTANCE, guarantee.LIMITS)
