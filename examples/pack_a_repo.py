"""Pack a folder for a task from Python, and show what the window holds and what was left out.

Run it with a task: python examples/pack_a_repo.py "why is the total wrong?" [FOLDER [BUDGET]]
"""

import sys

from satchel import SatchelError, pack


def main(task: str = "where is the budget enforced?", root: str = ".", budget: str = "4000") -> int:
    """Print the account of a pack to stderr and its document to stdout; return the exit code."""
    try:
        bundle = pack(task, root, budget=int(budget))
    except SatchelError as error:
        print(f"can't pack: {error}", file=sys.stderr)
        return error.exit_code
    for item in bundle.items:
        print(f"{item.tokens:6,}  {item.level:8} {item.path}", file=sys.stderr)
    left_out = len(bundle.left_out) + sum(count for _, _, count in bundle.left_out_counts)
    print(f"{bundle.tokens:6,}  of {bundle.budget:,} tokens, {left_out:,} left out", file=sys.stderr)
    for problem in bundle.problems:
        print(f"problem: {problem}", file=sys.stderr)
    print(bundle.text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
