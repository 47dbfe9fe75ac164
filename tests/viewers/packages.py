"""The public clients of npm that the tests of this folder use."""
import fcntl
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def installed(folder, test):
    """`folder` with the packages and the scripts; fails the test where npm cannot install them."""
    if not shutil.which("npm"):
        test.fail("npm is not installed: tools/install_packages test")
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several tests at once
        wanted = (HERE / "package-lock.json").read_bytes()
        for file in HERE.glob("*.mjs"):
            shutil.copy(file, folder)
        if not (folder / "node_modules").exists() or (folder / "package-lock.json").read_bytes() != wanted:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, folder)
            done = subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                shutil.rmtree(folder / "node_modules", ignore_errors=True)
                test.fail("npm cannot install the viewers' clients: " + done.stderr.strip())
    return folder
