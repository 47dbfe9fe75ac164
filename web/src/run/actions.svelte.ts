import { notices } from '../app/notices.svelte';
import { router } from '../app/router.svelte';
import { server } from '../app/server.svelte';
import type { RunSession } from './session.svelte';
import type { View } from './view.svelte';

/** What people do to a run; answers and refusals are shown. */
export class RunActions {
  starting = $state(false);
  #again: (() => void) | undefined;

  constructor(
    private readonly session: RunSession,
    private readonly view: View,
  ) {}

  /** A request line to the live run. True: it was done. */
  async order(line: string): Promise<boolean> {
    try {
      const answer = await this.session.order(line);
      if (answer) notices.say(answer);
      if (line === 'checkpoint') this.session.checkpoints = [...this.session.checkpoints, this.session.clock.latest];
      return true;
    } catch (error) {
      notices.complain(error);
      return false;
    }
  }

  /** Repeats the run, with changed parameters. The page shows the new run, and this one in grey. */
  async restart(set: string[] = []): Promise<void> {
    if (this.starting) {
      this.#again = () => void this.restart(set); // the latest wish, when this one has begun
      return;
    }
    this.starting = true;
    try {
      const run = await this.session.start({ run: this.session.run, ...(set.length > 0 ? { set } : {}) });
      server.started.add(run);
      this.starting = false;
      if (this.#again) {
        const again = this.#again;
        this.#again = undefined;
        again();
        return;
      }
      router.go(this.view.address(run, { previous: this.session.run, time: null, a: null, b: null }));
    } catch (error) {
      this.starting = false;
      notices.complain(error);
    }
  }

  toggleFreeze(): void {
    if (this.session.live) void this.order(this.session.status?.frozen ? 'resume' : 'freeze');
  }
}
