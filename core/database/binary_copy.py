"""Read and write rows in the binary format of COPY, without parsing their fields.

A row is the number of its fields in two bytes, and each field after its length in four bytes.
"""

import struct
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from psycopg import Copy, OperationalError
from psycopg.errors import error_from_result

_HEAD = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_END = struct.pack("!h", -1)
_ROWS_AT_ONCE = 2_000


def rows_of(copy: Copy) -> Iterator[bytes]:
    """Yield the rows of a binary COPY as received. Raise psycopg.Error.

    The rows are read from libpq directly, because `copy.read` takes longer than hashing a row.
    After the mark that ends the rows, `copy.read` is called once, so that psycopg knows the COPY
    has ended.
    """
    link = copy.connection.pgconn
    skip = len(_HEAD)  # the first message begins with the head of the COPY
    while (message := link.get_copy_data(0))[0] > 0:
        row = bytes(message[1])[skip:]
        if row == _END:
            copy.read()
            return
        yield row
        skip = 0
    result = link.get_result()
    while link.get_result():
        pass  # read all results, so that the connection can be used again
    raise error_from_result(result) if result else OperationalError("a COPY without its end")


def rows_write(copy: Copy, rows: Iterable[bytes]) -> None:
    """Write the rows to a binary COPY, many at once. Raise psycopg.Error."""
    source = chain([_HEAD], rows, [_END])
    while some := list(islice(source, _ROWS_AT_ONCE)):
        copy.write(b"".join(some))
