"""The seeds of random ops, for upgraded programs: `tf1grad.migrate.seeds.install("tf1")`."""

from tf1grad.old_programs.seeds import install

__all__ = ["install"]
