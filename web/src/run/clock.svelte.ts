import { rounded } from '../text/format';

export type ClockMode = 'follow' | 'play' | 'hold';

/** How fast a recorded run is replayed: in real time, or so that it lasts about half a minute. */
export function replaySpeed(span: number): number {
  if (!(span > 0)) return 1;
  return span >= 10 && span <= 60 ? 1 : rounded(span / 30);
}

/** The time that the view shows. It never touches the run. */
export class Clock {
  time = $state(0);
  mode = $state<ClockMode>('hold');
  speed = $state(1);
  begin = $state(0);
  latest = $state(0);
  live = $state(false);
  #frame = 0;
  #last = 0;

  /** New rows have arrived up to this time. */
  advance(latest: number): void {
    if (latest > this.latest) this.latest = latest;
    if (this.mode === 'follow') this.time = this.latest;
  }

  follow(): void {
    this.mode = 'follow';
    this.time = this.latest;
  }

  hold(): void {
    this.mode = 'hold';
  }

  seek(time: number): void {
    this.time = Math.min(this.latest, Math.max(this.begin, time));
    if (this.mode === 'follow') this.mode = 'hold';
  }

  play(): void {
    if (this.time >= this.latest) {
      if (this.live) {
        this.follow();
        return;
      }
      this.time = this.begin;
    }
    this.mode = 'play';
    this.#last = performance.now();
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(this.#step);
  }

  toggle(): void {
    if (this.mode === 'hold') this.play();
    else this.hold();
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
  }

  #step = (now: number): void => {
    if (this.mode !== 'play') return;
    const next = this.time + (Math.max(0, now - this.#last) / 1000) * this.speed;
    this.#last = now;
    if (next >= this.latest) {
      this.time = this.latest;
      if (this.live) this.follow();
      else this.hold();
      return;
    }
    this.time = next;
    this.#frame = requestAnimationFrame(this.#step);
  };
}
