"""Brings the packages that a program declares, for its process: those of its time as of its date.

declaring_files    the files in which a program declares packages
declared           what these declare, and what of it is not read
requirement_lines, setup_files, conda_files, declaring_tables  their readers
imported, missing_imports, own_tree  what a program imports and nothing declares, and what of it is
                                     its own
resolver     uv: releases, hashes and upload times, as of a date; uv_errors shortens what it says
program_date the date of the program
releases     their files, and the one for this Python
indexes      the user's package index, as pip and uv are configured
archives     files of releases: downloaded, checked, unpacked
source_packages  what is kept of a source package; nothing is built
reading      one release at a time: its requirements and its modules, read without executing
             anything of it
of_then      the releases of the program's date, level by level
choices      which release of which package, and why
of_today     wheels of today, and compiled ones, for what neither then nor the environment has
plan         makes the choices, by two dates
lock_file    the plan as a file that pip and uv read
stored       the folders of the releases, which all programs share
fetching     fetches a plan once, and puts its packages in front
toml_files   reads TOML
moved_parts  serves the modules that a compiled package of today has elsewhere
late_scipy   leaves SciPy to the functions of TensorFlow that need it
installed    what installed packages need, and which are compiled against NumPy
"""

# Values of --date: every pure package is of the program's date, or none is.
ALL, NO_DATE = "all", "none"
UNDECLARED = "undeclared"  # the program imports the package and does not declare it
# The titles of the sections of a lock file.
TITLES = OF_THEN_TITLE, TODAY_TITLE, COMPILED_TITLE = (
    "of the program's date",
    "of today",
    "compiled for this Python and NumPy",
)
