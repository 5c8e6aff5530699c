"""Record withdrawals, starts, declarations and classifications of races (14.III.5)."""

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from core.api.schema import operation
from core.api.views import StaffView
from core.draws.services import DrawBegun
from core.kernel.errors import DomainError
from core.staff.api.proposals import TAKES_EFFECT, ProposalOut
from core.staff.two_persons import ProposalPending
from lototrot import powers
from lototrot.api import samples
from lototrot.api.course_shapes import (
    ClassificationIn,
    CorrectionIn,
    DeclarationIn,
    MeetingDeclarationIn,
    ReasonIn,
    StartCorrectionIn,
    StartIn,
    WithdrawalIn,
    WithdrawalOut,
)
from lototrot.api.programmes import RaceOut
from lototrot.engine.races import NumberNotInProgramme, WrongWinner
from lototrot.models.programme import Race
from lototrot.selectors.cards import race_cards
from lototrot.selectors.contests import RaceUnknown
from lototrot.services.programme.official import MeetingUnknown, meeting_get
from lototrot.services.races import (
    classification,
    course,
    declarations,
    starts,
    window,
    withdrawals,
)
from lototrot.services.reasons import ReasonMissing, SourceMissing
from lototrot.services.settlement import classification_correction, start_correction

_DECLARED = (
    "That a race is not run stops the sales of every contest on it at once. "
    + TAKES_EFFECT
    + " It closes those contests for good and announces the public draw (`/api/v1/draws`). If a "
    "second person rejects it, sales go on."
)


_INSTANT = (course.InstantAhead,)
_RACE = (RaceUnknown,)
_RUNNERS: tuple[type[DomainError], ...] = (
    classification.ClassificationRefused,
    classification.AllDisqualified,
    WrongWinner,
)


class OneRace(StaffView):
    @operation(
        "Read a race: its record and its runners", answer=RaceOut, problems=_RACE, power=powers.READ
    )
    def get(self, request: Request, race: int) -> HttpResponse:
        row: Any = course.race_get(race)
        races = Race.objects.select_related("racecourse", "meeting").filter(pk=row.pk)
        (card,) = race_cards(races.prefetch_related("runners"), row.meeting.document)
        return self.answer(RaceOut, card)


class Withdrawals(StaffView):
    @operation(
        "Withdraw a horse (14.III.5.4.1)",
        "The number is off sale at once. The answer's `proposal` waits for a second person, who "
        "confirms it, or rejects a mistake, which puts the number back on sale.",
        body=WithdrawalIn,
        answer=WithdrawalOut,
        status=201,
        idempotent=True,
        problems=(
            *_RACE,
            SourceMissing,
            NumberNotInProgramme,
            withdrawals.AlreadyWithdrawn,
            *_INSTANT,
            withdrawals.WithdrawalTooLate,
            withdrawals.NoStarterLeft,
            course.PaymentOrdered,
            DrawBegun,
            course.DrawCertified,
            ProposalPending,
        ),
        example={"number": 4, "source": "Veterinary service", "effective_at": None},
        power=powers.WITHDRAW,
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        return self.created_once(
            WithdrawalOut,
            withdrawals.withdrawal_enter,
            by=self.by,
            race_id=race,
            **self.read(WithdrawalIn),
        )


class Reversal(StaffView):
    @operation(
        "Propose that a confirmed withdrawal was a mistake",
        TAKES_EFFECT,
        body=ReasonIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            withdrawals.WithdrawalUnknown,
            withdrawals.WithdrawalUnconfirmed,
            ReasonMissing,
            withdrawals.WithdrawalIrreversible,
            course.PaymentOrdered,
            DrawBegun,
            course.DrawCertified,
            ProposalPending,
        ),
        example={"reason": "Number misread."},
        power=powers.WITHDRAW,
    )
    def post(self, request: Request, withdrawal: int) -> HttpResponse:
        return self.created_once(
            ProposalOut,
            withdrawals.withdrawal_reverse,
            by=self.by,
            withdrawal_id=withdrawal,
            **self.read(ReasonIn),
        )


class Start(StaffView):
    @operation(
        "Report the actual start of a race (14.III.4) [E12]",
        "Stops the sales of every contest on the race at once. " + TAKES_EFFECT + " It closes them "
        "for good, with the earlier of the two instants. If a second person rejects it, sales go "
        "on.",
        body=StartIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            *_RACE,
            SourceMissing,
            *_INSTANT,
            starts.StartUnchanged,
            starts.StartDiffers,
            starts.NobodyToStart,
            DrawBegun,
            course.DrawCertified,
            window.RunOnAnotherDay,
            window.StartBeforeMeeting,
            ProposalPending,
        ),
        example={"actual_start_at": "2027-04-10T17:01:30+02:00", "source": "Starter"},
        power=powers.RECORD_START,
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        return self.created_once(
            ProposalOut, starts.start_report, by=self.by, race_id=race, **self.read(StartIn)
        )


class StartCorrection(StaffView):
    @operation(
        "Propose another instant for a start on record",
        TAKES_EFFECT,
        body=StartCorrectionIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            *_RACE,
            SourceMissing,
            *_INSTANT,
            window.RunOnAnotherDay,
            window.StartBeforeMeeting,
            course.RaceNotStarted,
            starts.NobodyToStart,
            starts.StartUnchanged,
            DrawBegun,
            start_correction.StartChanged,
            course.OutOfOrder,
            ProposalPending,
        ),
        example={"actual_start_at": "2027-04-10T17:01:10+02:00", "source": "Film"},
        power=powers.RECORD_START,
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        return self.created_once(
            ProposalOut,
            start_correction.start_correct,
            by=self.by,
            race_id=race,
            **self.read(StartCorrectionIn),
        )


class Declaration(StaffView):
    @operation(
        "Propose that a race is not run, or was run without a classification (14.III.5.4) [B17]",
        _DECLARED,
        body=DeclarationIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            *_RACE,
            ReasonMissing,
            *_INSTANT,
            course.RaceDeclared,
            course.RaceClassified,
            declarations.RaceStarted,
            course.RaceNotStarted,
            course.OutOfOrder,
            declarations.NoStarters,
            declarations.RulingMissing,
            course.WithdrawnTooLate,
            declarations.DeclarationTextMissing,
            declarations.AuthorityTextMissing,
            ProposalPending,
        ),
        example={"kind": "not_run", "reason": "Storm", "declared_at": None, "left": []},
        power=powers.DECLARE_RACE,
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        body = self.read(DeclarationIn)
        left = [declarations.Left(**horse) for horse in body.pop("left")]

        return self.created_once(
            ProposalOut, declarations.race_declare, by=self.by, race_id=race, left=left, **body
        )


class Retraction(StaffView):
    @operation(
        "Propose that the declaration of a race was a mistake",
        TAKES_EFFECT,
        body=ReasonIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            *_RACE,
            ReasonMissing,
            declarations.DeclarationUnknown,
            DrawBegun,
            course.DrawCertified,
            ProposalPending,
        ),
        example={"reason": "Another race was meant."},
        power=powers.DECLARE_RACE,
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        return self.created_once(
            ProposalOut,
            declarations.declaration_retract,
            by=self.by,
            race_id=race,
            **self.read(ReasonIn),
        )


class MeetingDeclaration(StaffView):
    @operation(
        "Propose that every race of a meeting that has not started is not run (14.III.5.4.2) [B17]",
        _DECLARED,
        body=MeetingDeclarationIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            MeetingUnknown,
            ReasonMissing,
            *_INSTANT,
            declarations.NothingToDeclare,
            declarations.AuthorityTextMissing,
            ProposalPending,
        ),
        example={"reason": "Flooded track", "declared_at": None},
        power=powers.DECLARE_RACE,
    )
    def post(self, request: Request, meeting: int) -> HttpResponse:
        body = self.read(MeetingDeclarationIn)
        row = meeting_get(meeting)

        return self.created_once(
            ProposalOut, declarations.meeting_declare, by=self.by, meeting=row, **body
        )


class Classification(StaffView):
    @operation(
        "Enter the classification as the stewards announced it (14.III.5.3)",
        TAKES_EFFECT,
        body=ClassificationIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            *_RACE,
            course.RaceNotStarted,
            course.RaceDeclared,
            course.RaceClassified,
            classification.AnnouncementIncomplete,
            *_INSTANT,
            course.OutOfOrder,
            *_RUNNERS,
            ProposalPending,
        ),
        example=samples.CLASSIFICATION,
        power=powers.CLASSIFY,
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        body = self.read(ClassificationIn)
        runners = _entries(body.pop("runners"))

        return self.created_once(
            ProposalOut,
            classification.classification_propose,
            by=self.by,
            race_id=race,
            runners=runners,
            **body,
        )


class ClassificationCorrection(StaffView):
    @operation(
        "Propose to correct a keying error against the announcement [B14]",
        "Takes effect when the inspector or the auditor confirms the proposal, whose content has"
        " the announced text [B18].",
        body=CorrectionIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            *_RACE,
            ReasonMissing,
            classification_correction.NotClassified,
            classification_correction.NothingCorrected,
            course.PaymentOrdered,
            *_RUNNERS,
            ProposalPending,
        ),
        example={"runners": samples.CLASSIFICATION["runners"], "reason": "2 and 1 were swapped."},
        power=powers.CLASSIFY,
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        body = self.read(CorrectionIn)
        runners = _entries(body.pop("runners"))

        return self.created_once(
            ProposalOut,
            classification_correction.classification_correct,
            by=self.by,
            race_id=race,
            runners=runners,
            **body,
        )


def _entries(runners: list[dict[str, Any]]) -> list[classification.Entry]:
    return [classification.Entry(**runner) for runner in runners]
