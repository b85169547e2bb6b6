"""Holds what became of each old name, as data; nothing here reads a program or imports TensorFlow."""
