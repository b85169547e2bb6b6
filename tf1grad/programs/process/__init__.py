"""Tells user code from library code, and keeps the register of all changes to this process.

ownership           user code, library code and tf1grad's own: files, modules, frames, graphs
patches             the register of changes: the phase of each, its reason, and how it is undone
finder              the one finder of modules: those it serves, and those it changes when they are
                    imported
replaced_functions  functions of TensorFlow and Keras, replaced wherever modules hold them
optimizer_classes   optimizer classes, those of the script included
random_states       the states of `random` and `numpy.random` during imports
checks_before_runs  checks of ops that runs wait for
raised_errors       the errors and places of a traceback
run_record          what `run --record` notes
messages            lines on stderr
"""
