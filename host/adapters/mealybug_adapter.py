"""Python objects against their golden models, in a test of your own.

Copy this file beside your tests. It needs Python 3.8 or newer, and `mealybug` in the path.

    from mealybug_adapter import assert_model

    def test_lock():
        assert_model("lock.dot", ["1", "2", "enter"], Lock, Lock.press)

`MEALYBUG_UPDATE=1 pytest` writes the models.

SPDX-License-Identifier: MIT OR Apache-2.0
"""

import enum
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def assert_model(path, inputs, new, step, options=()):
    """Fails unless a device does what its golden model says.

    `new()` makes the device, for each reset a new one. `step(device, input)` gives it one of `inputs` and returns
    its output. Inputs and outputs are named by `str`, members of an enum by their names. `path` is relative to the file
    of the caller. `options` go to `mealybug test`, such as `["--tests-in-a-row", "200"]`.

    An exception in the device ends the test.
    """
    __tracebackhide__ = True
    path = pathlib.Path(sys._getframe(1).f_globals.get("__file__", ".")).parent / path
    update = _is_set("MEALYBUG_UPDATE")
    if update and _is_set("CI"):
        raise AssertionError("MEALYBUG_UPDATE is set, but CI is set as well: no model is written there")
    if not path.exists() and not update:
        raise AssertionError(f"there is no model {path}\nTo write what the device does now: MEALYBUG_UPDATE=1 pytest")
    like = []
    if path.exists():
        status, said = _call(["test", str(path), *options], inputs, new, step)
        if status == 0:
            return
        if not (update and status == 1):
            hint = "\nIf the device is right: MEALYBUG_UPDATE=1 pytest" if status == 1 else ""
            raise AssertionError(f"{path}\n{said}{hint}")
        like = ["--like", str(path)]
    with tempfile.TemporaryDirectory(prefix="mealybug-") as folder:
        run = os.path.join(folder, "run")
        status, said = _call(["learn", "--out", run, *like], inputs, new, step)
        if status != 0:
            raise AssertionError(f"{path} is not written\n{said}")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(os.path.join(run, "model.dot"), path)


def serve(inputs, new, step, requests=None, answers=None):
    """Makes a device of a program: `mealybug learn --adapter 'python3 device.py'`. Returns when Mealybug is done."""
    requests = requests or sys.stdin
    answers = answers or sys.stdout
    inputs = {_written(_name(symbol)).replace(" ", "\\x20") or "\\": symbol for symbol in inputs}
    device = None
    for line in requests:
        request, _, written = line.rstrip("\n").partition(" ")
        if request == "inputs":
            answer = " ".join(inputs)
        elif request == "reset":
            device = new()
            answer = "ok"
        else:
            answer = _written(_name(step(device, inputs[written])))
            # Without the escape, the line would report a failure.
            if answer == "error" or answer.startswith("error "):
                answer = "\\x65" + answer[1:]
        print(answer, file=answers, flush=True)


def _call(arguments, inputs, new, step):
    """Calls `mealybug` with an adapter that hands all requests to this process, through two pipes. Returns its exit
    status and what it said."""
    __tracebackhide__ = True
    answers_in, answers_out = os.pipe()
    requests_in, requests_out = os.pipe()
    adapter = f"cat /dev/fd/{answers_in} & exec cat > /dev/fd/{requests_out}"
    command = ["mealybug", *arguments, "--adapter", adapter]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        with open(answers_out, "w", encoding="utf-8") as answers, open(requests_in, encoding="utf-8") as requests:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    pass_fds=(answers_in, requests_out),
                )
            finally:
                os.close(answers_in)
                os.close(requests_out)
            try:
                serve(inputs, new, step, requests, answers)
            except BaseException:
                process.kill()
                raise
            finally:
                status = process.wait()
        said.seek(0)
        return status, said.read()


def _name(symbol):
    return symbol.name if isinstance(symbol, enum.Enum) else str(symbol)


def _written(name):
    """A name as a part of a line."""
    name = name.replace("\\", "\\\\")
    return "".join(c if c.isprintable() else "".join(f"\\x{byte:02x}" for byte in c.encode()) for c in name)


def _is_set(name):
    return os.environ.get(name, "") not in ("", "0", "false", "no")
