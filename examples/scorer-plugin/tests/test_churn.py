from satchel import Part, Task
from satchel.testing.contracts import ScorerContract

from satchel_churn import Churn


class TestChurn(ScorerContract):
    plugin = Churn


def test_a_file_that_changed_twice_stands_above_one_that_changed_once(satchel_workspace):
    parts = [Part("block", "", (1, 1), path=path) for path in ("shop/cart.py", "shop/prices.py", "new.py")]

    assert Churn().score(parts, Task("any"), satchel_workspace) == [1.0, 0.5, 0.0]
