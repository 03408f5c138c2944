"""Write a pack as a comment on a pull request; its comment from the last time is replaced.

Usage: comment.py FILE; the environment has GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN and PULL_REQUEST.
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MARK = "<!-- satchel pack -->"
MOST_CHARACTERS = 65_000
"""GitHub takes 65,536."""
_PAGES = 20


def make_comment(pack: str) -> str:
    """Return a comment that shows a pack as text, whatever stands in it."""
    longest = max((len(run) for run in re.findall(r"`+", pack)), default=2)
    fence = "`" * max(3, longest + 1)
    room = MOST_CHARACTERS - 2 * len(fence) - 400
    cut = "" if len(pack) <= room else "\n(The rest is left out: a comment has no more room.)"
    heading = (
        "What satchel packs for this pull request: its diff, what calls the changed code, and its tests."
    )
    body = f"{fence}text\n{pack[:room].rstrip()}\n{fence}{cut}"
    return f"{MARK}\n{heading}\n\n<details><summary>Show</summary>\n\n{body}\n\n</details>\n"


def call(method: str, url: str, told: Any = None) -> Any:
    """Call GitHub's API and return what it answers."""
    request = urllib.request.Request(  # noqa: S310  the address is the one of the runner
        url,
        method=method,
        data=None if told is None else json.dumps(told).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.load(answer)


def find_comment(comments: str) -> str | None:
    """Return the address of the comment from the last time, None where there is none."""
    for page in range(1, _PAGES):
        found = call("GET", f"{comments}?per_page=100&page={page}")
        for one in found:
            if str(one.get("body", "")).startswith(MARK):
                return str(one["url"])
        if len(found) < 100:
            break
    return None


def main() -> int:
    """Write the comment."""
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    repository, number = os.environ["GITHUB_REPOSITORY"], os.environ["PULL_REQUEST"]
    comments = f"{api}/repos/{repository}/issues/{number}/comments"
    told = {"body": make_comment(Path(sys.argv[1]).read_text(encoding="utf-8"))}
    try:
        before = find_comment(comments)
        call("PATCH", before, told) if before else call("POST", comments, told)
    except urllib.error.HTTPError as error:
        if error.code != 403:
            print(f"::error::GitHub refused the comment: {error.code} {error.reason}")
            return 1
        # A pull request from a fork has a token that only reads; the pack is in the log then.
        print(f"::warning::satchel may not comment here: {error.reason}")
        print(told["body"])
    except OSError as error:
        print(f"::error::{api} can't be reached: {getattr(error, 'reason', error)}; run the job again")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
