"""Times variants of one job in turn, in one process: medians, ratios, and a table of them."""

import random
import statistics
import time


class Measured:
    """The times of several rounds of one variant."""

    def __init__(self):
        self.wall, self.cpu = [], []

    def run(self, function):
        wall, cpu = time.perf_counter(), time.process_time()
        result = function()
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)
        return result


def interleave(variants, rounds, warm_up=2):
    """Runs every variant once a round, so that a slow moment of the machine hits all of them.

    The order is another one in each round: what one variant leaves in caches and memory hits all of
    them as well.

    Args:
        variants: dict from a name to a function without arguments.
        rounds: how many counted rounds.
        warm_up: rounds that are not counted, first.

    Returns:
        Dict from the names to `Measured`.
    """
    measured, order = {name: Measured() for name in variants}, random.Random(0)
    for round_number in range(warm_up + rounds):
        for name, function in order.sample(list(variants.items()), len(variants)):
            (measured[name] if round_number >= warm_up else Measured()).run(function)
    return measured


def ratios(measured, floor, clock="cpu"):
    """Returns one variant's times as multiples of another's in the same rounds."""
    return [a / b for a, b in zip(getattr(measured, clock), getattr(floor, clock))]


def ratio(measured, floor, clock="cpu"):
    """Returns the median of the `ratios`."""
    return statistics.median(ratios(measured, floor, clock))


def spread(numbers):
    """Returns the median and the quartiles as text."""
    numbers = sorted(numbers)
    quarter = len(numbers) // 4
    return f"{statistics.median(numbers):.2f} ({numbers[quarter]:.2f}-{numbers[-1 - quarter]:.2f})"


def table(header, rows, markdown=False):
    """Rows of strings under a header, aligned for a terminal or as Markdown."""
    widths = [max(len(row[column]) for row in [header] + rows) for column in range(len(header))]
    lines = [[cell.ljust(width) for cell, width in zip(row, widths)] for row in [header] + rows]
    if markdown:
        lines.insert(1, ["-" * width for width in widths])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n".join("  ".join(line).rstrip() for line in lines)
