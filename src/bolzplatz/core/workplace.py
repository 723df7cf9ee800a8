"""Where long runs compute: on the threads of this process, or on the workers of a Dask cluster.

    with workplace("dask", "tcp://10.0.0.5:8786"):
        simulate(game, policies, matches)

Whoever cuts a run into pieces asks `on_cluster`; results depend on the pieces alone, never on where they were done.
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Final

from bolzplatz.core.errors import BolzplatzError, shorten

LOCAL: Final = "local"
DASK: Final = "dask"
WORKPLACES: Final = (LOCAL, DASK)

_cluster: ContextVar[bool] = ContextVar("_cluster", default=False)


class WorkplaceError(BolzplatzError):
    """A cluster that is not there; one clear line."""


def on_cluster() -> bool:
    """Say whether pieces go to the workers of a cluster, through joblib."""
    return _cluster.get()


@contextlib.contextmanager
def workplace(name: str = LOCAL, scheduler: str | None = None, workers: int | None = None) -> Iterator[None]:
    """Let long runs compute there.

    Args:
        name: LOCAL or DASK.
        scheduler: the address of a Dask scheduler; None starts a cluster on this machine.
        workers: how many processes such a cluster has; as many as there are cores where None.

    Raises WorkplaceError where Dask is not installed or the scheduler does not answer.
    """
    if name == LOCAL:
        if scheduler is not None:
            raise WorkplaceError(f"the address {shorten(scheduler)} of a scheduler is for the backend dask only")
        yield
        return
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise WorkplaceError("the backend dask needs a package more: pip install 'bolzplatz[dask]'") from None
    from joblib import cpu_count, parallel_config

    with contextlib.ExitStack() as stack:
        if scheduler is None:
            processes = workers or cpu_count()
            local: Any = LocalCluster
            cluster = local(n_workers=processes, threads_per_worker=1, processes=True, dashboard_address=None)
            scheduler = stack.enter_context(cluster).scheduler_address
        try:
            client: Any = Client
            stack.enter_context(client(scheduler, timeout="10s"))
        except (OSError, ValueError) as fault:
            raise WorkplaceError(f"no Dask scheduler answers at {scheduler}: {fault}") from None
        stack.enter_context(parallel_config(backend="dask"))
        token = _cluster.set(True)
        try:
            yield
        finally:
            _cluster.reset(token)
