"""The long attack by data files: each is damaged at random and read again."""

import random
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from mlfs.errors import UserError

from ..fuzz.test_fuzz import KINDS, damage

_DATA = ("dense arff", "sparse arff", "mulan", "xml", "mat in parts", "mat as a whole", "rda")
_DATA += ("fvec", "hvecs", "csv", "arrays", "libsvm")
_DAMAGES = ("flip", "cut", "cut off", "insert", "replace", "repeat")
_LONGEST = 20.0  # seconds of the processor for one file


def attack_mutations(seed: int, count: int) -> Counter:
    """Data files with up to five random changes: a sound dataset, or one sentence, and soon."""
    rng, outcomes = random.Random(seed), Counter()
    seeds = {name: KINDS[name].seeds() for name in _DATA}
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(count):
            name = _DATA[i % len(_DATA)]
            kind, content = KINDS[name], rng.choice(seeds[name])
            words = [word.encode() for word in kind.words.split("|") if word]
            for _ in range(rng.choice((1, 1, 1, 2, 5))):
                new = rng.choice([rng.randbytes(rng.randint(1, 4)), rng.choice(words)])
                where = rng.randrange(len(content) + 1)
                content = damage(content, rng.choice(_DAMAGES), where, rng.randint(1, 40), new)
            path = Path(place) / f"file{kind.suffix}"
            path.write_bytes(kind.then(content))
            began = time.process_time()
            try:
                kind.read(path)
                outcomes["read, and sound"] += 1
            except UserError as error:
                outcomes["refused in one sentence"] += 1
                outcomes["tracebacks"] += "\n" in str(error) or not str(error).strip()
            except Exception:
                traceback.print_exc()
                outcomes["tracebacks"] += 1
            outcomes["hangs"] += time.process_time() - began > _LONGEST
    return outcomes
