"""List the acts on premises that two persons must do."""

from core.premises import openings, resolutions, suspending

KINDS = (
    openings.OPENING,
    openings.ENROLMENT,
    resolutions.RESOLUTION,
    suspending.SUSPENDING,
    suspending.LIFTING,
    suspending.RESUMING,
)
