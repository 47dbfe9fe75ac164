import { getContext, setContext } from 'svelte';
import type { RunSession } from './session.svelte';
import type { View } from './view.svelte';

export interface RunContext {
  session: RunSession;
  view: View;
}

const key = Symbol('run');

export function provideRun(run: RunContext): void {
  setContext(key, run);
}

/** The run that the page shows; for components below the run page. */
export function useRun(): RunContext {
  return getContext<RunContext>(key);
}
