// What tests read instead of guessing from pixels: window.vernierTest.NAME() describes a part of the page.

const parts: Record<string, () => unknown> = {};

Object.defineProperty(window, 'vernierTest', { value: new Proxy(parts, { set: () => false, defineProperty: () => false }) });

/** Returns how to take it back. */
export function describe(name: string, part: () => unknown): () => void {
  parts[name] = part;
  return () => {
    if (parts[name] === part) delete parts[name];
  };
}
