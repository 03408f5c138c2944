"""The page of a window: packs, conversations, sessions and squeezed outputs as one file of HTML."""

from __future__ import annotations

from satchel.report.opening import ReportRequest, open_page
from satchel.report.page import Page
from satchel.report.rendering import render_page

__all__ = ["Page", "ReportRequest", "open_page", "render_page"]
