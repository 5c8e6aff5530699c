"""Define the bodies and answers of the operations on a race day."""

from rest_framework import serializers

from core.api.shapes import Choice, Instant, Shape, Text, Uuid, Whole
from lototrot.api.shapes import Paragraphs
from lototrot.models.running import RaceDeclaration
from lototrot.services.races import classification

_NUMBER = {"min_value": 1, "max_value": 31}


class WithdrawalIn(Shape):
    number = Whole(**_NUMBER)
    source = Text(max_length=200, help_text="Who reported it.")
    effective_at = Instant(
        allow_null=True, default=None, help_text="When it was withdrawn; now if not given."
    )


class WithdrawalOut(Shape):
    id = Whole()
    race = Whole(source="race_id")
    number = Whole()
    source = serializers.CharField()
    effective_at = Instant()
    entered_at = Instant()
    proposal = Uuid(source="proposal.uuid", help_text="To be confirmed by a second person.")
    confirmed_at = Instant(allow_null=True)
    reversed_at = Instant(allow_null=True)


class ReasonIn(Shape):
    reason = Text(max_length=400)


class StartIn(Shape):
    actual_start_at = Instant(
        allow_null=True, default=None, help_text="The instant of the stop of sales if not given."
    )
    source = Text(max_length=200, help_text="Who reported it.")


class StartCorrectionIn(Shape):
    actual_start_at = Instant()
    source = Text(max_length=200, help_text="Who reported it.")


class LeftIn(Shape):
    number = Whole(**_NUMBER)
    ruling = Text(max_length=400)


class MeetingDeclarationIn(Shape):
    reason = Text(max_length=400)
    text = Paragraphs(
        max_length=10_000,
        allow_blank=True,
        default="",
        help_text="The decision in full. Needed before the day of the meeting, and for a race that "
        "was run without a winner.",
    )
    author = Choice(
        RaceDeclaration.Author.values,
        default=RaceDeclaration.Author.STEWARDS,
        help_text="Who decided it. Before the day of the meeting, or as of an instant before it:"
        " the Federation or the authority.",
    )
    declared_at = Instant(
        allow_null=True, default=None, help_text="The instant of the proposal if not given."
    )
    draw_place = Text(
        max_length=410,
        allow_blank=True,
        default="",
        help_text="Where it will be drawn: a Central Office by its code, or another place, for"
        " which an inspector must give the reason [B16]. The first Central Office if not given.",
    )


class DeclarationIn(MeetingDeclarationIn):
    kind = Choice(RaceDeclaration.Kind.values)
    left = LeftIn(many=True, default=list)


class EntryIn(Shape):
    number = Whole(min_value=1, max_value=99)
    outcome = Choice(classification.OUTCOMES)
    place = Whole(min_value=1, max_value=99, allow_null=True, default=None)
    ruling = Text(max_length=400, allow_blank=True, default="")


class ClassificationIn(Shape):
    runners = EntryIn(many=True, help_text="Every runner of the programme, once.")
    announced_text = Paragraphs(max_length=10_000)
    announced_at = Instant()
    author = Text(max_length=200, help_text="The stewards who signed it.")


class CorrectionIn(Shape):
    runners = EntryIn(many=True)
    reason = Text(max_length=400)
