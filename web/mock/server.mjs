// A server of the desktop's protocol with synthetic runs, for work on the page alone:
//   node mock/server.mjs [PORT] [PACK]
// VERNIER_COMPOSE names the program that answers requests for editing (the build's compose_requests), VERNIER_FOLDER the folder
// with the documents.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { WebSocketServer } from 'ws';
import { unpack } from '../pack.mjs';
import { Client } from './client.mjs';
import { Composer } from './compose.mjs';
import { SyntheticRun } from './signals.mjs';

const tokens = { control: 'control', watch: 'watch' };

export class Mock {
  constructor(compose) {
    this.compose = compose;
    this.runs = new Map();
    this.sockets = new Set();
    this.counter = 0;
    this.add(new SyntheticRun('aausat2-0001'));
    this.add(new SyntheticRun('long-0001', { span: 400, hertz: 1000 }));
    this.add(new SyntheticRun('script-0001', { script: true }));
    this.timer = setInterval(() => this.tick(), 20);
    this.last = Date.now();
  }

  add(run) {
    this.runs.set(run.run, run);
    return run;
  }

  tick() {
    const now = Date.now();
    const passed = (now - this.last) / 1000;
    this.last = now;
    for (const run of this.runs.values()) {
      if (!run.live || run.frozen) continue;
      run.time = Math.min(run.span, run.time + passed * run.rate);
      if (run.time >= run.span) this.end(run);
    }
    for (const client of this.sockets) client.tick(now);
  }

  end(run, next) {
    run.live = false;
    run.next = next;
    for (const client of this.sockets) client.status(run);
  }

  close() {
    clearInterval(this.timer);
    this.compose?.close();
    for (const client of this.sockets) client.socket.terminate();
  }
}

const headers = {
  'Content-Security-Policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

/** Serves the page and the protocol; the answer has the address with its token. */
export async function serve(port, file, compose) {
  const page = unpack(readFileSync(file));
  const mock = new Mock(compose);
  const roleOf = (request) =>
    Object.keys(tokens).find((r) => (request.headers.cookie ?? '').split(/; */).includes(`vernier_${http.address().port}=${tokens[r]}`));
  const http = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const token = url.searchParams.get('token');
    if (token && Object.values(tokens).includes(token)) {
      response
        .writeHead(303, {
          Location: '/',
          'Set-Cookie': `vernier_${http.address().port}=${token}; HttpOnly; SameSite=Strict; Path=/`,
          ...headers,
        })
        .end();
      return;
    }
    if (!roleOf(request)) {
      response.writeHead(403, { 'Content-Type': 'text/plain', ...headers }).end('Open the address that vernier desktop printed.\n');
      return;
    }
    const entry = page.get(url.pathname === '/' ? 'index.html' : url.pathname.slice(1));
    if (!entry) response.writeHead(404, headers).end('not found\n');
    else
      response
        .writeHead(200, { 'Content-Type': entry.type, 'Content-Encoding': 'gzip', 'Content-Length': entry.content.length, ...headers })
        .end(request.method === 'HEAD' ? undefined : entry.content);
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'vernier.desktop.1' });
  http.on('upgrade', (request, socket, head) => {
    const role = roleOf(request);
    if (!role || request.url !== '/ws') return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (ws) => new Client(mock, ws, role));
  });
  await new Promise((resolve) => http.listen(port, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${http.address().port}/`;
  return {
    mock,
    address: `${base}?token=${tokens.control}`,
    watching: `${base}?token=${tokens.watch}`,
    close() {
      mock.close();
      http.closeAllConnections();
      http.close();
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { VERNIER_COMPOSE: program, VERNIER_FOLDER: folder } = process.env;
  const compose = program && new Composer(program, folder ?? '.');
  const { address } = await serve(Number(process.argv[2] ?? 7411), process.argv[3] ?? new URL('../page.pack', import.meta.url), compose);
  console.log(address);
}
