"""Index a whole workspace ahead, in processes of its own, and keep an index fresh while files change."""
