"""Prints the types of the ops that a part of a program makes."""

from script_folder import output_of

MADE = """
def made(make):
    graph = tf.get_default_graph()
    before = len(graph.get_operations())
    result = make()
    print(*[op.type for op in graph.get_operations()[before:]])
    return result
"""


def lines_of(script, folder):
    """Returns the lines that a script prints, in which `made(function)` calls the function and
    prints the types of the ops that it makes.
    """
    return output_of(MADE + script, folder).splitlines()
