"""List the acts on public draws that two persons must do."""

from core.draws.abandoning import ABANDONMENT
from core.draws.manual import MANUAL

KINDS = (MANUAL, ABANDONMENT)
