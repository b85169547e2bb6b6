"""Times the first steps of a script under several settings.

`settings` lists them, `step_times` measures in the script's process, `measurements` runs the processes in turn, and
`tuning_report` prints what was measured.
"""
