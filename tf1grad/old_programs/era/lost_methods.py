"""Defines methods that classes of pandas, Pillow and Matplotlib have lost, where the new ones are called otherwise."""

from typing import Any, Tuple


def append(frame: Any, other: Any, ignore_index: bool = False, verify_integrity: bool = False,
           sort: bool = False) -> Any:
    """Returns the rows of a frame or series, followed by those of others."""
    import pandas
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    if isinstance(frame, pandas.DataFrame):
        others = [pandas.DataFrame(others)] if isinstance(others[0], dict) else [_row(frame, each) for each in others]
        if not ignore_index and isinstance(other, dict):
            raise TypeError("Can only append a dict if ignore_index=True")
    return pandas.concat([frame] + others, ignore_index=ignore_index, verify_integrity=verify_integrity)


def _row(frame: Any, other: Any) -> Any:
    """Returns a series as a frame of one row, labelled by the name of the series."""
    return other.to_frame().T.infer_objects() if other.ndim == 1 else other


def sort(frame: Any, columns: Any = None, axis: int = 0, ascending: Any = True, inplace: bool = False) -> Any:
    """Sorts a frame by columns, or by its labels where none are given."""
    if columns is None:
        return frame.sort_index(axis=axis, ascending=ascending, inplace=inplace)
    return frame.sort_values(columns, axis=axis, ascending=ascending, inplace=inplace)


def as_matrix(values: Any, columns: Any = None) -> Any:
    """Returns a series, or the columns of a frame, as an array."""
    return (values if columns is None or values.ndim == 1 else values[columns]).to_numpy()


def text_size(draw: Any, text: str, font: Any = None) -> Tuple[int, int]:
    """Returns (width, height) of a text that would be drawn."""
    _, _, right, bottom = draw.multiline_textbbox((0, 0), text, font)
    return int(right), int(bottom)


def font_size(font: Any, text: str) -> Tuple[int, ...]:
    """Returns (width, height) of a text in a font."""
    return tuple(map(int, font.getbbox(text)[2:]))


def set_window_title(canvas: Any, title: str) -> None:
    """Calls the method of the canvas manager."""
    if canvas.manager is not None:
        canvas.manager.set_window_title(title)
