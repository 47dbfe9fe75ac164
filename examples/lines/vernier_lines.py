"""The peer's side of Vernier's line protocol (formats/lines/README.md), for simulators in Python.

    import vernier_lines

    class Tank:
        def init(self, t):                  # -> outputs at t
        def step(self, t, t_next, inputs):  # -> outputs at t_next
    vernier_lines.serve(Tank(), "tank", connect="127.0.0.1:4711")

Only the standard library is used. A model may also have

    event(label)             an event of the run, before the step that follows
    emitted()                -> labels of the model's own events since the last call
    save() / restore(state)  by default the model's attributes are copied; set save = None if the
                             model cannot go back, for example because it drives hardware
"""
import collections
import copy
import math
import socket

VERSION = 1
KEPT_SAVES = 64
LONGEST_LINE = 1 << 20


class ProtocolError(Exception):
    """The peer does not use the protocol."""


def _address(text):
    host, _, port = text.rpartition(":")
    return (host.strip("[]") or "127.0.0.1", int(port))


def _connection(listen, connect, timeout):
    if listen is not None:
        with socket.create_server(_address(listen)) as server:
            server.settimeout(timeout)
            peer, _ = server.accept()
    else:
        peer = socket.create_connection(_address(connect), timeout)
    peer.settimeout(None)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer


def _done(t_text, values, labels=()):
    values = [float(v) for v in values]
    for i, v in enumerate(values):
        if not math.isfinite(v):
            raise ValueError(f"output value {i + 1} is {v}")
    words = ["DONE", t_text, *(f"{v:.17g}" for v in values)]
    if labels:
        words += ["EVENT", *labels]
    return " ".join(words)


class Session:
    """Answers requests for one model; `answer` takes a line and returns one, or None."""

    def __init__(self, model, name):
        self.model, self.name = model, name
        self.t = 0.0
        self.saves = collections.OrderedDict()

    def answer(self, line):
        verb, *words = line.split() or [""]
        handler = getattr(self, "_" + verb.lower(), None) if verb.isupper() else None
        if handler is None:
            return "ERROR unknown verb"
        try:
            return handler(words)
        except Exception as problem:  # the run shows it to the user
            return "ERROR " + " ".join(f"{type(problem).__name__}: {problem}".split())

    def _hello(self, words):
        if words[1:2] != [str(VERSION)]:
            return f"ERROR this peer speaks version {VERSION}"
        return f"HELLO {self.name} {VERSION}"

    def _channels(self, words):
        return " ".join(["CHANNELS", *words])

    def _init(self, words):
        self.t = float(words[0])
        return _done(words[0], self.model.init(self.t))

    def _step(self, words):
        t_next = float(words[0])
        outputs = self.model.step(self.t, t_next, [float(w) for w in words[1:]])
        self.t = t_next
        emitted = getattr(self.model, "emitted", None)
        return _done(words[0], outputs, emitted() if emitted else ())

    def _event(self, words):
        self.model.event(words[0])

    def _save(self, words):
        save = getattr(self.model, "save", lambda: copy.deepcopy(self.model.__dict__))
        if save is None:
            return "ERROR this model cannot go back"
        self.saves[words[0]] = (self.t, save())
        self.saves.move_to_end(words[0])
        while len(self.saves) > KEPT_SAVES:
            self.saves.popitem(last=False)
        return "OK"

    def _restore(self, words):
        if words[0] not in self.saves:
            return "ERROR nothing was saved under this number"
        self.t, state = self.saves[words[0]]
        if hasattr(self.model, "restore"):
            self.model.restore(state)
        else:
            self.model.__dict__.clear()
            self.model.__dict__.update(copy.deepcopy(state))
        return "OK"


def serve(model, name, *, listen=None, connect=None, timeout=30.0):
    """Serves `model` until the run sends BYE (True) or disconnects (False).

    Give one of listen="127.0.0.1:4711" and connect="127.0.0.1:4711".
    """
    if (listen is None) == (connect is None):
        raise ValueError("give listen or connect")
    session = Session(model, name)
    with _connection(listen, connect, timeout) as peer, peer.makefile("rwb") as stream:
        while True:
            line = stream.readline(LONGEST_LINE + 1)
            if not line.endswith(b"\n"):
                if len(line) > LONGEST_LINE:
                    raise ProtocolError("a line is too long")
                return False
            if line.split()[:1] == [b"BYE"]:
                stream.write(b"BYE\n")
                stream.flush()
                return True
            reply = session.answer(line.decode("utf-8", "replace"))
            if reply is not None:
                stream.write(reply.encode() + b"\n")
                stream.flush()
