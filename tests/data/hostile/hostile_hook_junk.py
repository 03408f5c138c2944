"""Return junk from the hook."""

from satchel import hookimpl


@hookimpl
def satchel_scorers():
    yield 1
    yield None
    yield "Scorer"
    yield object()
