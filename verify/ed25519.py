"""Check an Ed25519 signature (RFC 8032, 5.1.7) with integers and SHA-512 only.

Call `verify(public_key, message, signature)`, or run `ed25519.py KEY SIGNATURE FILE` with the first
two in hexadecimal. No value here is secret, so the code need not run in constant time.
"""

import hashlib
from functools import lru_cache
from pathlib import Path

from forms import need

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)

# A point is (X, Y, Z, T) with x = X/Z, y = Y/Z, x * y = T/Z.
Point = tuple[int, int, int, int]
ZERO: Point = (0, 1, 1, 0)


def add(a: Point, b: Point) -> Point:
    """Return the sum of two points. It also doubles: this addition law has no exceptions."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    x, y, z, w = f - e, h - g, h + g, f + e
    return x * y % P, z * w % P, y * z % P, x * w % P


@lru_cache(maxsize=8)
def multiples(point: Point) -> list[list[Point]]:
    """Return, for each hexadecimal digit of a number from the lowest, the point times 0 to 15 of
    it. Many signatures are checked under one key.
    """
    table = []
    for _ in range(64):
        row = [ZERO, point]
        while len(row) < 16:
            row.append(add(row[-1], point))
        table.append(row)
        point = add(row[-1], point)
    return table


def times(number: int, point: Point) -> Point:
    """Return the point times a number below 2**256."""
    total = ZERO
    for row in multiples(point):
        if number & 15:
            total = add(total, row[number & 15])
        number >>= 4
    return total


def same(a: Point, b: Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


@lru_cache(maxsize=8)
def point_of(text: bytes) -> Point | None:
    """Decode 32 bytes to a point. Return None if they encode no point (5.1.3)."""
    y = int.from_bytes(text, "little")
    odd, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether `signature` (64 bytes) of `message` is by the key of `public_key` (32)."""
    if len(public_key) != 32 or len(signature) != 64 or BASE is None:
        return False
    key, commitment = point_of(public_key), point_of(signature[:32])
    answer = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or answer >= L:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % L
    return same(times(answer, BASE), add(commitment, times(challenge, key)))


def check(key: str, signature: str, file: str) -> str:
    good = verify(bytes.fromhex(key), Path(file).read_bytes(), bytes.fromhex(signature))
    need(good, "SIGNATURE", "it does not hold")
    return "the signature holds"


if __name__ == "__main__":
    from entry import main  # which needs this module

    main(check, "ed25519.py KEY SIGNATURE FILE")
