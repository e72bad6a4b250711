"""Methods that misbehave in every way that was ever tried, as the text of a user's module.

Each one ranks the features by their spread and then does something that it should not. So a cell
of it either fails, or has exactly the numbers of `Good`.
"""

MODULE = '''\
import atexit
import ctypes
import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
import numpy as np
import psutil
import sklearn
from sklearn.base import BaseEstimator
from mlfs.selectors import Ranker
from mlfs.methods.tags import Tags

KEPT = []


class Good(BaseEstimator):
    """Ranks by spread, and behaves."""

    def fit(self, X, Y):
        X = X.toarray() if hasattr(X, "toarray") else X
        self.scores_ = X.std(axis=0)
        return self


class Behaves(Ranker):
    """The same, derived from mlfs's own class."""

    tags = Tags(paper="none", supports_sparse=True)

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _rank(self, X, Y):
        dense = X.toarray() if hasattr(X, "toarray") else X
        found = dense.std(axis=0)
        self.spoil(X, Y)
        return found

    def spoil(self, X, Y):
        pass
'''

# what the body of a method does after it has its scores, by the name of its class
BODIES = {
    # writes into its data
    "WritesX": "X[:] = 0.0",
    "WritesIntoViews": "X[:, ::2] += 5.0; X.T[0] = 7.0; X.ravel(order='K')[:] = 1.0",
    "WritesY": "Y[:] = 1",
    "WritesTheBase": "base = X if X.base is None else X.base; base[...] = 0.0",
    "ForcesTheFlag": "X.flags.writeable = True; X *= 2.0; Y *= 0",
    "WritesByAddress": "ctypes.memset(X.ctypes.data, 0, X.nbytes)",
    "FindsTheFrame": """
        for one in gc.get_objects():
            if isinstance(one, np.ndarray) and one.ndim == 2 and one.shape[1] == X.shape[1]:
                try:
                    one.flags.writeable = True
                    one[:] = 0.0
                except ValueError:
                    pass""",
    # changes its process
    "SetsConfig": "sklearn.set_config(transform_output='pandas')",
    "ReplacesArgsort": "np.argsort = lambda a, *b, **c: np.arange(len(a))[::-1]",
    "ReplacesMean": "np.mean = lambda *a, **b: 0.5",
    "ReplacesAll": """
        for name in ("sort", "sum", "argmax", "unique", "where", "dot", "isin"):
            setattr(np, name, lambda *a, **b: np.zeros(1))""",
    "ReplacesMetrics": """
        import mlfs.metrics, mlfs.protocols.selection, mlfs.protocols.planted
        mlfs.protocols.selection.evaluate = lambda *a, **b: {"average_precision": 1.0}
        mlfs.protocols.planted.np = None""",
    "ReplacesBuiltins": "import builtins; builtins.len = lambda a: 1; builtins.float = int",
    "ReplacesPickle": "import pickle; pickle.dumps = lambda *a: b''; pickle.loads = lambda *a: 1",
    "RaisesOnWarnings": "np.seterr(all='raise'); warnings.simplefilter('error')",
    "Leaks": "KEPT.append(np.ones(2_000_000))",
    "ClearsTheEnvironment": "os.environ.clear()",
    "ForgetsNumpy": "sys.modules.pop('numpy'); sys.modules['scipy'] = None",
    "MovesAway": "os.chdir('/')",
    "LowersLimits": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
    "LimitsRecursion": "sys.setrecursionlimit(60)",
    "StopsTheCollector": "gc.disable(); gc.set_threshold(0)",
    "TakesSignals": "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "Seeds": "np.random.seed(5); random.seed(5)",
    # ends
    "ExitsWell": "os._exit(0)",
    "ExitsBadly": "os._exit(9)",
    "ExitsInC": "ctypes.CDLL(None).exit(0)",
    "KillsItself": "os.kill(os.getpid(), signal.SIGKILL)",
    "TerminatesItself": "os.kill(os.getpid(), signal.SIGTERM)",
    "Aborts": "os.abort()",
    "Segfaults": "ctypes.string_at(0)",
    "SysExits": "sys.exit(0)",
    "KillsItsParent": "os.kill(os.getppid(), signal.SIGKILL); time.sleep(600)",
    "KillsTheServer": "psutil.Process().parent().parent().kill()",
    "RaisesAtExit": "atexit.register(time.sleep, 600)",
    # raises
    "Interrupts": "raise KeyboardInterrupt",
    "ClosesGenerators": "raise GeneratorExit",
    "TextExits": "raise type('E', (Exception,), {'__str__': lambda self: sys.exit(0)})",
    "TextInterrupts": """
        class E(Exception):
            def __str__(self):
                raise KeyboardInterrupt
            __repr__ = __str__
        raise E""",
    "ExitsUnspeakably": """
        class Code:
            def __repr__(self):
                raise KeyboardInterrupt
        raise SystemExit(Code())""",
    "NotesInterrupt": """
        class E(Exception):
            __notes__ = property(lambda self: sys.exit(0))
        raise E("noted")""",
    "CausesInterrupt": """
        class E(Exception):
            __cause__ = property(lambda self: sys.exit(0), lambda self, value: None)
        raise E("caused")""",
    "RaisesOutOfMemory": "raise MemoryError",
    "RaisesWithoutEnd": "self.fit(X, Y)",
    "RaisesMuch": "raise ValueError('much ' * 10**6)",
    "RaisesSurrogates": "raise ValueError('\\ud800 \\x00')",
    "RaisesTwice": """
        try:
            1 / 0
        finally:
            raise SystemExit("and again")""",
    # starts
    "Forks": "os.fork()",
    "ForksAndEnds": "os.fork() and os._exit(0)",
    "StartsAChild": "subprocess.Popen(['sleep', '904'])",
    "StartsASession": "subprocess.Popen(['sleep', '904'], start_new_session=True)",
    "StartsADaemon": """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.environ.clear()
                os.execve('/bin/sleep', ['sleep', '904'], {})
            os._exit(0)""",
    "StartsThreads": "threading.Thread(target=time.sleep, args=(600,)).start()",
    # talks
    "Prints": "print('NOISE' * 100_000); os.write(1, b'NOISE' * 100_000)",
    "WritesEverywhere": """
        for number in range(3, 256):
            try:
                os.write(number, b'\\xff' * 4096)
            except OSError:
                pass""",
    "ClosesEverything": "os.closerange(0, 256)",
    "Asks": "input('really?')",
}
# what a method has instead of its scores
SCORES = {
    "ComplexScores": "self.scores_ + 1j * self.scores_[::-1]",
    "NanScores": "np.full(X.shape[1], np.nan)",
    "InfiniteScores": "np.full(X.shape[1], np.inf)",
    "OneNan": "np.where(np.arange(X.shape[1]) == 1, np.nan, self.scores_)",
    "OneInfinite": "np.where(np.arange(X.shape[1]) == 1, np.inf, self.scores_)",
    "TooFewScores": "self.scores_[:-1]",
    "TooManyScores": "np.append(self.scores_, 1.0)",
    "ScoresOfTexts": "np.array(['high'] * X.shape[1])",
    "ScoresOfObjects": "np.array([object()] * X.shape[1])",
    "NoScores": "None",
}
# what a ranker returns from _rank, which may be its order
RANKS = {
    "ComplexRanks": "found + 1j",
    "NanRanks": "found * np.nan",
    "InfiniteRanks": "found + np.inf",
    "ShortRanks": "found[1:]",
    "RepeatedRanks": "np.zeros(len(found), dtype=int)",
    "NegativeRanks": "-1 - np.arange(len(found))",
    "RanksBeyond": "np.arange(len(found)) + 1",
    "RanksInRows": "found[:, None]",
}
# these last until they are ended
HANGING = {
    "Sleeps": "time.sleep(900)",
    "TurnsInCircles": "exec('while True: pass')",
    "StopsItself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "TextHangs": "raise type('E', (Exception,), {'__str__': lambda self: time.sleep(900)})",
}
# these need more memory than they get
GREEDY = {
    "Grabs": "KEPT.append(np.ones(250_000_000)); time.sleep(60)",
    "GrabsSharedMemory": """
        import mmap
        kept = mmap.mmap(-1, 2 * 10**9)
        for i in range(0, 2 * 10**9, 4096):
            kept[i] = 1
        time.sleep(60)""",
}


def _class(name: str, body: str) -> str:
    """The class that does as it should and then as the body says."""
    body = body if body.startswith("\n") else f"\n        {body}"
    fit = "    def fit(self, X, Y):\n        super().fit(X, Y)" + body
    spoil = "    def spoil(self, X, Y):" + body
    return f"\n\nclass {name}(Good):\n{fit}\n\n\nclass Own{name}(Behaves):\n{spoil}\n"


def module() -> str:
    """The text of the module with all of them."""
    text = MODULE
    for name, body in {**BODIES, **HANGING, **GREEDY}.items():
        text += _class(name, body)
    for name, value in SCORES.items():
        text += _class(name, f"self.scores_ = {value}")
    for name, value in RANKS.items():
        text += (
            f"\n\nclass {name}(Behaves):\n    def _rank(self, X, Y):\n"
            f"        found = super()._rank(X, Y)\n        return {value}\n"
        )
    return text


# harmless in the end: they must be done, with the numbers of `Good`
WELL = (
    *("WritesX", "WritesIntoViews", "WritesY", "WritesByAddress", "SetsConfig", "ReplacesArgsort"),
    *("ReplacesMetrics", "Leaks", "ClearsTheEnvironment", "MovesAway", "StopsTheCollector"),
    *("TakesSignals", "Seeds", "RaisesAtExit", "StartsAChild", "StartsASession", "StartsADaemon"),
    *("StartsThreads", "Prints", "Forks"),
)
# they must fail
BADLY = (
    *("ExitsWell", "ExitsBadly", "ExitsInC", "KillsItself", "Aborts", "Segfaults", "SysExits"),
    *("Interrupts", "ClosesGenerators", "TextExits", "TextInterrupts", "ExitsUnspeakably"),
    *("NotesInterrupt", "CausesInterrupt", "RaisesOutOfMemory", "RaisesWithoutEnd", "RaisesMuch"),
    *("RaisesSurrogates", "RaisesTwice", "ForksAndEnds", "Asks", *SCORES, *RANKS),
)
EITHER = tuple(name for name in BODIES if name not in WELL + BADLY)
