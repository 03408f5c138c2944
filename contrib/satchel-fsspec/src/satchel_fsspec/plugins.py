"""The plugin: places of blobs on file systems of fsspec, which is imported when one is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel.plugin_api import Blobs


@attrs.frozen
class FileSystems:
    """Opens places of blobs on file systems of fsspec."""

    name: ClassVar[str] = "fsspec"
    schemes: ClassVar[frozenset[str]] = frozenset({"abfs", "az", "file", "gcs", "gs", "memory", "s3", "sftp"})
    options: Mapping[str, Any] = attrs.field(factory=dict)
    """What fsspec makes the file system with, like `endpoint_url` of S3; credentials stay where it looks."""

    def open(self, address: str) -> Blobs:
        """Open the place at an address; what stands after the bucket is the prefix of all keys."""
        from satchel_fsspec.blobs import open_blobs

        return open_blobs(address, self.options)
