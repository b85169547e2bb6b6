"""Reports, once, that 1.15's clipping functions count the repeated rows of a sparse gradient separately in its norm.

TensorFlow 1.15 does so too, so the functions stay unchanged. Those of `tf1grad.contrib` sum such rows first.
"""

from __future__ import annotations

import functools
import types
from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.old_programs.process import messages, ownership, patches

_REPORT = ("%s:%d: clips the gradient of an embedding by a norm that counts a repeated row once for each time it is "
           "listed, as in TensorFlow 1.15. To sum such rows first, import tf1grad.contrib.%s instead of "
           "tf.contrib.%s (tf1grad check --explain TFG313).")


def tell(original: types.ModuleType) -> None:
    """Makes the clipping functions of a loaded original report their first sparse gradient."""
    package = original.__name__.split(".")[2]
    name = "slim.learning" if package == "slim" else package

    def telling(clip: Callable[..., Any], grads_and_vars: Any, *arguments: Any, **options: Any) -> Any:
        grads_and_vars = list(grads_and_vars)
        is_sparse = any(isinstance(pair[0], tf.IndexedSlices) for pair in grads_and_vars)
        place = ownership.place_of_user_code() if is_sparse else None
        if place:
            messages.say_once("sparse norms", _REPORT % (*place, name, name))
        return clip(grads_and_vars, *arguments, **options)

    def making(make: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        return functools.partial(telling, make(*arguments, **options))

    for function, around in (("clip_gradient_norms", telling), ("_clip_gradients_by_norm", telling),
                             ("adaptive_clipping_fn", making)):
        if function in vars(original):
            patches.wrap(original, function, around, reason="")
