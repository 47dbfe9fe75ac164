#!/usr/bin/env python3
"""What other programs see of results.h5: read by h5py, as docs/reference/results.md shows it.

usage: h5py_test.py <results.h5> <rows> [swmr]
"""
import sys

import h5py
import numpy as np

file, rows, *mode = sys.argv[1:]
with h5py.File(file, "r", swmr="swmr" in mode) as results:
    omega = results["signals/plant/omega"]
    value, time = omega["value"], omega["time"]
    assert value.attrs["unit"] == b"rad/s" or value.attrs["unit"] == "rad/s", value.attrs["unit"]
    assert results.attrs["composition"] in (b"test", "test")
    assert len(time) >= int(rows), (len(time), rows)
    n = min(len(time), len(value))
    np.testing.assert_array_equal(time[:n], 0.1 * np.arange(n))
    expected = np.sin(0.001 * np.arange(n))[:, None] + np.arange(3)
    # another libm may round the sine differently
    np.testing.assert_allclose(value[:n], expected, rtol=0, atol=1e-15)
    # one dataset under two names
    other = results["signals/supervisor/mode/time"]
    assert h5py.h5o.get_info(time.id).addr == h5py.h5o.get_info(other.id).addr
    assert results["signals/supervisor/mode/value"].dtype == np.int64
