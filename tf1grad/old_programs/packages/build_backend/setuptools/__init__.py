"""Stands for setuptools where a source package is read: see `build_meta`."""
