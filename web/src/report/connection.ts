import { Connection, type Listener } from '../protocol/connection';
import type { Rows } from '../protocol/messages';
import type { Answers } from './answers';

/** The data of a report, if this page is one: its loader leaves them here. */
export function reportData(): ArrayBuffer | undefined {
  return (globalThis as { vernierReport?: ArrayBuffer }).vernierReport;
}

/** Answers requests from the data of a report instead of asking a server. */
export class ReportConnection extends Connection {
  #answers: Promise<Answers>;
  #listeners = new Set<Listener>();

  constructor(data: ArrayBuffer) {
    super('');
    this.#answers = Promise.all([import('./answers'), import('./numbers')]).then(([{ Answers: Made }, { ReportFile }]) => new Made(new ReportFile(data)));
  }

  override listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  override open(): void {
    this.state = 'open';
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener.state?.('open');
    });
  }

  override retry(): void {}

  override async request<T>(what: string, parameters: object = {}): Promise<T> {
    return (await this.#answers).answer(what, parameters as Record<string, unknown>) as T;
  }

  override async read(run: string, signal: number, element: number, from: number, to: number, points: number): Promise<Rows> {
    return (await this.#answers).read(run, signal, element, from, to, points);
  }

  override async follow(): Promise<() => void> {
    return () => {}; // nothing goes on in a report
  }
}
