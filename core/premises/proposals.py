"""List the acts on premises that two persons must do."""

from core.premises import resolutions

KINDS = (resolutions.RESOLUTION,)
