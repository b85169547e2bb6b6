"""TensorFlow 1.15's own Python files, served on TensorFlow 2 where the user has put them.

They come from the official wheel, into a folder beside the environment's other data; nothing of them is part of this
package. Nobody fetches them but who asks for it: `tf1grad contrib install`.
"""
