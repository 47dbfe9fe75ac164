import { notices } from '../app/notices.svelte';
import { router } from '../app/router.svelte';
import { server } from '../app/server.svelte';
import { runAddress } from '../layout/layout';
import type { Start } from '../protocol/messages';

/** How runs are started from the home page. */
export const paces: { name: string; start: Start }[] = [
  { name: 'as fast as possible', start: {} },
  { name: 'with the clock', start: { rate: 1 } },
  { name: 'in real time', start: { real_time: true } },
];

/** Starts a document or repeats a run, and shows it. */
export async function startAndShow(what: Start): Promise<void> {
  try {
    const { run } = await server.connection.request<{ run: string }>('start', what);
    server.started.add(run);
    router.go(runAddress(run));
  } catch (error) {
    notices.complain(error);
  }
}
