"""The pool: whatever happens to a process, nobody waits for its call for ever."""

import pytest

from mlfs.engine.workers.pool import Workers, environment
from mlfs.engine.workers.starting import Worker

from ...helpers import LONG

MUCH = 1e15  # bytes that a call may use


def test_a_process_that_cannot_be_ended_leaves_nobody_waiting(monkeypatch):
    kept = []

    def refuse(worker):
        kept.append(worker)
        raise LookupError("it cannot be ended")

    with Workers(1, None, environment()) as pool:
        with monkeypatch.context() as patch:
            patch.setattr(Worker, "end", refuse)
            with pytest.raises(LookupError, match="it cannot be ended"):
                pool.submit(MUCH, abs, -1, once=True).result(LONG)
        assert pool.submit(MUCH, abs, -2).result(LONG) == 2, "the pool goes on with a new process"
    kept[0].end()
