"""UUIDs of requests: version 7 (RFC 9562), in order of time, and what is not one."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.request_uuids import RANDOM_BITS, derived_uuid, request_uuid
from tests.support.factories.request_uuids import made_at

BITS = st.integers(0, 2**RANDOM_BITS - 1)
TIMES = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31)).map(
    lambda at: at.replace(tzinfo=UTC)
)


def test_the_example_of_the_rfc() -> None:
    # RFC 9562, A.6: 2022-02-22 14:22:22.000-05:00, rand_b 0x18C4DC0C0C07398F. Its rand_a is
    # random; ours counts parts of the millisecond, of which there are none here.
    at = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)
    assert str(request_uuid(at, 0x18C4DC0C0C07398F)) == "017f22e2-79b0-7000-98c4-dc0c0c07398f"


@given(TIMES, BITS)
def test_a_uuid_is_of_version_7_and_tells_its_millisecond(at: datetime, bits: int) -> None:
    ident = request_uuid(at, bits)
    assert ident.version == 7 and ident.variant == uuid.RFC_4122
    assert timedelta() <= at - made_at(ident) < timedelta(milliseconds=1)
    assert ident.int & (2**RANDOM_BITS - 1) == bits


@given(TIMES, st.integers(1, 999_999), BITS, BITS)
def test_a_later_microsecond_is_a_larger_uuid(
    at: datetime, later_us: int, bits: int, others: int
) -> None:
    later = request_uuid(min(at, datetime(9998, 1, 1, tzinfo=UTC)), bits)
    at = min(at, datetime(9998, 1, 1, tzinfo=UTC))
    assert later < request_uuid(at + timedelta(microseconds=later_us), others)


@given(TIMES, BITS, BITS)
def test_one_instant_gives_as_many_uuids_as_random_numbers(
    at: datetime, bits: int, others: int
) -> None:
    assert (request_uuid(at, bits) == request_uuid(at, others)) is (bits == others)


def test_before_1970_there_is_none() -> None:
    with pytest.raises(ValueError, match="out of range"):
        request_uuid(datetime(1969, 12, 31, tzinfo=UTC), 0)


@given(st.datetimes(datetime(2020, 1, 1), datetime(9999, 1, 1)), BITS, st.text())
def test_what_follows_from_a_uuid_is_the_same_again_and_before_any_request(
    at: datetime, bits: int, name: str
) -> None:
    request = request_uuid(at.replace(tzinfo=UTC), bits)
    derived = derived_uuid(request, name)
    assert derived == derived_uuid(request, name)
    assert derived.version == 8 and derived.variant == uuid.RFC_4122
    assert derived < request_uuid(datetime(2020, 1, 1, tzinfo=UTC), 0)


def test_another_name_or_another_base_gives_another_uuid() -> None:
    bases = [request_uuid(datetime(2030, 1, 1, tzinfo=UTC), bits) for bits in range(20)]
    assert len({derived_uuid(base, f"voucher/{n}") for base in bases for n in range(20)}) == 400
