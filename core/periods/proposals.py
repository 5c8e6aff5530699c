"""List the acts on periods that two persons must do."""

from core.periods.archive.retiring import RETIREMENT
from core.periods.names import ERASURE
from core.periods.services import CLOSING

KINDS = (CLOSING, ERASURE, RETIREMENT)
