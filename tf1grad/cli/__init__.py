"""Reads the command line: a module for each command, with its arguments,
its help and its exit codes.
"""
