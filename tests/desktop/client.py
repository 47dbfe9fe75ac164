"""A page without a browser: HTTP and WebSocket of the desktop, with the standard library only."""
import base64
import hashlib
import json
import os
import re
import socket
import struct
import subprocess
import sys

PATIENCE = 300.0


class Refused(Exception):
    """The server answered with problems."""

    def __init__(self, problems):
        super().__init__("; ".join(f"{p['code']}: {p['message']}" for p in problems))
        self.problems = problems

    @property
    def codes(self):
        return [p["code"] for p in self.problems]


class Desktop:
    """vernier desktop, in a process of its own."""

    def __init__(self, vernier, *words, cwd, env=None):
        self.process = subprocess.Popen([vernier, "desktop", "--no-browser", *map(str, words)], cwd=cwd, env=env, text=True, encoding="utf-8",
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addresses = []
        for line in self.process.stdout:
            if found := re.search(r"https?://\S+", line):
                self.addresses.append(found[0])
            if "Ctrl-C" in line:
                break
        if not self.addresses:
            raise AssertionError(self.process.stderr.read())
        self.host, port, self.token = re.fullmatch(r"https?://(.+):(\d+)/\?token=(\w+)", self.addresses[0]).groups()
        self.port = int(port)
        self.watch_token = self.addresses[-1].rpartition("=")[2]

    def cookie(self, token=None):
        return f"vernier_{self.port}={token or self.token}"

    def page(self, token=None, **more):
        return Page(self.port, self.cookie(token), **more)

    def request(self, path, host=None, cookie=None, fields="", method="GET"):
        """The whole answer to one request, as bytes."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as s:
            head = f"{method} {path} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{self.port}'}\r\nConnection: close\r\n{fields}"
            if cookie:
                head += f"Cookie: {cookie}\r\n"
            s.sendall((head + "\r\n").encode())
            answer = b""
            while more := s.recv(65536):
                answer += more
            return answer

    def kill(self):
        self.process.kill()
        self.close()

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.stdout.close()
            self.process.stderr.close()


class Page:
    """One WebSocket."""

    opened = []

    def __init__(self, port, cookie, origin=None, host=None, receive_buffer=None):
        self.socket = socket.socket()
        Page.opened.append(self)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", port))
        self.rest = b""
        self.told, self.binaries, self.answers, self.next_id = [], [], {}, 0
        key = base64.b64encode(os.urandom(16)).decode()
        head = (f"GET /ws HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: vernier.desktop.1\r\nCookie: {cookie}\r\n")
        if origin:
            head += f"Origin: {origin}\r\n"
        self.socket.sendall((head + "\r\n").encode())
        while b"\r\n\r\n" not in self.rest:
            if not (more := self.socket.recv(65536)):
                raise ConnectionError(self.rest.decode("latin-1"))
            self.rest += more
        answer, _, self.rest = self.rest.partition(b"\r\n\r\n")
        expected = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        if not answer.startswith(b"HTTP/1.1 101 ") or expected not in answer:
            raise ConnectionError(answer.decode("latin-1"))

    def close(self):
        self.socket.close()

    @classmethod
    def close_all(cls):
        while cls.opened:
            cls.opened.pop().close()

    def send_frame(self, operation, content, last=True):
        mask = os.urandom(4)
        head = bytes([(0x80 if last else 0) | operation])
        n = len(content)
        head += bytes([0x80 | n]) if n < 126 else struct.pack(">BH", 0xfe, n) if n < 65536 else struct.pack(">BQ", 0xff, n)
        key = (mask * (n // 4 + 1))[:n]
        masked = (int.from_bytes(content, "little") ^ int.from_bytes(key, "little")).to_bytes(n, "little")
        self.socket.sendall(head + mask + masked)

    def read(self, n):
        parts, there = [self.rest], len(self.rest)
        while there < n:
            more = self.socket.recv(1 << 20)
            if not more:
                raise ConnectionError("the server has closed the connection")
            parts.append(more)
            there += len(more)
        whole = b"".join(parts)
        taken, self.rest = whole[:n], whole[n:]
        return taken

    def receive(self):
        """The next message: a text or bytes. Answers pings."""
        while True:
            first, second = self.read(2)
            n = second & 0x7f
            n = struct.unpack(">H", self.read(2))[0] if n == 126 else struct.unpack(">Q", self.read(8))[0] if n == 127 else n
            content = self.read(n)
            operation = first & 0x0f
            if operation == 1:
                return content.decode()
            if operation == 2:
                return content
            if operation == 9:
                self.send_frame(10, content)
            if operation == 8:
                raise ConnectionError(f"closed with {struct.unpack('>H', content[:2])[0] if content else 'no code'}: {content[2:].decode()}")

    def take(self):
        """Receives one message and keeps it where it belongs."""
        message = self.receive()
        if isinstance(message, bytes):
            kind, number = struct.unpack_from("<II", message)
            if kind == 1:
                self.answers[number] = message
            else:
                self.binaries.append(message)
            return
        message = json.loads(message)
        if "id" in message:
            self.answers[message["id"]] = message
        else:
            self.told.append(message)

    def send(self, do, **more):
        self.next_id += 1
        self.send_frame(1, json.dumps({"id": self.next_id, "do": do, **more}).encode())
        return self.next_id

    def answer(self, number):
        while number not in self.answers:
            self.take()
        answer = self.answers.pop(number)
        if isinstance(answer, bytes):
            return points(answer)
        if "problems" in answer:
            raise Refused(answer["problems"])
        return answer["ok"]

    def ask(self, do, **more):
        return self.answer(self.send(do, **more))

    def wait_for(self, condition):
        """Takes messages until the condition holds of what was told; returns what it returns."""
        while not (found := condition(self)):
            self.take()
        return found


def points(message):
    """(times, values, whether they are all) of a binary answer."""
    _, _, n, flags = struct.unpack_from("<4I", message)
    numbers = struct.unpack_from(f"<{2 * n}d", message, 16)
    return list(numbers[:n]), list(numbers[n:]), bool(flags & 1)


def live(message):
    """(follow, dropped so far, {position: (times, values)}) of a live message."""
    _, follow, columns, dropped = struct.unpack_from("<4I", message)
    at, found = 16, {}
    for _ in range(columns):
        position, n = struct.unpack_from("<II", message, at)
        numbers = struct.unpack_from(f"<{2 * n}d", message, at + 8)
        found[position] = (list(numbers[:n]), list(numbers[n:]))
        at += 8 + 16 * n
    return follow, dropped, found
