"""Whatever a provider's messages hold, sound or broken: the page adds up, and nothing in it runs."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from tests.amounts import examples
from tests.core.conversation.drawn import documents
from tests.core.formats import read
from tests.core.report.test_rendering import ALLOWED, Markup
from tests.core.repositories import plain_host

from satchel.config import Config
from satchel.conversation import Counts
from satchel.redaction import NO_SCANNERS
from satchel.report import ReportRequest, open_page, render_page
from satchel.report.conversations import make_meter

HOST = plain_host()
METER = make_meter(HOST, Config())


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_a_page_adds_up_to_what_its_messages_cost(drawn: tuple[str, Any]) -> None:
    form, document = drawn
    conversation = read(document, form)
    whole = Counts(METER.tokenizer, form=conversation.format).total(conversation).total

    page = open_page(json.dumps(document).encode(), ReportRequest(form=form), host=HOST, config=Config())

    assert page.used == whole
    assert sum(page.sections.values()) == whole
    assert not page.turns or page.turns[-1].tokens == whole
    assert {tag for tag, _ in Markup(render_page(page, NO_SCANNERS)).tags} <= ALLOWED
