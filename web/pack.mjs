// Writes the built page as one file (README.md describes it): node pack.mjs FOLDER FILE
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'fflate';

const types = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
const most = 600_000; // bytes of the whole
const mostFirst = 60_000; // bytes until something is painted

function files(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = below ? `${below}/${entry.name}` : entry.name;
    return entry.isDirectory() ? files(folder, name) : [name];
  });
}

/** The page's files, index.html first, each compressed: the same bytes on every machine and version of Node. */
export function pack(folder) {
  const names = files(folder).sort((a, b) => (b === 'index.html') - (a === 'index.html') || (a < b ? -1 : 1));
  const entries = names.map((name) => {
    const type = types[name.split('.').pop()];
    if (!type) throw new Error(`${name}: pack.mjs knows no type for this file`);
    return { name, type: type.replace(' ', ''), bytes: gzipSync(readFileSync(join(folder, name)), { level: 9, mtime: 0 }) };
  });
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const first = entries.filter((e) => e.name === 'index.html' || html.includes(e.name)).reduce((sum, e) => sum + e.bytes.length, 0);
  const head = ['vernier page 1', ...entries.map((e) => `${e.name} ${e.type} ${e.bytes.length}`), '', ''].join('\n');
  const whole = Buffer.concat([Buffer.from(head), ...entries.map((e) => e.bytes)]);
  if (whole.length > most) throw new Error(`the page has ${whole.length} bytes, more than ${most}`);
  if (first > mostFirst) throw new Error(`the first paint needs ${first} bytes, more than ${mostFirst}`);
  return { whole, first };
}

/** Reads a pack as the server does: name → type and compressed bytes. */
export function unpack(bytes) {
  const end = bytes.indexOf('\n\n');
  const [first, ...lines] = bytes.subarray(0, end).toString().split('\n');
  if (first !== 'vernier page 1') throw new Error('this is not a page: its first line is not "vernier page 1"');
  let at = end + 2;
  return new Map(
    lines.map((line) => {
      const [name, type, size] = line.split(' ');
      const content = bytes.subarray(at, at + Number(size));
      at += Number(size);
      return [name, { type, content }];
    }),
  );
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { whole, first } = pack(process.argv[2]);
  writeFileSync(process.argv[3], whole);
  console.log(`${process.argv[3]}: ${whole.length} bytes, ${first} until the first paint`);
}
