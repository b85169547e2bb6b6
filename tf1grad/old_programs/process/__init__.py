"""Decides whose code is running, and keeps the register of all that is changed in this process.

    ownership           whose code a file, a module, a frame or a graph is
    patches             the register: what is changed, in which phase, why, and how it is undone
    finder              the one finder of modules: what is served, and what is changed when it is imported
    replaced_functions  functions of TensorFlow and Keras, replaced wherever modules hold them
    optimizer_classes   optimizer classes, those of the script included
    messages            lines on stderr
"""
