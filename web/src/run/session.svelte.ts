import type { Connection } from '../protocol/connection';
import { Refused } from '../protocol/connection';
import type { Automaton, Opened, Parameter, Problem, RunEvent, Signal, Start, Status } from '../protocol/messages';
import { Columns } from '../data/columns';
import { Clock, replaySpeed } from './clock.svelte';
import { Values } from './values.svelte';

const opened = new Map<string, number>(); // how often each run is used

/** One run on the page, live or recorded: what it is, how far it is, and what is known of it. */
export class RunSession {
  info = $state.raw<Opened>();
  problems = $state.raw<Problem[]>();
  trouble = $state.raw<Problem[]>([]); // why rows cannot be read
  status = $state.raw<Status>();
  live = $state(false);
  lost = $state(0); // samples that the server did not get
  dropped = $state(0); // samples that the page did not get
  events = $state.raw<RunEvent[]>([]);
  automata = $state.raw<Automaton[]>([]);
  parameters = $state.raw<Parameter[]>([]);
  checkpoints = $state.raw<number[]>([]);
  next = $state<string>(); // where the program continues after `rewind`
  changed = $state(0); // counts changes of the columns
  columns!: Columns;
  readonly clock = new Clock();
  readonly now: Values;
  readonly atA: Values;
  readonly atB: Values;
  #stop: (() => void)[] = [];
  #fetching = false;
  #opening = false;
  #begin: { time: number | null; replay: boolean } | undefined;

  constructor(
    readonly connection: Connection,
    readonly run: string,
  ) {
    opened.set(run, (opened.get(run) ?? 0) + 1);
    this.now = new Values(connection, run);
    this.atA = new Values(connection, run);
    this.atB = new Values(connection, run);
    this.#stop.push(
      connection.listen({
        state: (state) => {
          if (state === 'open') void this.#again();
        },
        tell: (message) => {
          if (message.tell === 'status' && message.run === this.run) this.#told(message as unknown as Status);
        },
      }),
    );
  }

  /** Opens the run as soon as there is a connection. `time` is where the view begins; without one it follows a live run. */
  async open(time: number | null, replay: boolean): Promise<void> {
    this.#begin = { time, replay };
    if (this.connection.state === 'open') await this.#open();
  }

  async #open(): Promise<void> {
    if (this.#opening || this.#begin === undefined) return;
    this.#opening = true;
    const described = await this.#describe();
    this.#opening = false;
    if (!described) return;
    const { time, replay } = this.#begin;
    const info = this.info!;
    this.clock.begin = info.begin;
    this.clock.latest = info.complete;
    this.clock.live = info.live;
    this.clock.speed = info.live ? 1 : replaySpeed(info.complete - info.begin);
    this.columns = new Columns(
      this.connection,
      {
        run: this.run,
        signals: info.signals,
        begin: info.begin,
        latest: () => this.clock.latest,
        live: () => this.live,
      },
      (latest) => this.clock.advance(latest),
      (error) => {
        if (error instanceof Refused) this.trouble = error.problems;
      },
    );
    this.columns.listen(() => {
      this.dropped = this.columns.dropped;
      ++this.changed;
    });
    if (time !== null) this.clock.seek(time);
    else if (info.live) this.clock.follow();
    else if (replay) {
      this.clock.time = info.begin;
      this.clock.play();
    } else this.clock.time = info.complete;
    this.ready = true;
    void this.#fetchEvents();
    void this.#describeModel();
  }

  ready = $state(false);

  signal(path: string): Signal | undefined {
    const number = this.columns.number(path);
    return number === undefined ? undefined : this.info?.signals[number];
  }

  async order(line: string): Promise<string> {
    return (await this.connection.request<{ answer: string }>('order', { run: this.run, line })).answer;
  }

  async start(what: Start): Promise<string> {
    return (await this.connection.request<{ run: string }>('start', what)).run;
  }

  close(): void {
    for (const stop of this.#stop) stop();
    this.clock.close();
    this.columns?.close();
    const left = (opened.get(this.run) ?? 1) - 1;
    opened.set(this.run, left);
    // the next page may show the same run as its previous one
    setTimeout(() => {
      if (opened.get(this.run) === 0) this.connection.request('close', { run: this.run }).catch(() => {}); // forgotten with the connection
    }, 1000);
  }

  async #describe(): Promise<boolean> {
    try {
      const info = await this.connection.request<Opened>('open', { run: this.run });
      this.info = info;
      this.live = info.live;
      this.checkpoints = info.checkpoints ?? [];
      this.problems = undefined;
      this.trouble = [];
      return true;
    } catch (error) {
      if (error instanceof Refused) this.problems = error.problems;
      return false; // lost: it is opened again with the connection
    }
  }

  /** After a lost connection, and when a live run has ended: everything is read again. */
  async #again(): Promise<void> {
    if (!this.ready) {
      if (!this.problems) await this.#open();
      return;
    }
    if (!(await this.#describe())) return;
    this.clock.live = this.info!.live;
    this.clock.advance(this.info!.complete);
    if (!this.live && this.clock.mode === 'follow') this.clock.hold();
    this.columns.reload();
    this.now.again();
    void this.#fetchEvents();
  }

  #told(status: Status): void {
    this.status = status;
    this.lost = status.lost;
    this.clock.advance(status.time);
    if (status.next) this.next = status.next;
    if (status.events > this.events.length) void this.#fetchEvents();
    if (this.live && !status.live) {
      this.live = false;
      void this.#again();
    }
  }

  async #fetchEvents(): Promise<void> {
    if (this.#fetching) return;
    this.#fetching = true;
    try {
      for (;;) {
        const answer = await this.connection.request<{ events: RunEvent[]; total: number }>('events', {
          run: this.run,
          after: this.events.length,
        });
        if (answer.events.length > 0) this.events = [...this.events, ...answer.events];
        if (answer.events.length === 0 || this.events.length >= answer.total) break;
      }
    } catch {
      // lost or refused: the rest of the page works without
    } finally {
      this.#fetching = false;
    }
  }

  async #describeModel(): Promise<void> {
    const ask = <T>(what: string) => this.connection.request<T>(what, { run: this.run }).catch(() => undefined);
    const [automata, parameters] = await Promise.all([ask<Automaton[]>('automata'), ask<Parameter[]>('parameters')]);
    this.automata = automata ?? [];
    this.parameters = parameters ?? [];
  }
}
