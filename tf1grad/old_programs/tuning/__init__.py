"""Times the first steps of a script under several settings.

`settings` lists them, `step_times` measures in the script's process, `step_record` holds what it writes,
`measurements` runs the processes in turn, and `tuning_report` prints what was measured.
"""
