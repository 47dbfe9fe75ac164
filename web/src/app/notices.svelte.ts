import { Refused } from '../protocol/connection';
import type { Problem } from '../protocol/messages';

export interface Notice {
  key: number;
  tone: 'plain' | 'bad';
  text: string;
  problems: Problem[];
}

/** Short messages at the edge of the page: answers to what was just done. */
class Notices {
  list = $state<Notice[]>([]);
  #next = 0;

  say(text: string): void {
    const key = this.#add({ tone: 'plain', text, problems: [] });
    setTimeout(() => this.dismiss(key), 6000);
  }

  /** Stays until it is dismissed. */
  complain(error: unknown): void {
    const problems = error instanceof Refused ? error.problems : [];
    this.#add({ tone: 'bad', text: error instanceof Error ? error.message : String(error), problems });
  }

  dismiss(key: number): void {
    this.list = this.list.filter((n) => n.key !== key);
  }

  #add(notice: Omit<Notice, 'key'>): number {
    const key = this.#next++;
    this.list = [...this.list, { key, ...notice }].slice(-4);
    return key;
  }
}

export const notices = new Notices();
