"""List the acts on premises that two persons must do."""

from core.premises import openings, resolutions

KINDS = (openings.OPENING, openings.ENROLMENT, resolutions.RESOLUTION)
