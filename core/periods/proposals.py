"""List the acts on periods that two persons must do."""

from core.periods import services

KINDS = (services.CLOSING,)
