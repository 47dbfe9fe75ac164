import type { Connection } from '../protocol/connection';

const pause = 30; // ms between requests

/** Recorded values of some signals at one time: the rows at or before it. One request at a time. */
export class Values {
  /** By number of signal; empty until the first answer. */
  rows = $state.raw<Record<number, (number | null)[]>>({});
  time = $state.raw<number | null>(null); // of `rows`
  #wanted = new Map<number, number>();
  #at: number | null = null;
  #busy = false;
  #dirty = false;

  constructor(
    private readonly connection: Connection,
    private readonly run: string,
  ) {}

  want(signal: number): () => void {
    const uses = this.#wanted.get(signal) ?? 0;
    this.#wanted.set(signal, uses + 1);
    if (uses === 0) this.#ask();
    return () => {
      const left = (this.#wanted.get(signal) ?? 1) - 1;
      if (left > 0) this.#wanted.set(signal, left);
      else this.#wanted.delete(signal);
    };
  }

  seek(at: number | null): void {
    if (at === this.#at) return;
    this.#at = at;
    if (at === null) {
      this.rows = {};
      this.time = null;
    } else this.#ask();
  }

  /** Asks again for the same time, as after a lost connection. */
  again(): void {
    this.#ask();
  }

  #ask(): void {
    this.#dirty = true;
    if (!this.#busy) queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#dirty && this.#at !== null && this.#wanted.size > 0) {
        this.#dirty = false;
        const at = this.#at;
        const signals = [...this.#wanted.keys()];
        const { values } = await this.connection.request<{ values: Record<number, (number | null)[]> }>('row', {
          run: this.run,
          signals,
          at,
        });
        if (this.#at === null) break;
        this.rows = values;
        this.time = at;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    } catch {
      // lost: again() follows a new connection
    } finally {
      this.#busy = false;
    }
  }
}
