"""List the acts on premises' accounts that two persons must do."""

from core.statements import services

KINDS = (services.RATE, services.GUARANTEE, services.REMITTANCE)
