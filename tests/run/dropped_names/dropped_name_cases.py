"""Lists code that newer libraries refuse: (fix, modules it needs,
code that sets `result`, the result).

Of names that differ from today's in nothing but the name a few are here: `test_library_rows.py`
looks at each.
"""

CASES = {
    "float type": (
        "numpy.float",
        "numpy",
        "result = [np.zeros(1, np.float).dtype.name, np.float is float]",
        ["float64", True],
    ),
    "alen": ("numpy.alen", "numpy", "result = [np.alen(np.zeros([3, 2])), np.alen(5.0)]", [3, 1]),
    "asscalar": ("numpy.asscalar", "numpy", "result = np.asscalar(np.array([2.5]))", 2.5),
    "cast": ("numpy.cast", "numpy", "result = np.cast['float32']([1, 2]).dtype.name", "float32"),
    "from a star": (
        "numpy.array of rows of different lengths",
        "numpy",
        "from numpy import *\n"
        "from numpy import asarray as a\nrows = [[1], [1, 2]]\nresult = [array(rows).shape, a(rows).shape]",
        [[2], [2]],
    ),
    "tostring": (
        "numpy array methods",
        "numpy",
        "result = np.array([97, 98], np.uint8).tostring().decode()",
        "ab",
    ),
    "ptp": (
        "numpy array methods",
        "numpy",
        "result = np.array([[1, 5], [2, 9]]).ptp(axis=0).tolist()",
        [1, 4],
    ),
    "submodule": (
        "numpy.linalg.linalg",
        "numpy",
        "result = [float(np.linalg.linalg.norm([3.0, 4.0])), "
        "np.linalg.linalg.LinAlgError is np.linalg.LinAlgError]",
        [5.0, True],
    ),
    "array.tostring": (
        None,
        "",
        "import array\nresult = array.array('B', [104, 105]).tostring().decode()",
        "hi",
    ),
    "stack": (
        "numpy.stack of a generator",
        "numpy",
        "result = [np.stack(np.ones(2) for _ in '12').tolist(),"
        "np.vstack(map(np.array, [[1], [3]])).tolist(), np.hstack(x for x in ([1], [2])).tolist(),"
        "np.column_stack(zip([1, 2], [3, 4])).tolist(), np.dstack(x for x in ([1], [2])).tolist(),"
        "np.stack([[1], [2]], axis=1).tolist()]",
        [[[1.0, 1.0]] * 2, [[1], [3]], [1, 2], [[1, 2], [3, 4]], [[[1, 2]]], [[1, 2]]],
    ),
    "saved ragged": (
        "numpy.array of rows of different lengths",
        "numpy",
        "import io\nrows = [[1], [1, 2]]\n"
        "files = [io.BytesIO() for _ in range(3)]\nnp.savez(files[0], params=rows)\n"
        "np.savez_compressed(files[1], rows)\nnp.save(files[2], rows)\n"
        "result = [file.seek(0) and 0 or np.load(file, allow_pickle=True) for file in files]\n"
        "result = [result[0]['params'].tolist(), result[1]['arr_0'].tolist(), result[2].tolist()]",
        [[[1], [1, 2]]] * 3,
    ),
    "reshaped ragged": (
        "numpy.array of rows of different lengths",
        "numpy",
        "mixed = [1.0, np.array([2.0])]\n"
        "column = np.reshape(mixed, (2, 1))\n"
        "result = [[np.ndim(each) for each in column[:, 0]], list(column.shape), np.sum(mixed, axis=0).tolist(),"
        "np.mean(mixed).tolist(), list(np.ravel(mixed).shape)]",
        [[0, 1], [2, 1], [3.0], [1.5], [2]],
    ),
    "interpolation": (
        "numpy keyword arguments",
        "numpy",
        "x = [1.0, 2.0, 4.0]\nresult = [float(np.percentile("
        "x, 30, interpolation='lower')), float(np.percentile(x, q=75, interpolation='higher'))]",
        [1.0, 4.0],
    ),
    "histogram": (
        "numpy keyword arguments",
        "numpy",
        "h, _ = np.histogram([0.0, 0.0, 1.0, 4.0], 2, normed=True)\n"
        "result = [float(value) for value in h]",
        [0.375, 0.125],
    ),
    "copy=False": (
        "numpy.array(copy=False)",
        "numpy",
        "result = np.array([1, 2], copy=False).tolist()",
        [1, 2],
    ),
    "load": (
        "numpy.load",
        "numpy",
        "import io\nfile = io.BytesIO()\nnp.save(file, {'w': 1})\nfile.seek(0)\n"
        "result = np.load(file).item()",
        {"w": 1},
    ),
    "load npz": (
        "numpy.load",
        "numpy",
        "import io\nfile = io.BytesIO()\n"
        "np.savez(file, a=np.array([{}, None]), b=np.ones(1))\nfile.seek(0)\nz = np.load(file)\n"
        "result = [z['b'].tolist(), z['a'].tolist(), sorted(z.files)]",
        [[1.0], [{}, None], ["a", "b"]],
    ),
    "imresize": (
        "scipy.misc.imresize",
        "scipy PIL",
        "from scipy.misc import imresize\n"
        "image = np.array([[0, 255]], np.uint8)\nresult = imresize(image, (2, 4), 'nearest').tolist()",
        [[0, 0, 255, 255], [0, 0, 255, 255]],
    ),
    "imsave": (
        "scipy.misc.imread",
        "scipy PIL",
        "import io\nimport scipy.misc\nfile = io.BytesIO()\n"
        "scipy.misc.imsave(file, np.array([[0.0, 0.5], [1.0, 2.0]]), 'png')\nfile.seek(0)\n"
        "result = scipy.misc.imread(file).tolist()",
        [[0, 64], [128, 255]],
    ),
    "toimage": (
        "scipy.misc.toimage",
        "scipy PIL",
        "from scipy.misc import toimage\n"
        "image = toimage(np.arange(24).reshape(2, 4, 3), cmin=0, cmax=255)\n"
        "result = [image.mode, image.size, image.getpixel((1, 0))]",
        ["RGB", [4, 2], [3, 4, 5]],
    ),
    "getargspec": (
        "inspect.getargspec",
        "",
        "import inspect\nresult = list(inspect.getargspec(lambda a, b=2, *c, **d: 0))",
        [["a", "b"], "c", "d", [2]],
    ),
    "formatargspec": (
        "inspect.formatargspec",
        "",
        "import inspect\nspec = inspect.getfullargspec(lambda a, b=2, *c, d, e=5, **f: 0)\n"
        "result = [inspect.formatargspec(*spec[:6]), inspect.formatargspec('ab', defaults=(2,), formatvalue=lambda value: '')]",
        ["(a, b=2, *c, d, e=5, **f)", "(a, b)"],
    ),
    "isAlive": (
        "threading.Thread.isAlive",
        "",
        "import threading\nresult = threading.Thread().isAlive()",
        False,
    ),
    "makeSuite": (
        "unittest.makeSuite",
        "",
        "import unittest\n"
        "class Case(unittest.TestCase):\n"
        "    def test_b(self): pass\n"
        "    def test_a(self): pass\n"
        "    def check_c(self): pass\n"
        "def names(*arguments):\n"
        "    return [str(case).split()[0] for case in unittest.makeSuite(Case, *arguments)]\n"
        "result = [names(), names('check'), names('test', lambda a, b: (a < b) - (a > b))]",
        [["test_a", "test_b"], ["check_c"], ["test_b", "test_a"]],
    ),
    "assertEquals": (
        "unittest.TestCase.assertEquals",
        "",
        "import unittest\n"
        "class Case(unittest.TestCase):\n"
        "    def runTest(self):\n"
        "        self.assertEquals(2, 2)\n"
        "        self.assert_(True)\n"
        "        with self.assertRaisesRegexp(ValueError, 'gone'): raise ValueError('gone')\n"
        "        self.assertRegexpMatches('a1', '[0-9]')\n"
        "        self.failUnlessEqual(2, 3)\n"
        "found = Case().run()\n"
        "result = [len(found.errors), 'AssertionError: 2 != 3' in found.failures[0][1]]",
        [0, True],
    ),
    "as_matrix": (
        "pandas.DataFrame.as_matrix",
        "pandas",
        "import pandas\n"
        "f = pandas.DataFrame({'a': [1, 2], 'b': [3, 4]})\n"
        "result = [f.as_matrix().tolist(), f.as_matrix(['b']).tolist()]",
        [[[1, 3], [2, 4]], [[3], [4]]],
    ),
    "cross_validation": (
        "sklearn.cross_validation",
        "sklearn",
        "from sklearn.cross_validation import train_test_split\n"
        "result = [len(part) for part in train_test_split(list(range(10)), test_size=0.2)]",
        [8, 2],
    ),
    "KFold": (
        "sklearn.cross_validation",
        "sklearn",
        "from sklearn.cross_validation import KFold, StratifiedKFold\n"
        "from sklearn import cross_validation\n"
        "result = [[test.tolist() for _, test in KFold(4, n_folds=2)], "
        "[test.tolist() for _, test in StratifiedKFold([0, 0, 1, 1], n_folds=2)], "
        "cross_validation.GroupKFold.__name__]",
        [[[0, 1], [2, 3]], [[0, 2], [1, 3]], "GroupKFold"],
    ),
    "TSNE": (
        "sklearn TSNE(n_iter)",
        "sklearn",
        "from sklearn.manifold import TSNE\nfrom sklearn.base import clone\n"
        "tsne = clone(TSNE(n_components=1, n_iter=300))\n"
        "result = [tsne.get_params().get('n_iter', tsne.get_params().get('max_iter')), tsne.n_components]",
        [300, 1],
    ),
    "one hot": (
        "sklearn OneHotEncoder(sparse)",
        "sklearn",
        "from sklearn.preprocessing import OneHotEncoder\n"
        "result = OneHotEncoder(sparse=False).fit_transform([[1], [2]]).tolist()",
        [[1.0, 0.0], [0.0, 1.0]],
    ),
    "imputer": (
        "sklearn.preprocessing.Imputer",
        "sklearn",
        "from sklearn.preprocessing import Imputer\n"
        "result = Imputer(strategy='median').fit_transform([[float('nan')], [2.0], [4.0]]).tolist()",
        [[3.0], [2.0], [4.0]],
    ),
    "mode": (
        "scipy.stats.mode",
        "scipy",
        "from scipy import stats\n"
        "result = [each.tolist() for each in stats.mode(np.array([[1, 2], [3, 2]]))]",
        [[[1, 2]], [[1, 2]]],
    ),
    "order of entries": (
        "scipy.sparse order of entries",
        "scipy",
        """from scipy import sparse
entries = [5, -7, 6, 3, 1, 2], ([2, 2, 0, 1, 2, 2], [1, 0, 2, 0, 1, 0])
results = []
for kind in "csr", "csc", "coo", "dok", "lil":
    m = sparse.coo_matrix(entries, (3, 3)).asformat(kind)
    c = m.tocoo().astype(np.float32)
    results.append([[each.tolist() for each in sparse.find(m)], [[int(i), int(j)] for i, j in m.todok().keys()],
                    c.row.tolist(), c.data.tolist(), m.astype(float).tocsr().tocoo().row.tolist()])
assert all(each == results[0] for each in results) and results[0][3] == [3, -5, 6, 6]
result = results[0]""",
        [
            [[1, 2, 2, 0], [0, 0, 1, 2], [3, -5, 6, 6]],
            [[1, 0], [2, 0], [2, 1], [0, 2]],
            [1, 2, 2, 0],
            [3.0, -5.0, 6.0, 6.0],
            [0, 1, 2, 2],
        ],
    ),
    "A and H": (
        "scipy.sparse matrix.A",
        "scipy",
        """from scipy import sparse
m = np.array([[1, 2j], [0, 3]])
result = []
for kind in "csr", "csc", "coo", "dok", "lil", "bsr", "dia":
    s = sparse.csr_matrix(m).asformat(kind)
    result.append(bool((s.A == m).all() and not hasattr(s, "B")))""",
        [True] * 7,
    ),
    "append": (
        "pandas.DataFrame.append",
        "pandas",
        "import pandas\n"
        "f = pandas.DataFrame({'a': [1, 2]})\n"
        "result = [f.append(f)['a'].tolist(), f.append({'a': 5}, ignore_index=True).index.tolist(), "
        "f.append([f, f], ignore_index=True).shape[0], "
        "f.append(pandas.Series({'a': 7}, name=9)).loc[9, 'a'].item(), "
        "pandas.Series([1]).append(pandas.Series([2])).tolist(), len(f)]",
        [[1, 2, 1, 2], [0, 1, 2], 6, 7, [1, 2], 2],
    ),
    "ix": (
        "pandas.DataFrame.ix",
        "pandas",
        "import pandas\n"
        "f = pandas.DataFrame({'a': [1, 2], 'b': [3, 4]}, index=['p', 'q'])\n"
        "g = pandas.Series([5, 6, 7], index=[3, 1, 2])\n"
        "f.ix[f.a > 1, 'b'] = 8\nf.ix['r'] = 9\n"
        "result = [f.ix[0, 'b'].item(), f.ix['q'].tolist(), f.ix[1:, 0].tolist(), f.ix[:'q', 'b'].tolist(), "
        "f.ix[['p', 'r'], 0].tolist(), g.ix[3].item(), g.ix[[1, 2]].tolist()]",
        [3, [2, 8], [2, 9], [3, 8], [1, 9], 5, [6, 7]],
    ),
    "concat": (
        "pandas.concat",
        "pandas",
        "import pandas\n"
        "f = pandas.DataFrame({'b': [1], 'a': [2]})\n"
        "g = pandas.DataFrame({'c': [3], 'b': [4]}, index=[-1])\n"
        "result = [list(pandas.concat([f, f])), list(pandas.concat([f, g])), list(f.append(g)), "
        "list(pandas.concat([f, g], sort=False)), list(pandas.concat([f, g], join='inner')), "
        "pandas.concat([f['b'], g['c']], 1).index.tolist(), "
        "list(f.append(pandas.Series({'c': 3, '_': 1}, name=1)))]",
        [
            ["b", "a"],
            ["a", "b", "c"],
            ["a", "b", "c"],
            ["b", "a", "c"],
            ["b"],
            [-1, 0],
            ["b", "a", "_", "c"],
        ],
    ),
    "groupby size": (
        "pandas groupby(as_index=False).size",
        "pandas",
        "import pandas\n"
        "groups = pandas.DataFrame({'user': [7, 8, 7]}).groupby('user', as_index=False)\n"
        "sizes = groups.size()\n"
        "result = [sizes.index[sizes >= 2].tolist(), sizes.tolist(), groups.as_index]",
        [[7], [2, 1], False],
    ),
    "iteritems": (
        "pandas.DataFrame.iteritems",
        "pandas",
        "import pandas\nf = pandas.DataFrame({'a': [2, 1]})\n"
        "result = [name for name, _ in f.iteritems()] + f.sort('a')['a'].tolist()",
        ["a", 1, 2],
    ),
    "textsize": (
        "PIL.ImageDraw.ImageDraw.textsize",
        "PIL",
        "from PIL import Image, ImageDraw\n"
        "width, height = ImageDraw.Draw(Image.new('L', (99, 99))).textsize('text')\n"
        "result = width > height > 4",
        True,
    ),
    "Image": ("Image", "PIL", "import Image\nresult = Image.new('L', (3, 2)).size", [3, 2]),
    "imp": ("imp", "", "import imp\nresult = imp.new_module('m').__name__", "m"),
    "sample": (
        "random.sample",
        "",
        "import random\nresult = [*random.sample({7}, 1), *random.Random(3).sample({'a': 1}.keys(), 1)]",
        [7, "a"],
    ),
    "randrange": (
        "random.randrange",
        "",
        "import random\nresult = [random.randint(3, 3e0), random.Random(1).randrange(1e1, 2e1, 5e1)]\n"
        "try:\n    random.randint(0, 1.5)\nexcept (TypeError, ValueError):\n    result.append('no')",
        [3, 10, "no"],
    ),
    "loader": (
        "yaml.load",
        "yaml",
        "import yaml\nresult = [yaml.load('rate: 0.5'), *yaml.load_all('a\\n---\\nb')]",
        [{"rate": 0.5}, "a", "b"],
    ),
    "use": (
        "matplotlib.use",
        "matplotlib",
        "import matplotlib\nmatplotlib.use('agg', warn=False)\n"
        "result = matplotlib.get_backend().lower()",
        "agg",
    ),
    "gca": (
        "matplotlib gca(projection)",
        "matplotlib",
        "result = [plt.figure().gca(projection='3d').name, plt.figure() and plt.gca(projection='polar').name]",
        ["3d", "polar"],
    ),
    "normed": (
        "matplotlib hist(normed)",
        "matplotlib",
        "plt.figure()\n"
        "result = [float(h) for h in plt.hist([0.0, 0.0, 1.0, 4.0], bins=2, normed=True)[0]]",
        [0.375, 0.125],
    ),
    "grid": (
        "matplotlib grid(b)",
        "matplotlib",
        "plt.figure()\nplt.grid(b=True)\nresult = plt.gca().xaxis.get_gridlines()[0].get_visible()",
        True,
    ),
    "window title": (
        "matplotlib.backend_bases.FigureCanvasBase.set_window_title",
        "matplotlib",
        "plt.figure().canvas.set_window_title('loss')\nresult = None",
        None,
    ),
    "tostring_rgb": (
        "matplotlib.backends.backend_agg.FigureCanvasAgg.tostring_rgb",
        "matplotlib",
        "canvas = plt.figure(figsize=(1, 1), dpi=10, facecolor='r').canvas\ncanvas.draw()\n"
        "pixels = canvas.tostring_rgb()\nresult = [len(pixels), *pixels[:4]]",
        [300, 255, 0, 0, 255],
    ),
    "style": (
        "matplotlib style seaborn",
        "matplotlib",
        "plt.style.use('seaborn-white')\nresult = plt.rcParams['axes.grid']",
        False,
    ),
    "preamble": (
        "matplotlib preamble",
        "matplotlib",
        "plt.rcParams.update({'pgf.preamble': ['a', 'b']})\n"
        "result = plt.rcParams['pgf.preamble'].split()",
        ["a", "b"],
    ),
}
