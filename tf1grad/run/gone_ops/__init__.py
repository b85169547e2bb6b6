"""Provides the ops of TensorFlow 1.15 that TensorFlow 2 does not have.

    table                 a row for each op that is provided: its function, its gradient
    of_tensorflow         functions that build ops from those that TensorFlow still has, in a module
                          per subject
    of_numpy              the ops of trees and forests, computed with NumPy
    raw_ops               makes an op by its type, whoever has it
    signatures            the inputs, outputs and attributes of all ops without a kernel
    attributes            attributes of nodes as Python values
    function_definitions  the op as a function of a graph's library
    graph_defs            graphs of files, and those that a program imports: the ops that they miss,
                          provided
    advice                what to take instead of an op that is not replaced

The functions serve graphs of files and calls from code. Tables and advice do not import TensorFlow.
"""
