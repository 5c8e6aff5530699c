"""The age of what boards show, for Prometheus."""

from core.api.metrics import Source
from core.screens.live import age

METRICS: tuple[Source, ...] = (age,)
