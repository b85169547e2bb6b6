"""Decides whose code is running, and keeps the register of all that is changed in this process."""
