"""A package of several modules: flags, hyperparameters, a model and its data. See train.py."""
