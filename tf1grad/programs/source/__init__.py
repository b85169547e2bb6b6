"""Reads programs as text: finds and decodes files, resolves names, and tells which file is started.

Code that reads a program without running it, and that more than one command needs, belongs here.
The room does not know what the commands look for, or which TensorFlow is installed.
"""
