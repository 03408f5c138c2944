"""What was made of equal things is told again, a few answers of each name."""

from __future__ import annotations

from threading import Event, Thread

from hypothesis import given
from hypothesis import strategies as st

from satchel.workspace import Memo

given_things = st.lists(
    st.tuples(st.sampled_from("ab"), st.lists(st.integers(0, 2), max_size=2)), max_size=20
)


@given(given_things)
def test_an_answer_is_always_that_of_what_is_given(asked: list[tuple[str, list[int]]]) -> None:
    kept = Memo()

    for name, numbers in asked:
        assert kept.again(name, numbers, lambda name=name, numbers=numbers: (name, sum(numbers))) == (  # type: ignore[misc]
            name,
            sum(numbers),
        )


def test_of_equal_things_the_very_same_answer_comes_back() -> None:
    kept = Memo()
    first = kept.again("sums", [1, 2], lambda: [3])

    assert kept.again("sums", [1, 2], lambda: [3]) is first
    assert kept.again("others", [1, 2], lambda: [3]) is not first


def test_the_oldest_answers_are_forgotten() -> None:
    kept = Memo()
    for number in range(100):
        kept.keep("numbers", number, number)

    assert [number for number in range(100) if kept.recall("numbers", number) is not None] == [96, 97, 98, 99]


def test_nothing_is_told_after_all_is_forgotten() -> None:
    kept = Memo()
    kept.keep("numbers", 1, 1)

    kept.forget()

    assert kept.recall("numbers", 1) is None


def test_of_several_threads_that_ask_at_once_one_makes_it() -> None:
    memo, made, started = Memo(), list[int](), Event()

    def make() -> int:
        started.wait(5)
        made.append(len(made))
        return 7

    threads = [Thread(target=memo.again, args=("seven", "given", make)) for _ in range(4)]
    for thread in threads:
        thread.start()
    started.set()
    for thread in threads:
        thread.join(5)

    assert made == [0]
    assert memo.recall("seven", "given") == 7
