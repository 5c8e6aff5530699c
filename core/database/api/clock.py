"""Serve the system's clock, and move simulated time."""

import datetime
from typing import ClassVar

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Flag, Instant, Shape, Text
from core.api.views import StaffView
from core.database import clock
from core.staff import powers, services


class ClockOut(Shape):
    now = Instant()
    is_simulated = Flag()
    offset_s = serializers.FloatField(help_text="Simulated time less real time; zero on real time.")


class MoveIn(Shape):
    now = Instant(help_text="The instant to move to; time only moves forward.")
    reason = Text(max_length=200)


def _reading(offset: datetime.timedelta) -> dict[str, object]:
    return {"now": clock.now(), "is_simulated": bool(offset), "offset_s": offset.total_seconds()}


class Clock(StaffView):
    authentication_for: ClassVar = {"get": ()}

    @operation("The system's clock", answer=ClockOut)
    def get(self, request: Request) -> HttpResponse:
        return self.answer(ClockOut, _reading(clock.offset()))

    @operation(
        "Move simulated time forward",
        "Refused by a system that runs on real time.",
        body=MoveIn,
        answer=ClockOut,
        problems=(clock.SimulatedTimeRefused, clock.ClockBackwards),
        example={"now": "2026-03-07T17:30:00Z", "reason": "Demonstration."},
        power=powers.MOVE_CLOCK,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(MoveIn)
        offset = services.clock_move(by=self.by, instant=body["now"], reason=body["reason"])
        return self.answer(ClockOut, _reading(offset))
