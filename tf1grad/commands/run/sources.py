"""How the user's modules become code: by a compiler of choice, and without a `__pycache__` beside them."""

from importlib.machinery import SourceFileLoader

from tf1grad.commands.run.users import is_users_file


def compile_plainly(source, filename):
    """As Python compiles a module."""
    return compile(source, filename, "exec", dont_inherit=True)


def install(compiler):
    """From now on `compiler(source, filename)` compiles what this process imports of the user's code."""
    plain = SourceFileLoader.get_code

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return compiler(self.get_data(path), path) if is_users_file(path) else plain(self, fullname)

    SourceFileLoader.get_code = get_code
