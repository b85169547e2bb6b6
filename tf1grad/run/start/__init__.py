"""Prepares a process: the phases of start-up, the import of TensorFlow that begins them,
and child processes.
"""
