"""Make the rows that tests need: people, places, programmes, contests, sales, events of races.

The rows are written directly, as the services would leave them, so that a test of one service does
not depend on the others. The functions are no fixtures: call them on any database.
"""

from tests.support.factories.contests import (
    bet_type as bet_type,
)
from tests.support.factories.contests import (
    bet_type_of as bet_type_of,
)
from tests.support.factories.contests import (
    contest as contest,
)
from tests.support.factories.contests import (
    contest_closed as contest_closed,
)
from tests.support.factories.contests import (
    contest_opened as contest_opened,
)
from tests.support.factories.contests import (
    internal_bets as internal_bets,
)
from tests.support.factories.contests import (
    meeting as meeting,
)
from tests.support.factories.contests import (
    prints_ended as prints_ended,
)
from tests.support.factories.contests import (
    race as race,
)
from tests.support.factories.contests import (
    racecourse as racecourse,
)
from tests.support.factories.contests import (
    races_of as races_of,
)
from tests.support.factories.contests import (
    ticket_model as ticket_model,
)
from tests.support.factories.course import (
    announced_time as announced_time,
)
from tests.support.factories.course import (
    classified as classified,
)
from tests.support.factories.course import (
    declaration_of as declaration_of,
)
from tests.support.factories.course import (
    declared as declared,
)
from tests.support.factories.course import (
    drawn as drawn,
)
from tests.support.factories.course import (
    signal_device as signal_device,
)
from tests.support.factories.course import (
    start_of as start_of,
)
from tests.support.factories.course import (
    started as started,
)
from tests.support.factories.course import (
    withdrawal as withdrawal,
)
from tests.support.factories.course import (
    witnessed as witnessed,
)
from tests.support.factories.people import (
    account as account,
)
from tests.support.factories.people import (
    another_session as another_session,
)
from tests.support.factories.people import (
    came as came,
)
from tests.support.factories.people import (
    given_a_password as given_a_password,
)
from tests.support.factories.people import (
    in_both_roles as in_both_roles,
)
from tests.support.factories.people import (
    one_time_code as one_time_code,
)
from tests.support.factories.people import (
    proposal as proposal,
)
from tests.support.factories.people import (
    second_factor as second_factor,
)
from tests.support.factories.people import (
    signed_on as signed_on,
)
from tests.support.factories.people import (
    staff as staff,
)
from tests.support.factories.people import (
    time_on_to as time_on_to,
)
from tests.support.factories.people import (
    time_pass as time_pass,
)
from tests.support.factories.people import (
    time_to as time_to,
)
from tests.support.factories.people import (
    two_organisers as two_organisers,
)
from tests.support.factories.people import (
    two_stewards as two_stewards,
)
from tests.support.factories.places import (
    KEY as KEY,
)
from tests.support.factories.places import (
    Point as Point,
)
from tests.support.factories.places import (
    central_office as central_office,
)
from tests.support.factories.places import (
    ended as ended,
)
from tests.support.factories.places import (
    enrolment_code as enrolment_code,
)
from tests.support.factories.places import (
    guarantee as guarantee,
)
from tests.support.factories.places import (
    opened as opened,
)
from tests.support.factories.places import (
    operator_at as operator_at,
)
from tests.support.factories.places import (
    operator_signed_on as operator_signed_on,
)
from tests.support.factories.places import (
    point as point,
)
from tests.support.factories.places import (
    premises as premises,
)
from tests.support.factories.sales import (
    Sale as Sale,
)
from tests.support.factories.sales import (
    acknowledge as acknowledge,
)
from tests.support.factories.sales import (
    sell as sell,
)
