"""Programs as text: files found and decoded, scopes, what their names mean, and which file is started.

What reads a program without running it and is needed by more than one command may come in. The room does not know
what the commands look for, nor which TensorFlow is installed.
"""
