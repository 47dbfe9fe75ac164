#!/usr/bin/env python3
"""How far runs on several nodes go: a model of the time of a tick, fitted to measurements, and checked
against a simulation.

usage: distribution_model.py [--rates FILE | --bench build/bin/distribution_bench] [--cores N] [--write PAGE]

The model's costs are fitted to the output of `distribution_bench --rates` (benchmarks/distribution_rates.csv).
The simulation sends every frame of every round between 10 to 1000 nodes. Prints the tables of
docs/mathematics/distribution.md; --write replaces them there.
"""
import argparse
import csv
import math
import pathlib
import random
import re
import statistics
import subprocess

MICRO = 1e-6
root = pathlib.Path(__file__).resolve().parent.parent

# -- the model ----------------------------------------------------------------------------------------

NETWORKS = {  # round trip (s), mean jitter of one way (s), bits per second
    "rack": (20 * MICRO, 2 * MICRO, 10e9),
    "campus": (300 * MICRO, 30 * MICRO, 1e9),
    "continent": (30e-3, 1e-3, 100e6),
}
RETRANSMISSION = 0.2  # s, the least of Linux


def spread(radius):
    """How many mean jitters a round costs: the growth rate of the longest path through all rounds,
    min over s of log(radius / (1 - s)) / s, for exponential jitter."""
    return min(math.log(radius / (1 - s)) / s for s in (k / 2000 for k in range(1, 2000)))


def tick(work, rounds, peers, radius, size, per_frame, per_byte, network, loss=0.0, frames=0):
    """Seconds. `peers`: of the node with the most; `radius`: the spectral radius of who hears whom."""
    round_trip, jitter, bandwidth = network
    frame = per_frame + per_byte * size + 8 * size / bandwidth
    waits = round_trip / 2 + spread(radius) * jitter + min(1.0, loss * frames) * RETRANSMISSION
    return work + rounds * (peers * frame + waits)


# -- the simulation -----------------------------------------------------------------------------------


def peers_of(shape, nodes):
    """By node: the nodes that it exchanges frames with, ascending."""
    if shape == "all":
        return [[j for j in range(nodes) if j != i] for i in range(nodes)]
    if shape == "star":
        return [list(range(1, nodes))] + [[0]] * (nodes - 1)
    return [sorted({(i + d) % nodes for d in (-2, -1, 1, 2)}) for i in range(nodes)]  # ring


def radius_of(shape, nodes):
    return {"all": nodes - 1, "star": math.sqrt(nodes - 1), "ring": 4}[shape]


class Simulation:
    """Rounds of frames between nodes. A node sends to its peers in order, one after the other, and takes
    what they send in the same order."""

    def __init__(self, shape, nodes, size, per_frame, per_byte, network, loss, seed):
        self.peers = peers_of(shape, nodes)
        # the place of a node among those that each of its peers sends to
        places = [{q: k + 1 for k, q in enumerate(p)} for p in self.peers]
        self.places = [[places[q][i] for q in p] for i, p in enumerate(self.peers)]
        self.round_trip, self.jitter, bandwidth = network
        self.send = (per_frame + per_byte * size) / 2 + 8 * size / bandwidth
        self.receive = (per_frame + per_byte * size) / 2
        self.loss = loss
        self.random = random.Random(seed)
        self.ready = [0.0] * nodes

    def round(self):
        send, receive, half, jitter, loss = self.send, self.receive, self.round_trip / 2, self.jitter, self.loss
        log, uniform, ready = math.log, self.random.random, self.ready
        after = []
        for i, peers in enumerate(self.peers):
            at = ready[i] + len(peers) * send
            for q, place in zip(peers, self.places[i]):
                arrival = ready[q] + place * send + half - jitter * log(1.0 - uniform())
                if loss > 0.0 and uniform() < loss:
                    arrival += RETRANSMISSION
                at = max(at, arrival) + receive
            after.append(at)
        self.ready = after

    def seconds_per_tick(self, work, rounds, ticks):
        for _ in range(max(2, ticks // 10)):
            self.tick(work, rounds)
        began = max(self.ready)
        for _ in range(ticks):
            self.tick(work, rounds)
        return (max(self.ready) - began) / ticks

    def tick(self, work, rounds):
        for _ in range(rounds):
            self.round()
        self.ready = [at + work for at in self.ready]


# -- measurements -------------------------------------------------------------------------------------


def measurements(options):
    if options.bench:
        text = subprocess.run([options.bench, "--rates"], capture_output=True, text=True, check=True).stdout
    else:
        text = options.rates.read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [{k: v if k == "over" else float(v) for k, v in row.items()} for row in csv.DictReader(lines)]


def fitted(rows, over, cores):
    """Costs of a frame and of a byte (s), and the predictions: all nodes share `cores` processors, and the one with most of them decides."""
    alone = {(r["bytes"], r["rounds"], r["work"]): r["best"] for r in rows if r["over"] == over and r["nodes"] == 1}
    cases = [r for r in rows if r["over"] == over and r["nodes"] > 1]
    rest, frames, sizes = [], [], []
    for r in cases:
        on_a_core = math.ceil(r["nodes"] / cores)
        work = alone[r["bytes"], r["rounds"], r["work"]] * on_a_core
        frames.append(r["rounds"] * on_a_core * (r["nodes"] - 1))
        sizes.append(frames[-1] * r["bytes"])
        rest.append(r["best"] - work)
    # least squares of the relative errors, two unknowns
    weights = [1 / r["best"] ** 2 for r in cases]
    ff, fs, ss, fr, sr = (sum(w * x * y for w, x, y in zip(weights, a, b)) for a, b in
                          ((frames, frames), (frames, sizes), (sizes, sizes), (frames, rest), (sizes, rest)))
    det = ff * ss - fs * fs
    frame, byte = (fr * ss - sr * fs) / det, (sr * ff - fr * fs) / det
    predicted = [f * frame + s * byte + r["best"] - left for f, s, left, r in zip(frames, sizes, rest, cases)]
    return (frame * MICRO, byte * MICRO), list(zip(cases, predicted))


# -- tables -------------------------------------------------------------------------------------------


def duration(s):
    for unit, name in ((1.0, "s"), (1e-3, "ms")):
        if s >= unit:
            return f"{s / unit:.3g} {name}"
    return f"{s * 1e6:.3g} µs"


def rate(s):
    return f"{float(f'{1 / s:.2g}'):,.0f}".replace(",", " ") if s < 0.1 else f"{1 / s:.2g}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join(["---"] + ["---:"] * (len(head) - 1)) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])


def fit_table(fits):
    rows = []
    for over, (_, pairs) in fits.items():
        for r, p in pairs:
            rows.append((f"{over}, {r['nodes']:.0f} nodes, {r['rounds']:.0f} round{'s' if r['rounds'] > 1 else ''}, "
                         f"{r['bytes']:.0f} B" + (", with work" if r["work"] else ""),
                         f"{r['best']:.1f}", f"{p:.1f}", f"{p / r['best']:.2f}"))
    return table(("on this machine", "measured, µs", "model, µs", "model / measured"), rows)


def far_table(costs, work, rounds, size):
    rows = []
    for name, network in NETWORKS.items():
        for shape in ("ring", "star", "all"):
            for nodes in (10, 100, 1000):
                peers = max(len(p) for p in peers_of(shape, nodes))
                model = tick(work, rounds, peers, radius_of(shape, nodes), size, *costs, network)
                ticks = {10: 2000, 100: 200, 1000: 4}[nodes] if shape == "all" else 200
                seen = Simulation(shape, nodes, size, *costs, network, 0.0, 1).seconds_per_tick(work, rounds, ticks)
                rows.append((f"{name}, {shape}, {nodes}", duration(model), duration(seen), f"{model / seen:.2f}",
                             rate(seen)))
    return table(("network, who hears whom, nodes", "model", "simulation", "model / simulation", "ticks per second"),
                 rows)


def round_table(costs, size):
    rows = []
    for name, network in NETWORKS.items():
        row = [name]
        for work, rounds in ((0, 1), (0, 3), (1e-3, 1), (10e-3, 1), (10e-3, 3)):
            row.append(rate(tick(work, rounds, 3, 3, size, *costs, network)))
        rows.append(row)
    return table(("four nodes, ticks per second", "no work, 1 round", "no work, 3 rounds", "1 ms, 1 round",
                  "10 ms, 1 round", "10 ms, 3 rounds"), rows)


def loss_table(costs, work, size):
    rows = []
    for nodes in (10, 100, 1000):
        row = [f"rack, ring, {nodes}"]
        for loss in (0.0, 1e-7, 1e-6, 1e-5):
            sim = Simulation("ring", nodes, size, *costs, NETWORKS["rack"], loss, 1)
            row.append(duration(sim.seconds_per_tick(work, 1, 200_000 // nodes * 10)))
        rows.append(row)
    return table(("frames that are lost", "none", "1 in 10⁷", "1 in 10⁶", "1 in 10⁵"), rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", type=pathlib.Path, default=root / "benchmarks/distribution_rates.csv")
    parser.add_argument("--bench", help="measure now with this program")
    parser.add_argument("--cores", type=int, default=2, help="of the machine that measured")
    parser.add_argument("--write", type=pathlib.Path, help="replace the tables of this page")
    options = parser.parse_args()
    rows = measurements(options)
    fits = {over: fitted(rows, over, options.cores) for over in ("tcp", "shared")}
    costs = [float(f"{c:.2g}") for c in fits["tcp"][0]]
    size, work = 200, 100 * MICRO
    ratios = [p / r["best"] for _, pairs in fits.values() for r, p in pairs]
    cost_rows = [(over, f"{c[0] * 1e6:.2g} µs", f"{c[1] * 1e9:.2g} ns") for over, (c, _) in fits.items()]
    tables = {
        "costs": table(("over", "a frame", "a byte"), cost_rows),
        "fit": fit_table(fits),
        "far": far_table(costs, work, 1, size),
        "rounds": round_table(costs, size),
        "loss": loss_table(costs, work, size),
    }
    for name, text in tables.items():
        print(f"{name}\n{text}\n")
    quarters = statistics.quantiles(ratios, n=4)
    print(f"model / measured: {min(ratios):.2f} to {max(ratios):.2f}, half of them within {quarters[0]:.2f} and {quarters[2]:.2f}")
    if options.write:
        page = options.write.read_text()
        for name, text in tables.items():
            page, count = re.subn(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: f"{m[1]}{text}\n{m[2]}", page,
                                  flags=re.S)
            if count != 1:
                raise SystemExit(f"{options.write}: no place for the table {name}")
        options.write.write_text(page)


main()
