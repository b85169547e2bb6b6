"""Serves TensorFlow 1.15's own Python files, the originals, on TensorFlow 2.

They come from the official wheel and are kept in a folder beside the environment's other data; this
package does not contain them. `run` and the command `tf1grad period install` fetch them (room
`period`).
"""
