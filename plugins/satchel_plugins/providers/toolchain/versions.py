"""Compares a version with what a project asks for, in the notations of all the ecosystems."""

from __future__ import annotations

from satchel.patterns import lazily

_VERSION = lazily(r"\d{1,9}(?:\.\d{1,9}){0,5}")
_CLAUSE = lazily(r"(>=|<=|==|!=|~=|~>|\^|~|>|<|=)?\s*v?(\d[\w.*+-]{0,40})")
_LONGEST = 200

Numbers = tuple[int, ...]


def numbers(version: str) -> Numbers:
    """Return the leading numbers of a version: (20, 11, 1) of `v20.11.1-pre`."""
    found = _VERSION.search(version[:_LONGEST])
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def satisfies(version: str, wanted: str, *, is_floor: bool = False) -> bool | None:
    """Return whether a version is one that is asked for, None where the question is not understood.

    Args:
        version: what is there.
        wanted: `>=3.11,<4`, `^18 || ^20`, `20.x`, `1.22`.
        is_floor: whether a bare version means that or newer (Go, Rust, Java), not that one.
    """
    there = numbers(version)
    answers = [_all(there, part, is_floor) for part in wanted[:_LONGEST].split("||")]
    if not there or None in answers:
        return None
    return True in answers


def _all(there: Numbers, wanted: str, is_floor: bool) -> bool | None:  # noqa: FBT001 - private, passed on
    clauses = [(found[1] or "", found[2]) for found in _CLAUSE.finditer(wanted)]
    if not clauses or _CLAUSE.sub("", wanted).strip(" ,*"):
        return None
    return all(_one(there, sign or (">=" if is_floor else ""), text) for sign, text in clauses)


def _one(there: Numbers, sign: str, text: str) -> bool:
    asked = numbers(text)
    width = max(len(there), len(asked))
    left, right = _padded(there, width), _padded(asked, width)
    if sign in ("", "=", "=="):
        return there[: len(asked)] == asked
    if sign == "!=":
        return there[: len(asked)] != asked
    if sign in (">=", ">", "<=", "<"):
        return {">=": left >= right, ">": left > right, "<=": left <= right, "<": left < right}[sign]
    return left >= right and there[: _kept(sign, asked)] == asked[: _kept(sign, asked)]


def _kept(sign: str, asked: Numbers) -> int:
    """Return how many leading numbers stay: one for `^1.2`, two for `~1.2`, all but the last for `~> 1.2`."""
    if sign == "^":
        return next((at + 1 for at, number in enumerate(asked) if number), len(asked))
    return max(1, len(asked) - 1) if sign in ("~=", "~>") else min(2, len(asked))


def _padded(version: Numbers, width: int) -> Numbers:
    return version + (0,) * (width - len(version))
