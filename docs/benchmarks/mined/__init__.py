"""Tasks mined from the commits of a repository, the systems that are asked, and how they are judged."""
