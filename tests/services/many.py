"""Many labellers at once on one study: started together, and what each of them got."""

from fewlabels.testing.processes import starting
from services import label_worker


def label_together(address: str, processes: int, labels: int, seconds: float) -> list[list[tuple[int, float, float]]]:
    """What each of so many processes told, with the seconds it took to ask and to tell."""
    label_worker.make_study(address)
    context = starting()
    start, pipes = context.Barrier(processes), [context.Pipe(duplex=False) for _ in range(processes)]
    workers = [
        context.Process(
            target=label_worker.label, args=(address, f"labeller-{n}", labels, seconds, start, pipe[1]), daemon=True
        )
        for n, pipe in enumerate(pipes)
    ]
    for worker in workers:
        worker.start()
    for _, there in pipes:
        there.close()
    told = [here.recv() for here, _ in pipes]  # raises where a process ended without a word
    for worker in workers:
        worker.join()
    return told
