"""Derives the published test vectors of `papercrates_numeric::streams`.

Shares no code with the crate: SHA-256 from hashlib, ChaCha written out below from its
definition (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008). Run it with any Python 3 and
no packages; it prints the table of the module documentation and the constants of the tests.
"""

import hashlib
import math
import struct

PREFIX = b"papercrates streams 1"


def node(seed, path):
    digest = hashlib.sha256(PREFIX + b"\x00" + struct.pack("<Q", seed)).digest()
    for label in path:
        if isinstance(label, int):
            tag, data = b"u", struct.pack("<Q", label)
        else:
            tag, data = b"s", label.encode("utf-8")
        framed = tag + struct.pack("<Q", len(data)) + data
        digest = hashlib.sha256(PREFIX + b"\x01" + digest + framed).digest()
    return digest


def rotate(word, by):
    return ((word << by) | (word >> (32 - by))) & 0xFFFFFFFF


def quarter(s, a, b, c, d):
    for x, y, z, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[x] = (s[x] + s[y]) & 0xFFFFFFFF
        s[z] = rotate(s[z] ^ s[x], by)


def chacha_block(key, counter, rounds):
    start = list(struct.unpack("<4I", b"expand 32-byte k"))
    start += struct.unpack("<8I", key)
    start += [counter & 0xFFFFFFFF, counter >> 32, 0, 0]
    s = list(start)
    for _ in range(rounds // 2):
        for column in range(4):
            quarter(s, column, 4 + column, 8 + column, 12 + column)
        for column in range(4):
            quarter(
                s,
                column,
                4 + (column + 1) % 4,
                8 + (column + 2) % 4,
                12 + (column + 3) % 4,
            )
    return struct.pack("<16I", *((x + y) & 0xFFFFFFFF for x, y in zip(s, start)))


def words(seed, path):
    """The `next_u64` of a path, one after the other."""
    key = hashlib.sha256(PREFIX + b"\x02" + node(seed, path)).digest()
    counter = 0
    while True:
        yield from struct.unpack("<8Q", chacha_block(key, counter, 12))
        counter += 1


def uniforms(source):
    for word in source:
        yield (word >> 11) / 2**53


def normals(source):
    uniform = uniforms(source)
    while True:
        x, y = 2 * next(uniform) - 1, 2 * next(uniform) - 1
        square = x * x + y * y
        if 0 < square < 1:
            scale = math.sqrt(-2 * math.log(square) / square)
            yield from (x * scale, y * scale)


def index(source, n):
    while True:
        product = next(source) * n
        if product % 2**64 >= 2**64 % n:
            return product >> 64


def permutation(source, n):
    order = list(range(n))
    for last in range(n - 1, 0, -1):
        other = index(source, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def take(count, source):
    return [next(source) for _ in range(count)]


def main():
    # ChaCha20 with a zero key: draft-strombergson-chacha-test-vectors-01, TC1.
    assert chacha_block(bytes(32), 0, 20).hex().startswith("76b8e0ada0f13d90405d6ae55386bd28")
    # ChaCha12, the same draft, TC1 with 12 rounds.
    assert chacha_block(bytes(32), 0, 12).hex().startswith("9bf49a6a0755f953811fce125f2683d5")

    for seed, path in (
        (0, []),
        (42, []),
        (42, ["noise"]),
        (42, ["noise", 3]),
        (42, ["3"]),
        (42, [3]),
    ):
        first, second = take(2, words(seed, path))
        name = " / ".join([str(seed)] + [str(p) if isinstance(p, int) else f'"{p}"' for p in path])
        print(f"//! | `{name}` | `0x{first:016x}` | `0x{second:016x}` |")
    # The 1000th word lies in a later block than the generator's first buffer.
    print("word 1000 of 42:", hex(take(1000, words(42, []))[999]))
    print("uniform:", take(2, uniforms(words(42, ["uniform"]))))
    print("normal:", take(4, normals(words(42, ["normal"]))))
    print("permutation:", permutation(words(42, ["order"]), 10))


if __name__ == "__main__":
    main()
