"""Holds the rows of Matplotlib."""

from tf1grad.old_programs.names.rows import keyword, method, moved, served, value

_AXES, _FIGURE = "matplotlib.axes.Axes.", "matplotlib.figure.Figure."
_LOG, _AXISBG = "matplotlib log scales", "matplotlib axisbg"
_HOLD = "Remove it: Matplotlib always adds to the drawing."

ROWS = (
    *moved("matplotlib.cm", "Matplotlib 3.11", {"get_cmap": "matplotlib.pyplot.get_cmap"}),
    *moved("matplotlib.cm", "Matplotlib 2.2", {"spectral": "matplotlib.cm.nipy_spectral"}),
    served("matplotlib.mlab.normpdf", "Matplotlib 3.1", "era.lost_functions:normpdf", "Use scipy.stats.norm.pdf."),
    served("matplotlib.pyplot.hold", "Matplotlib 3.0", "era.lost_functions:hold", _HOLD),
    served("matplotlib.pyplot.ishold", "Matplotlib 3.0", "era.lost_functions:ishold", _HOLD),

    method(_AXES + "set_axis_bgcolor", "set_facecolor", "Matplotlib 2.2", 1, run=_AXISBG),
    method("matplotlib.backend_bases.FigureCanvasBase.set_window_title", "manager.set_window_title", "Matplotlib 3.6",
           1, run="era.lost_methods:set_window_title"),

    keyword(_AXES + "hist(normed=)", "density", "Matplotlib 3.1", "matplotlib hist(normed)"),
    keyword(_AXES + "grid(b=)", "visible", "Matplotlib 3.7", "matplotlib grid(b)"),
    *(keyword(f"{_AXES}{name}{letter}{suffix}({old}{letter}=)", new, "Matplotlib 3.5", _LOG)
      for letter in "xy"
      for name, suffix in (("semilog", ""), ("set_", "scale"))
      for old, new in (("base", "base"), ("subs", "subs"), ("nonpos", "nonpositive"))),
    keyword(_FIGURE + "add_subplot(axisbg=)", "facecolor", "Matplotlib 2.2", _AXISBG),
    keyword(_FIGURE + "add_axes(axisbg=)", "facecolor", "Matplotlib 2.2", _AXISBG),
    keyword("matplotlib.pyplot.subplot(axisbg=)", "facecolor", "Matplotlib 2.2", _AXISBG),
    keyword("matplotlib.pyplot.axes(axisbg=)", "facecolor", "Matplotlib 2.2", _AXISBG),
    keyword("matplotlib.use(warn=)", None, "Matplotlib 3.3", "matplotlib.use"),
    keyword(_FIGURE + "savefig(frameon=)", None, "Matplotlib 3.3", "matplotlib savefig(frameon)"),

    value(_FIGURE + "gca(projection=)", "Matplotlib 3.7", "matplotlib gca(projection)",
          "Use add_subplot of a figure, or pyplot.subplot."),
    value("matplotlib.style.use(seaborn)", "Matplotlib 3.8", "matplotlib style seaborn",
          "Use the name that begins with seaborn-v0_8."),
    value("matplotlib.rcParams(a list as a LaTeX preamble)", "Matplotlib 3.3", "matplotlib preamble",
          "Join the lines with \"\\n\".join(...)."),
)
