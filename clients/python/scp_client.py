#!/usr/bin/env python3
"""A client of SCP 1.0 (formats/scp/README.md), in Python's standard library.

    import scp_client
    link = scp_client.Client("127.0.0.1", period=(100_000_000, 1), send=1, receive=1)
    link.open()
    start = scp_client.now()
    for n in range(100):
        due = start + n * 100_000_000
        while link.poll(due) is not None:   # every vector that comes; None: the step is due
            pass
        link.step(n, due)
        measured, fresh = link.receive()
        link.send([0.5])
    link.close()

There is no thread: the link lives in open() and poll(). LinkError says why it ended; open() again comes back.
usage: scp_client.py HOST[:PORT] [--data PORT] [--rate HZ] [--seconds S] [--send N] [--receive N] [--key FILE] [--again]
"""
import argparse
import collections
import hashlib
import hmac
import json
import math
import os
import select
import socket
import struct
import sys
import time

MOST_PAYLOAD = 1 << 20
DOUBLE, INT8, UINT8 = 1, 2, 3
HELLO, HELLO_ACK, BYE, DATA = 0x01, 0x02, 0x03, 0x10
PING, PING_RETURN, REFERENCE, DELAY, DELAY_RETURN, CLOCK, STATS = 0x20, 0x21, 0x22, 0x23, 0x24, 0x30, 0x31
CLOSING, BUSY, VERSION, DIMENSIONS, INTERFACE, KEY, FRAMING, TIMEOUT, TOKEN, LOST, UNREACHABLE = *range(1, 10), 101, 102
CONTROL, VECTORS = 0, 1
SECOND, MS = 1_000_000_000, 1_000_000

FORMATS = {DOUBLE: "d", INT8: "b", UINT8: "B"}
LIMITS = {HELLO: 192, HELLO_ACK: 192, BYE: 124, PING: 0, PING_RETURN: 0, REFERENCE: 0, DELAY: 0, DELAY_RETURN: 0, CLOCK: 40, STATS: 112}
HEADER = struct.Struct("<4sBBBBIIQqqqqBBHI")
GREETING = struct.Struct("<BBHIQIIIBBHIIIIQQ32s32s")
Header = collections.namedtuple("Header", "minor type flags payload session sequence step t_acq t_trm echo element channel")
now = time.monotonic_ns


class LinkError(Exception):
    """Why a link ended or could not begin. `reason` is a number of BYE, LOST or UNREACHABLE; `theirs`: reported by the peer."""

    def __init__(self, reason, text, theirs=False):
        super().__init__(("the peer reports: " if theirs else "") + text)
        self.reason, self.theirs = reason, theirs


# -- frames --

def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def write_frame(h, payload=b""):
    head = HEADER.pack(b"SCP1", 1, h.minor, h.type, h.flags, len(payload), h.session, h.sequence, h.step, h.t_acq, h.t_trm, h.echo,
                       h.element, h.channel, 0, 0)[:60]
    return head + struct.pack("<I", crc32c(head)) + payload + (struct.pack("<I", crc32c(payload)) if h.flags & 1 else b"")


def read_header(data):
    """Decodes the header in 64 bytes; LinkError when it is invalid."""
    if data[:4] != b"SCP1":
        raise LinkError(FRAMING, "it does not begin with SCP1")
    if data[4] != 1:
        raise LinkError(VERSION, "it is of another major version")
    _, _, *fields, _, checksum = HEADER.unpack(data)
    if checksum != crc32c(data[:60]):
        raise LinkError(FRAMING, "the checksum of its header is wrong")
    h = Header(*fields)
    if h.element > 3:
        raise LinkError(FRAMING, "its element type is not known")
    if any(abs(v) > 1 << 60 for v in (h.step, h.t_acq, h.t_trm, h.echo)):
        raise LinkError(FRAMING, "a time or a step number in it is beyond all bounds")
    return h


class _Wire:
    """One connection: bytes in, bytes out, sequence numbers. Never blocks."""

    def __init__(self, connection):
        self.socket, self.sent, self.expected, self.partial_since = connection, 0, 0, 0
        self.have, self.out, self.skip = bytearray(), bytearray(), 0
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)

    def flush(self):
        """Sends queued data. If the connection has ended, reading reports why."""
        try:
            while self.out:
                del self.out[:self.socket.send(self.out)]
        except BlockingIOError:
            pass
        except OSError:
            self.out.clear()

    def read(self):
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            raise LinkError(LOST, "the peer closed the connection without BYE")
        self.have += data

    def next(self, data_bytes, others):
        """The next complete frame as (header, payload); None: not yet."""
        while True:
            skipped = min(self.skip, len(self.have))
            del self.have[:skipped]
            self.skip -= skipped
            if self.have[:4] != b"SCP1"[:len(self.have)]:
                raise LinkError(FRAMING, "it does not begin with SCP1")
            if self.skip or len(self.have) < 64:
                return None
            h = read_header(bytes(self.have[:64]))
            if h.payload > (data_bytes if h.type == DATA else LIMITS.get(h.type, others)):
                raise LinkError(FRAMING, "its length is not the one its type has")
            whole = 64 + h.payload + (4 if h.flags & 1 else 0)
            if h.type != DATA and h.type not in LIMITS:
                self.skip = whole
                continue
            if len(self.have) < whole:
                return None
            payload = bytes(self.have[64:64 + h.payload])
            if h.flags & 1 and crc32c(payload) != struct.unpack("<I", self.have[64 + h.payload:whole])[0]:
                raise LinkError(FRAMING, "the checksum of its payload is wrong")
            del self.have[:whole]
            return h, payload


class Figure:
    """A delay in seconds."""

    def __init__(self):
        self.count, self.last, self.sum, self.most = 0, 0.0, 0.0, 0.0

    def add(self, ns):
        self.last = ns * 1e-9
        self.most = self.last if self.count == 0 else max(self.most, self.last)
        self.count += 1
        self.sum += self.last

    @property
    def mean(self):
        return self.sum / self.count if self.count else 0.0


class Client:
    """One end of a link. `period`: nanoseconds and a divisor, (100_000_000, 3) for a thirtieth of a second."""

    def __init__(self, host="127.0.0.1", control_port=42750, data_port=None, period=(100_000_000, 1), send=1, receive=1,
                 send_element=DOUBLE, receive_element=DOUBLE, key=None, interface_hash=0, name="scp_client.py",
                 ping_ms=100, timeout_ms=1000, delay_ms=100):
        self.host, self.ports = host, (int(control_port), int(data_port or int(control_port) + 1))
        self.period, self.counts, self.elements = period, (send, receive), (send_element, receive_element)
        self.key, self.interface_hash, self.name, self.asked = key, interface_hash, name, (ping_ms, timeout_ms, delay_ms)
        self.formats = [struct.Struct(f"<{n}{FORMATS[e]}") for n, e in zip(self.counts, self.elements)]
        if max(f.size for f in self.formats) > MOST_PAYLOAD or not 1000 <= period[0] / period[1] <= 1e12:
            raise ValueError("the sample time, or the length of a vector")
        self.wires, self.up, self.stepping, self.current = [None, None], False, False, 0
        self.followed, self.shift = None, 0  # of due()

    # -- handshake --

    def hello(self, connection):
        """The payload of HELLO on a connection."""
        head = GREETING.pack(1, connection + 1, 1 if self.key else 0, MOST_PAYLOAD, *self.period, *self.counts, *self.elements, 0,
                             *self.asked, 0, self.token if connection == VECTORS else 0, self.interface_hash,
                             self.name.encode()[:31], b"scp_client.py 1.0")
        if not self.key:
            return head
        # the server's nonce is not known yet for the first HELLO
        return head + self.nonce + (self.proof(b"SCP1 client", head) if connection == VECTORS else bytes(32))

    def proof(self, who, head):
        message = who.ljust(16, b"\0") + struct.pack("<I", self.session) + self.nonce + self.server_nonce + head
        return hmac.new(self.key, message, hashlib.sha256).digest()

    def open(self):
        """Connects and performs the handshake, within four seconds; LinkError when that fails."""
        self.session, self.token, self.nonce, self.server_nonce = 0, 0, os.urandom(32), bytes(32)
        self.vector, self.header, self.fresh, self.waiting, self.received = None, None, False, None, 0
        self.answers, self.counted, self.output_acq = 0, 0, 0
        self.pings, self.delays = collections.deque(maxlen=16), collections.deque(maxlen=16)
        self.reference = None                      # (home step, target step)
        self.offset, self.round_trip = None, None  # ns; home = target + offset
        self.best, self.best_since = None, 0       # of this second: (round trip, offset)
        self.send_to_receive, self.acquisition_to_output, self.dead_time = Figure(), Figure(), Figure()
        self.counters = collections.Counter()
        try:
            self.greet(CONTROL)
            self.greet(VECTORS)
        except LinkError as e:
            self.fail(e)
        self.up = True
        self.began = self.last_answer = self.next_ping = self.next_delay = now()

    def greet(self, on):
        until = time.monotonic() + 2.0
        try:
            connection = socket.create_connection((self.host, self.ports[on]), timeout=2.0)
        except OSError as e:
            raise LinkError(UNREACHABLE, f"{self.host}:{self.ports[on]}: {e.strerror or e}") from None
        w = self.wires[on] = _Wire(connection)
        self.queue(on, HELLO, payload=self.hello(on))
        w.flush()
        while (frame := w.next(self.formats[1].size, 0)) is None:
            left = until - time.monotonic()
            if left <= 0 or not select.select([w.socket], [], [], left)[0]:
                raise LinkError(TIMEOUT, "the handshake did not end within 2 s")
            w.read()
        h, p = frame
        if h.type == BYE:
            self.take_bye(p)
        if h.type != HELLO_ACK or len(p) not in (128, 192):
            raise LinkError(FRAMING, "expected HELLO_ACK")
        self.take_ack(on, h, p)
        w.expected = 1

    def take_ack(self, on, h, p):
        (role, connection, capabilities, most, period, parts, sends, takes, sent, taken, _, ping, timeout, delay, _, token, interface,
         peer, _) = GREETING.unpack(p[:128])
        signed = bool(capabilities & 1)
        if role != 2 or connection != on + 1 or len(p) != (192 if signed else 128) or h.session == 0 or self.session not in (0, h.session):
            raise LinkError(FRAMING, "an answer that does not fit the greeting")
        if signed != bool(self.key):
            raise LinkError(KEY, "a key is given here, and none there" if self.key else "a key is wanted there, and none is given here")
        if (takes, sends) != self.counts or (taken, sent) != self.elements:
            raise LinkError(DIMENSIONS, "it sends or takes other vectors")
        if interface and self.interface_hash and interface != self.interface_hash:
            raise LinkError(INTERFACE, "the interface is another one there")
        if parts == 0 or not 1000 * parts <= period <= 10**12 * parts:
            raise LinkError(DIMENSIONS, "its sample time is none")
        if not all(0 < t <= 3_600_000 for t in (ping, timeout, delay)):
            raise LinkError(FRAMING, "intervals without meaning")
        # own period over the peer's, in lowest terms
        over, under = self.period[0] * parts, period * self.period[1]
        self.over, self.under = over // math.gcd(over, under), under // math.gcd(over, under)
        self.peer_period, self.max_payload = (period, parts), min(most, MOST_PAYLOAD)
        self.ping, self.timeout, self.delay = ping * MS, timeout * MS, delay * MS
        self.session, self.peer = h.session, peer.rstrip(b"\0").decode("ascii", "replace")
        if on == CONTROL:
            self.token = token
        if self.key:
            if on == CONTROL:
                self.server_nonce = p[128:160]
            if p[128:160] != self.server_nonce or not hmac.compare_digest(p[160:], self.proof(b"SCP1 server", p[:128])):
                raise LinkError(KEY, "the key is not the same on both sides")

    # -- the end --

    def take_bye(self, p):
        reason = struct.unpack("<I", p[:4])[0] if len(p) >= 4 else FRAMING
        text = "".join(c if " " <= c <= "~" else "?" for c in p[4:].decode("latin-1"))
        raise LinkError(reason if 1 <= reason <= 9 else FRAMING, text, theirs=True)

    def say_bye(self, reason, text=""):
        for on, w in enumerate(self.wires):
            if w:
                self.queue(on, BYE, payload=struct.pack("<I", reason) + text.encode()[:120])
                w.flush()

    def fail(self, error):
        """Tells the peer, closes, and raises the error."""
        if not error.theirs and error.reason < LOST:
            self.say_bye(error.reason, str(error))
        self.drop()
        raise error

    def drop(self):
        for w in self.wires:
            if w:
                w.socket.close()
        self.wires, self.up = [None, None], False

    def close(self):
        if self.up:
            self.say_bye(CLOSING)
        self.drop()

    # -- while the link is up --

    def queue(self, on, kind, t_acq=0, echo=0, payload=b"", element=0):
        w = self.wires[on]
        if on == CONTROL and len(w.out) > 1 << 16:
            self.counters["dropped"] += 1
            return 0
        h = Header(0, kind, 1 if payload else 0, 0, self.session, w.sent, self.current, t_acq, now(), echo, element, 0)
        w.sent += 1
        w.out += write_frame(h, payload)
        return h.t_trm

    def take_exchange(self, t1, T2, T3, t4):
        trip, offset = (t4 - t1) - (T3 - T2), ((t1 - T2) + (t4 - T3)) // 2
        if T3 < T2 or trip < 0:
            self.counters["unasked"] += 1
            return
        self.round_trip = trip
        if self.best is None or t4 - self.best_since >= SECOND:  # a new second: use the best exchange of the last one
            if self.best:
                self.offset = self.best[1]
            self.best, self.best_since = (trip, offset), t4
        self.best = min(self.best, (trip, offset))
        if self.offset is None or t4 - self.began < SECOND:
            self.offset = self.best[1]

    def take(self, on, h, payload, t):
        """True when a vector was received."""
        w = self.wires[on]
        if h.session != self.session:
            raise LinkError(FRAMING, "a frame of another session")
        self.counters["gaps"] += h.sequence != w.expected
        w.expected = h.sequence + 1
        if h.type == BYE:
            self.take_bye(payload)
        if (h.type == DATA) != (on == VECTORS) or h.type in (HELLO, HELLO_ACK):
            self.counters["misplaced"] += 1
        elif h.type == DATA and h.channel != 0:
            self.counters["unknown"] += 1
        elif h.type == DATA:
            if h.element != self.elements[1] or len(payload) != self.formats[1].size:
                raise LinkError(DIMENSIONS, "a vector of another length or type")
            self.vector, self.header, self.fresh, self.received = self.formats[1].unpack(payload), h, True, t
            self.counters["received"] += 1
            self.answers = h.echo or self.answers
            if self.offset is not None:
                self.send_to_receive.add(t - (self.offset + h.t_trm))
            return True
        elif h.type == PING:
            self.queue(CONTROL, PING_RETURN, echo=h.t_trm)
        elif h.type == DELAY:
            self.queue(CONTROL, DELAY_RETURN, t_acq=t, echo=h.t_trm)
        elif h.type == REFERENCE:
            # a reference received before the first step belongs to its beginning
            self.reference = (self.current + 1 if self.stepping else self.current, h.step)
        elif h.type in (PING_RETURN, DELAY_RETURN):
            asked = self.pings if h.type == PING_RETURN else self.delays
            if h.echo not in asked:
                self.counters["unasked"] += 1
            elif h.type == PING_RETURN:
                asked.remove(h.echo)
                self.last_answer = t
            else:
                asked.remove(h.echo)
                self.take_exchange(h.echo, h.t_acq, h.t_trm, t)
        return False

    def tick(self, t):
        if t - self.last_answer > self.timeout:
            raise LinkError(TIMEOUT, "no ping was answered")
        if t >= self.next_ping:
            self.pings.append(self.queue(CONTROL, PING))
            self.next_ping = t + self.ping
        if t >= self.next_delay:  # ten times as often in the first two seconds
            self.delays.append(self.queue(CONTROL, DELAY))
            self.next_delay = t + (min(self.delay, max(self.delay // 10, 10 * MS)) if t - self.began < 2 * SECOND else self.delay)
        if self.waiting and not self.wires[VECTORS].out:
            payload, acquired, echo = self.waiting
            self.queue(VECTORS, DATA, acquired, echo, payload, self.elements[0])
            self.waiting = None
            self.counters["sent"] += 1
        for w in self.wires:
            w.flush()

    def poll(self, until):
        """Serves the link until `until` (clock of now()), at least once. Returns early with each vector received; None: time is up."""
        if not self.up:
            raise LinkError(LOST, "the link is not up")
        try:
            while True:
                t = now()
                for on, w in enumerate(self.wires):
                    while frame := w.next(self.formats[1].size, self.max_payload):
                        if self.take(on, *frame, t):
                            self.tick(t)
                            return self.vector
                    if not w.have and not w.skip:
                        w.partial_since = 0
                    elif w.partial_since == 0:
                        w.partial_since = t
                    elif t - w.partial_since > SECOND:
                        raise LinkError(FRAMING, "a frame did not end within a second")
                self.tick(t)
                wake = min(until, self.next_ping, self.next_delay)
                sockets = [w.socket for w in self.wires]
                ready, _, _ = select.select(sockets, [w.socket for w in self.wires if w.out], [], max(wake - now(), 0) * 1e-9)
                if not ready and now() >= until:
                    return None
                for w in self.wires:
                    if w.socket in ready:
                        w.read()
        except LinkError as e:
            self.fail(e)

    def step(self, n, planned):
        """Step n begins, planned for `planned`: tells the peer."""
        self.current, self.output_acq, self.stepping = n, 0, True
        if self.up:
            self.queue(CONTROL, REFERENCE, t_acq=planned)

    def receive(self):
        """The newest vector (None before the first), and whether it is new. Taking it counts as its output."""
        if not self.fresh:
            return self.vector, False
        t, self.fresh, self.output_acq = now(), False, self.header.t_acq
        if self.offset is not None:
            self.acquisition_to_output.add(t - (self.offset + self.header.t_acq))
        if self.began <= self.answers <= t and self.answers != self.counted:
            self.counted = self.answers
            self.dead_time.add(t - self.answers)
        return self.vector, True

    def send(self, values, acquired=0):
        """Sends a vector; it replaces one that could not be sent yet."""
        self.counters["replaced"] += self.waiting is not None
        self.waiting = (self.formats[0].pack(*values), acquired or now(), self.output_acq)
        if self.up:
            try:
                self.tick(now())
            except LinkError as e:
                self.fail(e)

    def target_step(self, n):
        """Equation (1) of the EPOS paper, the peer's step at our step n: (whole, rest) with the rest over `under`; None: not known yet."""
        if self.reference is None:
            return None
        whole, rest = divmod((n - self.reference[0]) * self.over, self.under)
        return self.reference[1] + whole, rest


    def due(self, start, n):
        """When step n is due, for steps that follow the server's clock: call it once per step.

        `start` is when step 0 was; the grid follows what the offset of the clocks changes by, at most a thousandth of a period a step.
        """
        if self.up and self.offset is not None:
            if self.followed is None or self.followed[0] != self.session:
                self.followed = (self.session, self.offset)  # from here on follows another server's clock
            most = max(self.period[0] // self.period[1] // 1000, 1)
            change = max(-most, min(most, self.offset - self.followed[1]))
            self.followed = (self.session, self.followed[1] + change)
            self.shift += change
        return start + n * self.period[0] // self.period[1] + self.shift


def main(words=None):
    parser = argparse.ArgumentParser(description="Sends cos t in every element and prints what came.")
    parser.add_argument("host", metavar="HOST[:PORT]")
    parser.add_argument("--data", metavar="PORT", type=int, help="of the data connection; else the next one")
    parser.add_argument("--rate", type=float, default=10.0, help="steps in a second")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--send", type=int, default=1, help="elements of the vector that goes out")
    parser.add_argument("--receive", type=int, default=1, help="elements of the vector that comes")
    parser.add_argument("--key", metavar="FILE", help="a file with the key that both sides know")
    parser.add_argument("--again", action="store_true", help="come back when the link is lost")
    a = parser.parse_args(words)
    host, _, port = a.host.partition(":")
    period = round(1e9 / a.rate)
    key = open(a.key, "rb").read(4097) if a.key else None
    link = Client(host, port or 42750, a.data, (period, 1), a.send, a.receive, key=key)
    start, n, losses = now(), 0, 0
    while n < a.seconds * a.rate:
        due = start + n * period
        try:
            if not link.up:
                link.open()
            while link.poll(due) is not None:
                pass
            link.step(n, due)
            measured, _ = link.receive()
            link.send([math.cos(n / a.rate)] * a.send)
        except LinkError as e:
            losses += 1
            if not a.again or now() - start > (a.seconds + 5) * SECOND:
                print(f"scp_client: {e} ({e.reason})", file=sys.stderr)
                return 1
            print(f"lost ({e.reason}): {e}", file=sys.stderr)
            time.sleep(0.1)
            continue
        n += 1
    target = link.target_step(link.current)
    print(json.dumps({"peer": link.peer, "sent": link.counters["sent"], "received": link.counters["received"], "losses": losses,
                      "last": measured[0] if measured else 0.0, "offset": (link.offset or 0) * 1e-9,
                      "round_trip": (link.round_trip or 0) * 1e-9, "send_to_receive": link.send_to_receive.mean,
                      "acquisition_to_output": link.acquisition_to_output.mean, "dead_time": link.dead_time.mean,
                      "target_step": target[0] if target else 0}))
    link.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
