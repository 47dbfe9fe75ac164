#!/usr/bin/env python3
"""Writes the meshes of this example, as CAD programs would: bus.glb, panel.stl (in millimetres), antenna.obj.

usage: write_meshes.py [FOLDER]
"""
import json
import math
import struct
import sys
from pathlib import Path

# a box from -1/2 to 1/2 by its faces: two axes, and the side of the third
FACES = [(1, 2, 0, 1), (2, 1, 0, -1), (2, 0, 1, 1), (0, 2, 1, -1), (0, 1, 2, 1), (1, 0, 2, -1)]


def quads(size, centre=(0, 0, 0)):
    """The faces of a box: a normal and four corners each, seen from outside against the clock."""
    for u, v, w, side in FACES:
        normal = [0.0, 0.0, 0.0]
        normal[w] = float(side)
        corners = []
        for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            p = [0.0, 0.0, 0.0]
            p[u], p[v], p[w] = a / 2, b / 2, side / 2
            corners.append([c + s * x for c, s, x in zip(centre, size, p)])
        yield normal, corners


def glb(boxes):
    """glTF 2.0: a mesh with a primitive and a material for each (colour, size, centre)."""
    data, views, accessors, primitives, materials = b"", [], [], [], []

    def add(values, kind, number, component):
        nonlocal data
        flat = [x for v in values for x in v]
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(flat) * struct.calcsize(number)})
        data += struct.pack(f"<{len(flat)}{number}", *flat)
        data += bytes(-len(data) % 4)
        a = {"bufferView": len(views) - 1, "componentType": component, "count": len(values), "type": kind}
        if kind == "VEC3":
            a |= {"min": [min(c) for c in zip(*values)], "max": [max(c) for c in zip(*values)]}
        accessors.append(a)
        return len(accessors) - 1

    for colour, size, centre in boxes:
        points, normals, indices = [], [], []
        for normal, corners in quads(size, centre):
            first = len(points)
            points += corners
            normals += [normal] * 4
            indices += [[first + i] for i in (0, 1, 2, 0, 2, 3)]
        materials.append({"pbrMetallicRoughness": {"baseColorFactor": colour, "metallicFactor": 0}})
        primitives.append({"attributes": {"POSITION": add(points, "VEC3", "f", 5126), "NORMAL": add(normals, "VEC3", "f", 5126)},
                           "indices": add(indices, "SCALAR", "H", 5123), "material": len(materials) - 1})
    text = json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
                       "meshes": [{"primitives": primitives}], "materials": materials, "accessors": accessors,
                       "bufferViews": views, "buffers": [{"byteLength": len(data)}]}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def stl(boxes):
    triangles = []
    for size, centre in boxes:
        for normal, c in quads(size, centre):
            triangles += [(normal, (c[0], c[1], c[2])), (normal, (c[0], c[2], c[3]))]
    out = b"panel".ljust(80, b"\0") + struct.pack("<I", len(triangles))
    for normal, corners in triangles:
        out += struct.pack("<12fH", *normal, *(x for c in corners for x in c), 0)
    return out


def dish(radius, depth, rings, sectors):
    """OBJ: a paraboloid that opens along z, from its vertex at the origin."""
    lines = ["# a dish", "v 0 0 0"]
    for r in range(1, rings + 1):
        for s in range(sectors):
            angle, x = 2 * math.pi * s / sectors, radius * r / rings
            lines.append(f"v {x * math.cos(angle):.6f} {x * math.sin(angle):.6f} {depth * (r / rings) ** 2:.6f}")
    at = lambda r, s: 1 if r == 0 else 2 + (r - 1) * sectors + s % sectors  # noqa: E731
    for s in range(sectors):
        lines.append(f"f 1 {at(1, s)} {at(1, s + 1)}")
        for r in range(1, rings):
            lines.append(f"f {at(r, s)} {at(r + 1, s)} {at(r + 1, s + 1)} {at(r, s + 1)}")
    return "\n".join(lines) + "\n"


folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
grey, dark, gold = [0.7, 0.72, 0.75, 1], [0.2, 0.22, 0.26, 1], [0.85, 0.62, 0.2, 1]
(folder / "bus.glb").write_bytes(glb([(gold, (0.9, 0.9, 1.2), (0, 0, 0.6)), (grey, (0.7, 0.7, 0.1), (0, 0, 1.25)),
                                      (dark, (0.4, 0.4, 0.12), (0, 0, -0.06))]))
cells = [((680, 440, 20), (400 + 720 * i, 240 * side, 0)) for i in range(4) for side in (-1, 1)]
(folder / "panel.stl").write_bytes(stl(cells + [((300, 40, 30), (-100, 0, 0))]))
(folder / "antenna.obj").write_text(dish(0.4, 0.12, 4, 24), encoding="utf-8")
