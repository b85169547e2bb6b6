"""Compares the graphs that two interpreters build, op by op."""
