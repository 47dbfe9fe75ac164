// The requests for editing documents, answered by the program's own code (tests/desktop/requests.cpp), in a folder.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';

const known = ['check', 'describe', 'catalogue', 'grammar', 'save', 'new'];

export class Composer {
  /** `program`: compose_requests. */
  constructor(program, folder) {
    this.folder = folder;
    this.waiting = new Map();
    this.next = 1;
    this.process = spawn(program, [folder], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      const { id, ...answer } = JSON.parse(line);
      this.waiting.get(id)?.(answer);
      this.waiting.delete(id);
    });
  }

  knows(request) {
    return known.includes(request) || request === 'source';
  }

  /** {"ok":…} or {"problems":…}. */
  answer(q) {
    if (q.do === 'source') return this.source(q.document);
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.process.stdin.write(`${JSON.stringify({ ...q, id })}\n`);
    });
  }

  /** The document and those that it names. */
  source(document) {
    const read = (file) => {
      const content = readFileSync(join(this.folder, file));
      return { file, text: content.toString(), digest: createHash('sha256').update(content).digest('hex') };
    };
    try {
      const main = read(normalize(document));
      const names = new Set([...main.text.matchAll(/<(?:system|component|connector|composition)\s[^>]*\bfile="([^"]+\.xml)"/g)].map((m) => normalize(join(dirname(document), m[1]))));
      const others = [...names].flatMap((name) => {
        try {
          return [read(name)];
        } catch {
          return [];
        }
      });
      return { ok: { files: [main, ...others] } };
    } catch {
      return { problems: [{ severity: 'error', code: 'V1200', message: `there is no file ${document}` }] };
    }
  }

  close() {
    this.process.stdin.end();
  }
}
