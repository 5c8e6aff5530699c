"""Define kinds of long work. Each app lists its own as `KINDS` in its `long_work.py`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from django.utils.functional import Promise

from core.contributions import contributed_by_name
from core.kernel.errors import NotFound
from core.staff.actor import StaffActor

Content = dict[str, Any]
Text = str | Promise


class WorkUnknown(NotFound):
    code = "long_work_unknown"
    message = "There is no such work, or it is not yours."


@dataclass(frozen=True, slots=True)
class File:
    """A file that work makes: open for reading at its begin, with its name and Content-Type."""

    content: IO[bytes]
    name: str
    media_type: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of work: numbers by name, and a file."""

    counts: Mapping[str, Any] = field(default_factory=dict)
    file: File | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkKind:
    """A kind of long work.

    `power` is the power that it needs, or a function of the content that returns it. The person
    must have it when the work is asked for, when it begins, and when its file is taken. `run` takes
    the person and the content, and keeps its own transactions; the run of `whole` work and its end
    are one transaction, so that nothing it did stays if it was called cut off. Of `shared` work one
    piece is open at a time; of other work one for each person. `about` puts the content into words,
    and `step_title` a step.
    """

    name: str
    title: Text
    power: str | Callable[[Content], str]
    run: Callable[[StaffActor, Content], Outcome]
    shared: bool = True
    whole: bool = False
    about: Callable[[Content], Any] = lambda content: ""
    step_title: Callable[[str], Text] = lambda name: name

    def power_for(self, content: Content) -> str:
        return self.power if isinstance(self.power, str) else self.power(content)


def kinds() -> dict[str, WorkKind]:
    """Return the kinds of all apps by name. Raises ContributedTwice."""
    return contributed_by_name("long_work", "KINDS")


def kind_named(name: str) -> WorkKind:
    """Return the kind of that name. Raises WorkUnknown."""
    kind = kinds().get(name)
    if kind is None:
        raise WorkUnknown(kind=name)
    return kind
