"""Serve the alarms to those who can act on them."""

from typing import Any

from django.db.models import Model
from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.alarms.selectors import Standing, standing_for
from core.api.schema import SIGNED_ON, operation
from core.api.shapes import Instant, Shape, Whole
from core.api.views import StaffView, json_response


class AlarmOut(Shape):
    code = serializers.CharField(source="alarm.code", help_text="Stable.")
    title = serializers.CharField(source="alarm.title")
    subject = serializers.CharField(source="row.subject")
    subject_kind = serializers.SerializerMethodField(
        help_text="The kind of row that the subject is, such as `lototrot.contest`; else null."
    )
    subject_id = serializers.SerializerMethodField(help_text="Its number; null for other subjects.")
    since = Instant(source="row.since")
    days_left = Whole(
        source="row.days_left",
        allow_null=True,
        help_text="0 on the last day, negative afterwards; null where no period runs.",
    )
    words = serializers.CharField(source="row.words", help_text="What is wrong, for people.")

    def get_subject_kind(self, standing: Standing) -> str | None:
        subject = standing.row.subject
        return subject._meta.label_lower if isinstance(subject, Model) else None

    def get_subject_id(self, standing: Standing) -> int | None:
        subject: Any = standing.row.subject
        return int(subject.pk) if isinstance(subject, Model) else None


class AlarmsOut(Shape):
    items = AlarmOut(many=True)


class Alarms(StaffView):
    @operation(
        "Alarms on which you can act",
        "The most urgent first. An alarm is there until what it names has been dealt with.",
        answer=AlarmsOut,
        power=SIGNED_ON,
    )
    def get(self, request: Request) -> HttpResponse:
        rows = standing_for(self.by) or []
        return json_response({"items": AlarmOut(rows, many=True).data})
