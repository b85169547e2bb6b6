"""The folder on the path of builds: its `setuptools` takes the place of the real one."""
