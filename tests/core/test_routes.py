"""Paths that code asks for over HTTP, and what serves them."""

from __future__ import annotations

import pytest

from satchel.packing.weighing.routes import find_asked, find_best, find_served, read_route


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("fetch('/api/send', {", [("send",)]),
        ("get(`${host}/users/${user.id}/posts?page=1`)", [("users", "*", "posts")]),
        ('requests.get(f"https://shop.example/users/{user}")', [("users", "*")]),
        ("a / b / c", []),
        ("print('/')", []),
    ],
)
def test_paths_in_strings_are_asked_for(text: str, asked: list[tuple[str, ...]]) -> None:
    assert find_asked(text) == asked


@pytest.mark.parametrize(
    "text",
    [
        '@app.post("/api/send")',
        '@bp.route("/send", methods=["POST"])',
        "router.post('/send', take)",
        'mux.HandleFunc("POST /api/send", take)',
        '  post "/send", to: "crates#take"',
        '@PostMapping("/send")',
        '@RequestMapping(value = "/send")',
        'app.MapPost("/send", take)',
        "Route::post('/send', [Crates::class, 'take'])",
        '.route("/send", post(take))',
        'path("send/", take)',
    ],
)
def test_what_code_registers_is_served(text: str) -> None:
    assert [tuple(one) for one in find_served("any", f"\n{text}\n")] == [(("send",), 2)]


@pytest.mark.parametrize("text", ["axios.post('/send', crate)", "client.get('/send')", "app.use(json('x'))"])
def test_what_asks_for_a_path_does_not_serve_it(text: str) -> None:
    assert not list(find_served("any", text))


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("src/app/api/send/route.ts", ("send",)),
        ("src/app/(collect)/p/[slug]/route.ts", ("p", "*")),
        ("pages/api/users/index.ts", ("users",)),
        ("src/routes/users/[id]/+server.js", ("users", "*")),
        ("server/api/users.get.ts", ("users",)),
        ("src/app/page.tsx", ()),
        ("src/route.ts", ()),
    ],
)
def test_files_of_some_routers_serve_what_their_path_says(path: str, route: tuple[str, ...]) -> None:
    assert read_route(path) == route


def test_the_whole_path_is_a_better_match_than_its_end_and_many_alike_are_none() -> None:
    served = [(("users", "*", "posts"), "whole"), (("*", "posts"), "end"), (("users",), "other")]

    assert find_best(("users", "*", "posts"), served, 2) == ["whole"]
    assert not find_best(("posts",), served, 2)
    assert not find_best(("users",), [(("users",), at) for at in range(3)], 2)
    assert find_best(("shop", "users", "new"), [(("users", "new"), "mounted")], 2) == ["mounted"]
