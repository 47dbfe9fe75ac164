import { decode, type LiveRows } from './binary';
import type { Problem, Rows } from './messages';

/** What the server refused, in its own words. */
export class Refused extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems[0]?.message ?? 'the server refused the request without a reason');
  }
}

/** The connection ended before the answer came. */
export class Lost extends Error {
  constructor() {
    super('The connection to the server was lost before it answered.');
  }
}

export type State = 'connecting' | 'open' | 'lost' | 'refused';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export interface Listener {
  state?(state: State): void;
  tell?(message: { tell: string } & Record<string, unknown>): void;
}

const firstPause = 250;
const longestPause = 4000;

/** One WebSocket that reopens itself. Requests are answered once, or fail with Refused or Lost. */
export class Connection {
  state: State = 'connecting';
  #socket: WebSocket | undefined;
  #next = 1;
  #pause = firstPause;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting = new Map<number, Waiting>();
  #follows = new Map<number, (rows: LiveRows) => void>();
  #early = new Map<number, LiveRows[]>(); // live rows that overtook the answer to `follow`
  #listeners = new Set<Listener>();

  constructor(
    private readonly address: string,
    private readonly create: (address: string) => WebSocket = (a) => new WebSocket(a, 'vernier.desktop.1'),
    /** Whether the server knows this browser; asked after a failed attempt. */
    private readonly welcome: () => Promise<boolean> = async () => true,
  ) {}

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  open(): void {
    clearTimeout(this.#timer);
    const before = this.#socket;
    this.#socket = undefined;
    before?.close();
    const socket = this.create(this.address);
    socket.binaryType = 'arraybuffer';
    let opened = false;
    // a socket that was replaced while it was opening is silent
    socket.onopen = () => {
      if (this.#socket !== socket) return;
      opened = true;
      this.#pause = firstPause;
      this.#become('open');
    };
    socket.onmessage = (event) => {
      if (this.#socket === socket) this.#receive(event.data);
    };
    socket.onclose = () => {
      if (this.#socket === socket) void this.#closed(opened);
    };
    this.#socket = socket;
  }

  /** Tries again now instead of after the pause. */
  retry(): void {
    if (this.state !== 'open') this.open();
  }

  request<T>(what: string, parameters: object = {}): Promise<T> {
    if (this.state !== 'open' || !this.#socket) return Promise.reject(new Lost());
    const id = this.#next++;
    const answer = new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
    });
    this.#socket.send(JSON.stringify({ id, do: what, ...parameters }));
    return answer;
  }

  read(run: string, signal: number, element: number, from: number, to: number, points: number): Promise<Rows> {
    return this.request<Rows>('read', { run, signal, element, from, to, points });
  }

  /** Live rows until the answer is called. */
  async follow(run: string, columns: [number, number][], rate: number, take: (rows: LiveRows) => void): Promise<() => void> {
    const { follow } = await this.request<{ follow: number }>('follow', { run, columns, rate });
    this.#follows.set(follow, take);
    for (const rows of this.#early.get(follow) ?? []) take(rows);
    this.#early.delete(follow);
    return () => {
      this.#follows.delete(follow);
      this.request('unfollow', { follow }).catch(() => {}); // it ended with the connection
    };
  }

  #become(state: State): void {
    this.state = state;
    for (const listener of [...this.#listeners]) listener.state?.(state);
  }

  async #closed(opened: boolean): Promise<void> {
    this.#socket = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#follows.clear();
    this.#early.clear();
    for (const one of waiting) one.reject(new Lost());
    this.#become('lost');
    this.#timer = setTimeout(() => this.open(), this.#pause);
    this.#pause = Math.min(2 * this.#pause, longestPause);
    if (!opened && !(await this.welcome()) && this.state !== 'open') {
      clearTimeout(this.#timer);
      this.#become('refused');
    }
  }

  #receive(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      const message = decode(data);
      if (message.kind === 'read') {
        this.#settle(message.id)?.resolve(message);
      } else {
        const take = this.#follows.get(message.follow);
        if (take) take(message);
        else this.#early.set(message.follow, [...(this.#early.get(message.follow) ?? []), message].slice(-100));
      }
      return;
    }
    const message = JSON.parse(String(data)) as Record<string, unknown>;
    if (typeof message.tell === 'string') {
      for (const listener of [...this.#listeners]) listener.tell?.(message as { tell: string });
      return;
    }
    const waiting = this.#settle(Number(message.id));
    if (Array.isArray(message.problems)) waiting?.reject(new Refused(message.problems as Problem[]));
    else waiting?.resolve(message.ok);
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
