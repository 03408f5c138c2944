from satchel.plugin_api import Part, Task, Workspace
from satchel.testing.contracts import ScorerContract

from satchel_churn import Churn


class TestChurn(ScorerContract):
    plugin = Churn


def test_what_changed_twice_stands_above_what_changed_once(satchel_workspace: Workspace) -> None:
    parts = [Part("block", "", (1, 1), path=path) for path in ("shop/cart.py", "shop/prices.py", "new.py")]

    assert Churn().score(parts, Task("any"), satchel_workspace) == [1.0, 0.5, 0.0]
