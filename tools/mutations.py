#!/usr/bin/env python3
"""Plants mistakes in copies of kernel/multibody and shows that its tests find each of them.

usage: mutations.py [BUILD FOLDER] [NAME...]

Needs a built multibody_test. For each mistake the sources that hold it are compiled from a changed copy and linked before
the libraries, the test runs, and must fail. Writes docs/mathematics/multibody-mutations.md when all were tried.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULE = "vernier/kernel/multibody/"
SWEEPS = MODULE + "detail/tree_sse2.cpp"  # the sweeps; the tests are forced to use this copy
NODES = MODULE + "tree.cpp"  # poses and motions of nodes
HELD_BY = {"deform.hpp": [SWEEPS], "hinge.hpp": [SWEEPS], "solve.hpp": [SWEEPS], "place.hpp": [SWEEPS, NODES],
           "turns.hpp": [SWEEPS, NODES],
           "data.hpp": [NODES]}

# name, file, original text, planted mistake
MISTAKES = [
    # common mistakes
    ("constant mass matrix, full velocity terms", "detail/deform.hpp", "m.J = J;", "m.J = sym3<T>(mass.J);"),
    ("deforming mass matrix, gyroscopic terms of order 0", "detail/deform.hpp", "cross(w, J * w + H_rate) + J_rate * w",
     "cross(w, sym3<T>(mass.J) * w + H_rate)"),
    ("ω × (H η') forgotten", "detail/deform.hpp", "cross(w, J * w + H_rate)", "cross(w, J * w)"),
    ("Coriolis force once instead of twice", "detail/deform.hpp", "S1_rate * two", "S1_rate"),
    ("rate of the node's Jacobian forgotten", "detail/place.hpp", "{node.bias + cross(V.a, node.omega),",
     "{cross(V.a, node.omega),"),
    ("S' u forgotten: universal", "detail/place.hpp", "c.a.x = c.a.x - trig[0] * uu;", ""),
    ("S' u forgotten: gimbal", "detail/place.hpp", "s2 * s3 * u12 - c2 * c3 * u13 - s3 * u23, c2 * u12}",
     "s2 * s3 * u12 - c2 * c3 * u13, c2 * u12}"),
    ("S' u forgotten: planar", "detail/place.hpp", "c.l += Vec3<T>{v.y * u[2], -(v.x * u[2]), o};", ""),
    ("node spin φ_r η' with the attitude Exp", "../spatial/turns.hpp", "J = make(k.c, k.d);", "J = identity3<T>();"),
    # more
    ("attitude 1 + skew(θ) instead of Exp", "../spatial/turns.hpp", "R = make(k.sigma, k.c),", "R = make(one, one - one),"),
    ("-½ ω dJ ω forgotten in the modal force", "detail/deform.hpp", "be[i] = be[i] - half * dot(w, dJ[i] * w);", ""),
    ("-2 ω·H1 η' with the wrong sign", "detail/deform.hpp", "const T wh = two * dot(w, h);", "const T wh = -(two * dot(w, h));"),
    ("S1·(ω × v) forgotten in the modal force", "detail/deform.hpp", "be[i] = dot(S1, wv);", "be[i] = o;"),
    ("H1 of the wrong sign in H(η)", "detail/deform.hpp", "H[l] += h * eta[i];", "H[l] -= h * eta[i];"),
    ("quadratic inertia counted once", "detail/deform.hpp", "sym3<T>(J2) * two;", "sym3<T>(J2);"),
    ("s(η) left at s0", "detail/deform.hpp", "s += S1 * eta[i];", ""),
    ("damping forgotten", "detail/deform.hpp", " + constant<T>(k.D[n * i + l]) * rate[l]", ""),
    ("centripetal bias of a moving node forgotten", "detail/place.hpp", "cross(V.a, node.v) - cross(node.omega, v)",
     "cross(V.a, node.v)"),
    ("shape of a moving node not carried along a slide", "detail/place.hpp", "translation(on, phi, i, eta) + cross(turn, d)",
     "translation(on, phi, i, eta)"),
    ("shape of the inboard node not carried to the origin", "detail/place.hpp", "translation(link, phi, j, eta) - cross(turn, i.p)",
     "translation(link, phi, j, eta)"),
    ("second-order displacement: velocity products forgotten", "detail/deform.hpp", "if (link.shortens) state.b += bend;", ""),
    ("second-order displacement: S1 left as it is in the modal force", "detail/deform.hpp", "be[i] = be[i] + dot(more, wv);", ""),
    ("second-order displacement: N2 forgotten", "layout.cpp", "J += 0.5 * (N2 + N2.transpose());", ""),
    ("second-order displacement: S2 not carried to the inboard node", "layout.cpp",
     "m.N2[pair_of(i, l)] - frame.p.dot(S2) * Matrix3::Identity() +", "m.N2[pair_of(i, l)] +"),
    ("second-order displacement: bias of a node forgotten", "detail/place.hpp", "if (link.shortens) a.l += node.bend;", ""),
    ("c with the motion before the hinge: planar", "detail/place.hpp", "cross(V.a, v) + Vec3<T>{V.l.y * u[2]",
     "cross(V.a - Vec3<T>{o, o, u[2]}, v) + Vec3<T>{V.l.y * u[2]"),
    ("free hinge: ω × v left out of c", "detail/place.hpp", "cross(V.a, v.l) + cross(V.l, v.a)", "cross(V.l, v.a)"),
    ("cylindrical hinge: slide left out of c", "detail/place.hpp", "V.l.y * u[0] + V.a.y * u[1]", "V.l.y * u[0]"),
    ("quaternion read the other way round", "detail/place.hpp", "xy - wz, xz + wy, xy + wz,", "xy + wz, xz - wy, xy - wz,"),
    ("rotor left out of the pivot", "detail/hinge.hpp", "const T d = pivot + constant<T>(rotor[i]);", "const T d = pivot;"),
    ("prescribed acceleration does not reach the parent", "detail/hinge.hpp", "z += U * x;", "z += U * ((tau[i] - s) * di);"),
    ("prescribed speed eliminated all the same", "detail/hinge.hpp",
     "di = spatial::select(on < constant<T>(0.5), constant<T>(0.0), di);", ""),
    ("free hinge solved as if no speed were prescribed", "detail/hinge.hpp", "if (regular[link.u + i] == 0.0) return false;", ""),
    ("forces at a free hinge do not reach the parent", "detail/hinge.hpp", "z = {{tau[0], tau[1], tau[2]}, {tau[3], tau[4], tau[5]}};",
     "z = zero6<T>();"),
    ("modes leave their force behind", "detail/solve.hpp", "z -= y[i] * (ze[i] * di[i]);", ""),
    ("inboard node: coupling subtracted once", "detail/solve.hpp", "e = e - dot(y[i], psi[l]) - dot(y[l], psi[i]) + dot(Ppsi, psi[l]);",
     "e = e - dot(y[i], psi[l]) + dot(Ppsi, psi[l]);"),
    ("inboard node: bias forgotten", "detail/solve.hpp", "a -= work.modal[link.mode].ai;", ""),
    ("inboard node: force carried the wrong way", "detail/solve.hpp", "force_from(z, -m.pi)", "force_from(z, m.pi)"),
    ("gravity of the wrong sign", "detail/solve.hpp", "transposed_times(s.E, -gravity)", "transposed_times(s.E, gravity)"),
    ("modes of the parent forgotten on the way out", "detail/solve.hpp",
     "for (int i = 0; i < on.modes; ++i) a += psi[i] * work.etadd[on.mode + i];", "static_cast<void>(psi);"),
    ("no bound for pivots", "detail/hinge.hpp", "pivot_bound = 1e-12", "pivot_bound = 0.0"),
    ("eliminated inertia not counted as scale", "detail/solve.hpp", "trace(P.A) + s.lost_a", "trace(P.A)"),
    ("moment on a turning node without its Jacobian", "detail/data.hpp", "transposed_times(node.J, force.a)", "force.a"),
    ("force at a node without its moment about the origin", "detail/data.hpp", "-= force_from(force, node.p);", "-= force;"),
    ("H0 not carried to the inboard node", "layout.cpp", "m.H0.col(i) - frame.p.cross(Vector3(m.S1.col(i)))", "m.H0.col(i)"),
    ("N0 not carried to the inboard node", "layout.cpp", "m.N0[i] - frame.p.dot(S1) * Matrix3::Identity() + S1 * frame.p.transpose()",
     "m.N0[i]"),
    ("N0 taken for symmetric, once", "layout.cpp", "put_symmetric(2.0 * (Rt * N0 * frame.R)", "put_symmetric(1.0 * (Rt * N0 * frame.R)"),
    ("inertia shifted with one product", "layout.cpp", "- P.transpose() * S - S.transpose() * P", "- P.transpose() * S"),
    ("modal shapes not turned to working axes", "layout.cpp", "put(frame.R.transpose() * node.phi_t.col(i), p + 3 * i)",
     "put(node.phi_t.col(i), p + 3 * i)"),
    ("position rate without the attitude", "tree.cpp", "detail::from_quaternion(x) * Vec3<double>{v[3], v[4], v[5]}",
     "Vec3<double>{v[3], v[4], v[5]}"),
    ("accelerometer without ω × v", "tree.cpp", "a.l += spatial::cross(v.a, v.l);", ""),
    ("kinetic energy without modal cross terms", "analysis.cpp", "double modal = dot(coupling, V);", "double modal = 0.0;"),
    ("angular momentum about moving origins", "analysis.cpp", "detail::eigen(e.R[k] * y.a) + r.cross(P)", "detail::eigen(e.R[k] * y.a)"),
    ("elastic forces left in an impact", "analysis.cpp", "std::fill_n(e.work.be, tree.data().view.modes, 0.0);", ""),
    ("inverse dynamics without the inboard node's modes", "analysis.cpp",
     "if (link.inboard_moves) force -= dot(work.psi[link.inboard_psi + i], f);", ""),
    ("Jacobian without the parent's modes", "analysis.cpp", "put(on.u_modes + i, motion_at(work.psi[link.outboard_psi + i], p));", ""),
    ("integral H1 of the wrong sign", "model.cpp", "modes.H1[i] += l.mass * skew(phi) * l.shape;",
     "modes.H1[i] -= l.mass * skew(phi) * l.shape;"),
    ("integral N0 transposed", "model.cpp", "phi * l.p.transpose()", "l.p * phi.transpose()"),
    ("integral J2 without its diagonal part", "model.cpp", "phi.dot(other) * Matrix3::Identity() - phi * other.transpose()",
     "-phi * other.transpose()"),
]


def commands(build):
    """Compile command of each source, and the link command of the test."""
    text = subprocess.run(["ninja", "-C", build, "-t", "commands", "multibody_test"], capture_output=True, text=True,
                          check=True).stdout
    compile_of, link = {}, None
    for line in text.splitlines():
        found = re.search(r" -c (\S+)$", line)
        if found:
            path = pathlib.Path(build, found[1]).resolve()
            if path.is_relative_to(ROOT):
                compile_of[str(path.relative_to(ROOT))] = line
        elif "multibody_test" in line and " -o " in line and ".a" in line:
            link = line
    return compile_of, link


def plant(mistake, build, compile_of, link):
    name, file, before, after = mistake
    file = os.path.normpath(MODULE + file)
    with tempfile.TemporaryDirectory() as folder:
        text = (ROOT / file).read_text(encoding="utf-8")
        if text.count(before) < 1:
            return name, None, f"{file} does not hold: {before}"
        copy = pathlib.Path(folder, file)
        copy.parent.mkdir(parents=True)
        copy.write_text(text.replace(before, after), encoding="utf-8")
        sources = [file] if file.endswith(".cpp") else HELD_BY[copy.name]
        objects = []
        for source in sources:
            target = f"{folder}/{len(objects)}.o"
            command = compile_of[source]
            command = re.sub(r" -o \S+", f" -o {target}", command)
            command = re.sub(r" -M[TF] \S+", "", command).replace(" -MD ", " ")
            command = re.sub(r" -I\S+", f" -I{folder} -I{ROOT}", command, count=1)
            command = command.replace(" -O3", " -O0").replace("-Werror", "-Wno-error -w")
            if source == file:
                command = re.sub(r" -c \S+$", f" -c {copy}", command)
            done = subprocess.run(command, shell=True, cwd=build, capture_output=True, text=True)
            if done.returncode:
                return name, None, done.stderr[-2000:]
            objects.append(target)
        program = f"{folder}/test"
        words = shlex.split(link.split("&&")[1] if "&&" in link else link)
        words[words.index("-o") + 1] = program
        first = next(i for i, w in enumerate(words) if w.endswith(".o"))  # before other instances of the same templates
        done = subprocess.run(words[:first] + objects + words[first:], cwd=build, capture_output=True, text=True)
        if done.returncode:
            return name, None, done.stderr[-2000:]
        # tests of the star, of ensembles and of bits select instruction sets themselves
        test = subprocess.run([program, "--gtest_brief=1", "--gtest_filter=-Star.*:Ensemble*:Bits.*"], capture_output=True, text=True,
                              env={**os.environ, "VERNIER_INSTRUCTIONS": "sse2"})
        failed = sorted(set(re.findall(r"^\[  FAILED  \] (\w+(?:/\w+)*\.\w+)", test.stdout, re.M)))
        if test.returncode and not failed:
            failed = ["(the program stopped)"]
        return name, failed, ""


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build")
    wanted = sys.argv[2:]
    compile_of, link = commands(build)
    chosen = [m for m in MISTAKES if not wanted or any(w in m[0] for w in wanted)]
    bad, rows = 0, []
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for name, failed, trouble in pool.map(lambda m: plant(m, build, compile_of, link), chosen):
            if failed is None:
                print(f"could not plant: {name}: {trouble}")
                bad += 1
            elif not failed:
                print(f"NOT FOUND: {name}")
                bad += 1
            else:
                print(f"found by {len(failed):2} tests: {name}", *(failed if wanted else []))
            rows.append((name, failed or []))
    print(f"{len(chosen) - bad} of {len(chosen)} mistakes found")
    if not wanted and not bad:
        lines = ["# Mistakes that the tests of multibody find", "",
                 "Each was planted alone in a copy of the sources; the tests of `vernier/kernel/multibody` then failed. Repeat with",
                 "`make mutations`, which writes this page.", "", "| planted mistake | tests that fail |", "| --- | --- |"]
        for name, failed in rows:
            shown = ", ".join(failed[:3]) + (f" and {len(failed) - 3} more" if len(failed) > 3 else "")
            lines.append(f"| {name} | {shown} |")
        (ROOT / "docs/mathematics/multibody-mutations.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
