"""Report the age of the boards' data to Prometheus."""

from core.api.metrics import Source
from core.screens.live import age

METRICS: tuple[Source, ...] = (age,)
