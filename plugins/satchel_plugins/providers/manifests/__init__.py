"""Manifests and lock files: a reader for each ecosystem, which runs no build tool.

Readers tolerate errors and take linear time.
"""

from __future__ import annotations

from satchel_plugins.providers.manifests.dotnet import DOTNET
from satchel_plugins.providers.manifests.go import GO
from satchel_plugins.providers.manifests.javascript import JAVASCRIPT
from satchel_plugins.providers.manifests.jvm import JVM
from satchel_plugins.providers.manifests.php import PHP
from satchel_plugins.providers.manifests.python import PYTHON
from satchel_plugins.providers.manifests.records import Ecosystem
from satchel_plugins.providers.manifests.ruby import RUBY
from satchel_plugins.providers.manifests.rust import RUST

ECOSYSTEMS: tuple[Ecosystem, ...] = (PYTHON, JAVASCRIPT, GO, RUST, JVM, RUBY, PHP, DOTNET)
