"""The commands: run an old script unmodified, check it, upgrade it, verify it. The library needs none of this."""
