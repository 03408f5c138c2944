from setuptools import setup

REQUIRES = [
    "kombu>=5",
]
setup(
    install_requires=REQUIRES,
    extras_require={"test": ["pytest-django>=4"]},
    python_requires=">=3.9",
)
raise SystemExit("a manifest must never be run")
