import type { Problem } from '../protocol/messages';
import { Refused } from '../protocol/connection';
import type { Connection } from '../protocol/connection';
import { frameOf, type Frame, type Frames, type LateFrame, type Strip } from './frames';

const pause = 500; // ms between two looks at a live run

/** The frames of one run: what the server tells of all of them, and the part that is in view. */
export class History {
  frames = $state.raw<Frames>();
  late = $state.raw<LateFrame[]>([]);
  strip = $state.raw<{ rows: Frame[]; frames: number; whole: boolean; from: number; to: number }>();
  problems = $state.raw<Problem[]>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #wanted: [number, number, number] | undefined;
  #reading = false;
  #stop: () => void;

  constructor(
    private readonly connection: Connection,
    readonly run: string,
  ) {
    this.#stop = connection.listen({ state: (state) => state === 'open' && void this.#look() });
    if (connection.state === 'open') void this.#look();
  }

  /** The frames between two times are in view, on `points` pixels. */
  view(from: number, to: number, points: number): void {
    this.#wanted = [from, to, Math.max(2, Math.round(points))];
    void this.#read();
  }

  /** One frame with all its numbers. */
  async frame(time: number): Promise<Frame | undefined> {
    const s = await this.connection.request<Strip>('strip', { run: this.run, from: time, to: time, points: 2 });
    const row = s.rows.at(-1);
    return row && frameOf(row);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stop();
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const found = await this.connection.request<Frames>('frames', { run: this.run, late: this.late.length });
      if (this.#closed) return;
      this.problems = undefined;
      if (found.late_frames.length > 0) this.late = [...this.late, ...found.late_frames];
      this.frames = found;
      if (found.live) void this.#read();
      if (found.live || this.late.length < found.late_kept) this.#timer = setTimeout(() => void this.#look(), found.live ? pause : 0);
    } catch (error) {
      if (error instanceof Refused) this.problems = error.problems; // lost: it is asked again with the connection
    }
  }

  async #read(): Promise<void> {
    if (this.#reading || !this.#wanted || this.#closed) return;
    this.#reading = true;
    const [from, to, points] = this.#wanted;
    try {
      const s = await this.connection.request<Strip>('strip', { run: this.run, from, to, points });
      this.strip = { rows: s.rows.map(frameOf), frames: s.frames, whole: s.whole, from, to };
    } catch {
      // refused or lost: the page says so elsewhere
    } finally {
      this.#reading = false;
    }
    const [a, b, n] = this.#wanted;
    if (a !== from || b !== to || n !== points) void this.#read();
  }
}
