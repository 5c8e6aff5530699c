"""Judge the server's clock by its references, with figures."""

import pytest

from core.timekeeping.judging import BEHIND, LIMIT_US, REFERENCES, Comparison, judge

FIVE_MINUTES_US = 300_000_000


def comparison(kind: str, ahead_us: int, uncertainty_us: int = 0, **more: bool) -> Comparison:
    return Comparison(kind, "a", ahead_us, uncertainty_us, **more)


def test_a_clock_that_nobody_judges_is_trusted() -> None:
    verdict = judge([], behind=False)
    assert (verdict.cause, verdict.ahead_us, verdict.kinds) == ("", 0, frozenset())


@pytest.mark.parametrize("sign", [1, -1])
def test_two_kinds_of_three_decide(sign: int) -> None:
    wrong, right = sign * FIVE_MINUTES_US, 1_000
    one = [comparison("machine", wrong), comparison("receiver", right), comparison("ntp", right)]
    assert judge(one, behind=False).cause == ""
    two = [comparison("machine", wrong), comparison("receiver", right), comparison("ntp", wrong)]
    verdict = judge(two, behind=False)
    assert (verdict.cause, verdict.ahead_us) == (REFERENCES, wrong)
    assert verdict.kinds == {"machine", "receiver", "ntp"}


def test_two_seconds_are_allowed_and_what_is_uncertain_is_not_counted() -> None:
    def cause(ahead_us: int, uncertainty_us: int) -> str:
        both = [comparison(kind, ahead_us, uncertainty_us) for kind in ("machine", "receiver")]
        return judge(both, behind=False).cause

    assert cause(LIMIT_US, 0) == ""
    assert cause(LIMIT_US + 1, 0) == REFERENCES
    assert cause(LIMIT_US + 500_000, 500_000) == ""
    assert cause(-LIMIT_US - 500_001, 500_000) == REFERENCES


def test_many_machines_are_one_kind_and_the_middle_one_speaks() -> None:
    machines = [comparison("machine", ahead) for ahead in (0, 9_000_000, 10_000_000)]
    verdict = judge([*machines, comparison("ntp", 9_500_000)], behind=False)
    assert (verdict.cause, verdict.ahead_us) == (REFERENCES, 9_000_000)
    even = [
        comparison("machine", 0),
        comparison("machine", 9_000_000),
        comparison("ntp", 9_500_000),
    ]
    assert judge(even, behind=False).cause == ""


def test_the_databases_own_machine_counts_only_alone() -> None:
    own = [comparison("machine", 0, own_machine=True) for _ in range(3)]
    ntp = comparison("ntp", FIVE_MINUTES_US)
    other = comparison("machine", FIVE_MINUTES_US)
    assert judge([*own, other, ntp], behind=False).cause == REFERENCES
    assert judge([*own, ntp], behind=False).cause == ""


def test_that_the_databases_own_machine_agrees_with_itself_says_nothing() -> None:
    """On one machine it ended the incident when the network went, and sales went on an hour off."""
    own = comparison("machine", 0, own_machine=True)
    wrong = [comparison(kind, FIVE_MINUTES_US) for kind in ("receiver", "ntp")]
    assert judge([own, *wrong], behind=False).cause == REFERENCES
    assert judge([own], behind=False, standing=REFERENCES).cause == REFERENCES
    assert judge([own, wrong[0]], behind=False).kinds == {"receiver"}
    differing = comparison("machine", FIVE_MINUTES_US, own_machine=True)
    assert judge([differing, wrong[0]], behind=False).cause == REFERENCES


def test_behind_the_record_needs_no_reference() -> None:
    assert judge([], behind=True).cause == BEHIND
    assert judge([comparison("ntp", 0), comparison("machine", 0)], behind=True).cause == BEHIND


def test_an_incident_ends_when_a_reference_says_so_and_not_when_all_are_silent() -> None:
    assert judge([], behind=False, standing=REFERENCES).cause == REFERENCES
    one = [comparison("ntp", FIVE_MINUTES_US)]
    assert judge(one, behind=False, standing=REFERENCES).cause == REFERENCES
    assert judge([comparison("ntp", 0)], behind=False, standing=REFERENCES).cause == ""
    assert judge([], behind=False, standing=BEHIND).cause == ""
