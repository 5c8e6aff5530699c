"""Stop what a restored database would deal again."""

from io import StringIO

import pytest
from django.core.management import call_command

from core.journal import acting
from promotrot.models.emission import Emission
from promotrot.services.selling import EmissionClosed
from tests.support import emitting

pytestmark = pytest.mark.django_db


@pytest.mark.article("15.II.2")
def test_after_a_restore_no_pre_drawn_emission_is_sold_until_two_persons_close_it() -> None:
    """Its next tickets were dealt after the instant, and who saw them knew what comes next."""
    dealt = emitting.opened(emitting.small("dealt"))
    played = emitting.opened(emitting.document("trotters-ladder"))
    waiting = emitting.witnessed(
        emitting.committed(emitting.planned(emitting.approved(emitting.small("waits"))))
    )
    emitting.sold(dealt, 2)
    for stopped in ([dealt.reference], []):
        output = StringIO()
        with acting.acting("command:emissions_stop"):
            call_command("emissions_stop", stdout=output)
        lines = [f"stopped: {each}" for each in stopped]
        lines += [f"not on sale here, with its seed fixed: {waiting.reference}"]
        assert output.getvalue().splitlines() == lines
    with pytest.raises(EmissionClosed):
        emitting.sold(dealt, 1)
    played.refresh_from_db()
    assert played.state == Emission.State.OPEN
    assert emitting.closed(dealt).state == Emission.State.CLOSED
