"""Do the due work of emissions once, however often the sweeper sends it."""

from collections.abc import Callable

import pytest

from core.proofs.models import LogEntry
from promotrot import tasks
from promotrot.models.emission import Emission, PublicFigures
from promotrot.selectors.closing import emissions_without_top, reveals_due
from promotrot.selectors.public import figures_due
from tests.support import emitting

pytestmark = pytest.mark.django_db


def _twice(task: Callable[[int], object], due: list[int]) -> None:
    for pk in due * 2:
        task(pk)


def test_figures_stop_and_seed_are_found_due_and_done_once() -> None:
    early = emitting.seed_where("small/1", lambda tiers: 1 not in tiers[10:])
    with emitting.seeded(early):
        emission = emitting.opened(emitting.small(), stop_without_top=True)
    assert (figures_due(), emissions_without_top(), reveals_due()) == ([], [], [])
    emitting.sold_and_played(emission, 12)
    assert figures_due() == emissions_without_top() == [emission.pk]
    _twice(tasks.take_figures, figures_due())
    assert PublicFigures.objects.get().sold == 12
    _twice(tasks.stop, emissions_without_top())
    assert Emission.objects.get().state == Emission.State.STOPPED
    assert (figures_due(), emissions_without_top(), reveals_due()) == ([], [], [])
    emitting.closed(emission)
    assert reveals_due() == [emission.pk]
    _twice(tasks.reveal, reveals_due())
    assert Emission.objects.get().state == Emission.State.REVEALED
    assert LogEntry.objects.filter(kind="promotrot.seed").count() == 1
    assert reveals_due() == []
