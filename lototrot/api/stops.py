"""Stop sales, list the stops, and propose to lift one (14.III.4) [E12].

Take signals from the course as well, and appoint the devices that give them.
"""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Choice, Flag, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView
from core.premises.api.terminal import ProvenTerminalView
from core.premises.services import TerminalNotFound
from core.staff.api.proposals import TAKES_EFFECT, ProposalOut
from core.staff.two_persons import ProposalPending
from lototrot import powers
from lototrot.api.course_shapes import ReasonIn
from lototrot.models.stops import SalesStop
from lototrot.selectors.contests import RaceUnknown
from lototrot.selectors.stops import signal_devices, stops_list
from lototrot.services.programme.official import MeetingUnknown, meeting_get
from lototrot.services.races import signals, stopping
from lototrot.services.reasons import ReasonMissing, SourceMissing


class StopIn(Shape):
    source = Text(max_length=400, help_text="Who reported it, or why.")


class StopOut(Shape):
    id = Whole()
    meeting = Whole(source="meeting_id")
    race = Whole(source="race_id", allow_null=True, help_text="Null: the whole meeting.")
    source = serializers.CharField()
    stopped_at = Instant()
    proposal = Uuid(
        source="proposal.uuid",
        allow_null=True,
        default=None,
        help_text="The start or declaration that stopped sales; its decision ends the stop.",
    )
    ended_at = Instant(allow_null=True)
    ending = Choice((*SalesStop.Ending.values, ""), help_text="Empty while sales are stopped.")


class StopQuery(PageQuery):
    standing = Flag(default=False, help_text="Only the stops that have not ended.")


class RaceStop(StaffView):
    @operation(
        "Stop the sales of every contest on a race, at once (14.III.4) [E12]",
        "A second person confirms the start, or two persons lift the stop. The same person's stop "
        "again changes nothing.",
        body=StopIn,
        answer=StopOut,
        status=201,
        problems=(RaceUnknown, SourceMissing, stopping.NothingOnSale),
        example={"source": "The horses are off"},
        power=powers.STOP_SALES,
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        body = self.read(StopIn)
        return self.answer(StopOut, stopping.race_stop(by=self.by, race_id=race, **body), 201)


class MeetingStop(StaffView):
    @operation(
        "Stop the sales of every contest on a meeting, at once (14.III.4) [E12]",
        "Two persons lift the stop. The same person's stop again changes nothing.",
        body=StopIn,
        answer=StopOut,
        status=201,
        problems=(MeetingUnknown, SourceMissing, stopping.NothingOnSale),
        example={"source": "Fire in the grandstand"},
        power=powers.STOP_SALES,
    )
    def post(self, request: Request, meeting: int) -> HttpResponse:
        body = self.read(StopIn)
        row = meeting_get(meeting)
        return self.answer(StopOut, stopping.meeting_stop(by=self.by, meeting=row, **body), 201)


class Stops(StaffView):
    @operation(
        "Stops of sales, newest first",
        answer=StopOut,
        paged=True,
        query=StopQuery,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(StopQuery)
        rows = stops_list(standing=query["standing"])
        return self.rows(StopOut, rows, query, newest_first=True)


class Lifting(StaffView):
    @operation(
        "Propose to lift a stop, so that sales go on",
        TAKES_EFFECT,
        body=ReasonIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            stopping.StopUnknown,
            ReasonMissing,
            stopping.StopEnded,
            stopping.StopAwaitsDecision,
            ProposalPending,
        ),
        example={"reason": "A false start: the horses are called back."},
        power=powers.STOP_SALES,
    )
    def post(self, request: Request, stop: int) -> HttpResponse:
        return self.created_once(
            ProposalOut, stopping.stop_lift, by=self.by, stop_id=stop, **self.read(ReasonIn)
        )


class SignalDeviceIn(Shape):
    terminal = Text(max_length=20, help_text="Of a sales point at a racecourse.")
    racecourse = Text(max_length=20)


class SignalDeviceOut(Shape):
    id = Whole()
    terminal = serializers.CharField(source="terminal.code")
    racecourse = serializers.CharField(source="racecourse.code")
    appointed_at = Instant()
    proposal = Uuid(source="proposal.uuid")
    ended_at = Instant(allow_null=True)


class RaceSignal(ProvenTerminalView):
    @operation(
        "Stop the sales of every contest on a race, on a signal from the course (14.III.4) [E12]",
        "Of a terminal that two persons appointed for the racecourse. Its key signs the request;"
        " no operator is needed. A signal again changes nothing while the stop stands. A second"
        " person confirms the start, or two persons lift the stop.",
        answer=StopOut,
        status=201,
        problems=(
            RaceUnknown,
            signals.NotSignalDevice,
            signals.SignalOutsideMeeting,
            stopping.NothingOnSale,
        ),
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        self.read(Shape)
        stop = signals.race_signal(terminal=self.terminal, race_id=race)
        return self.answer(StopOut, stop, 201)


class SignalDevices(StaffView):
    @operation(
        "Devices that signal starts, newest first",
        answer=SignalDeviceOut,
        paged=True,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        rows = signal_devices()
        return self.rows(SignalDeviceOut, rows, self.query(PageQuery), newest_first=True)

    @operation(
        "Propose that a terminal signals the starts of a racecourse [E12]",
        TAKES_EFFECT,
        body=SignalDeviceIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            TerminalNotFound,
            signals.RacecourseUnknown,
            signals.SignalDevicePlace,
            signals.SignalDeviceAppointed,
            ProposalPending,
        ),
        example={"terminal": "T-0001", "racecourse": "SONPARDO"},
        power=powers.STOP_SALES,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            ProposalOut, signals.device_appoint, by=self.by, **self.read(SignalDeviceIn)
        )


class SignalDeviceEnd(StaffView):
    @operation(
        "End a device that signals starts, at once",
        "What it stopped stays stopped. Ending it again changes nothing.",
        answer=SignalDeviceOut,
        problems=(signals.SignalDeviceUnknown,),
        power=powers.STOP_SALES,
    )
    def post(self, request: Request, device: int) -> HttpResponse:
        self.read(Shape)
        return self.answer(SignalDeviceOut, signals.device_end(by=self.by, device_id=device))
