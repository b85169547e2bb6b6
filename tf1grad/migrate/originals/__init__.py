"""TensorFlow 1.15's own Python, served on the TensorFlow that is installed: its contrib, as it was.

What finds, loads or completes those files may come in. They are not part of this package: `tf1grad contrib install`
brings them. The room knows neither the commands nor the view that `tf1grad run` gives.
"""
