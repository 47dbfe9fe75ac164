#!/usr/bin/env python3
"""A tank that leaks, joined to a run:  x' = inflow - x/2,  outputs level and outflow.

usage: peer.py 127.0.0.1:4711            connects to a run that listens there
       peer.py --listen 127.0.0.1:4711   waits for a run that connects
"""
import math
import sys

import vernier_lines


class Tank:
    def init(self, t):
        self.x = 0.5
        return [self.x, self.x / 2]

    def step(self, t, t_next, inputs):
        rest = 2 * inputs[0]  # the equilibrium level
        self.x = rest + (self.x - rest) * math.exp(-(t_next - t) / 2)
        return [self.x, self.x / 2]


if __name__ == "__main__":
    where = {"listen": sys.argv[2]} if sys.argv[1] == "--listen" else {"connect": sys.argv[1]}
    vernier_lines.serve(Tank(), "tank", **where)
