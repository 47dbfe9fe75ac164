import { after, notBefore } from '../data/decimate';
import type { RunActions } from './actions.svelte';
import type { RunSession } from './session.svelte';
import type { View } from './view.svelte';

/** Shortcuts of the run page; true: the key was one. */
export function runKey(event: KeyboardEvent, session: RunSession, view: View, actions: RunActions): boolean {
  const { clock } = session;
  const [from, to] = view.range;
  const step = (event.shiftKey ? 0.1 : 0.01) * (to - from);
  const seek = (time: number) => {
    clock.seek(time);
    view.noteTime();
  };
  const cursor = (which: 'a' | 'b') => view.setCursor(which, view.layout[which] === null ? (view.hover ?? clock.time) : null);
  const times = session.events.map((e) => e.time);
  switch (event.key) {
    case ' ':
      clock.toggle();
      view.noteTime();
      return true;
    case 'l':
      if (clock.live) clock.follow();
      return true;
    case 'ArrowLeft':
      seek(clock.time - step);
      return true;
    case 'ArrowRight':
      seek(clock.time + step);
      return true;
    case 'Home':
      seek(clock.begin);
      return true;
    case 'End':
      seek(clock.latest);
      return true;
    case '[':
      clock.speed /= 2;
      return true;
    case ']':
      clock.speed *= 2;
      return true;
    case '+':
    case '=':
      view.zoomAround(clock.time >= from && clock.time <= to ? clock.time : (from + to) / 2, 0.7);
      return true;
    case '-':
      view.zoomAround(clock.time >= from && clock.time <= to ? clock.time : (from + to) / 2, 1.4);
      return true;
    case '0':
      view.zoom(null);
      return true;
    case 'a':
      cursor('a');
      return true;
    case 'b':
      cursor('b');
      return true;
    case 'e':
      if (after(times, clock.time) < times.length) seek(times[after(times, clock.time)]);
      return true;
    case 'E':
      if (notBefore(times, clock.time) > 0) seek(times[notBefore(times, clock.time) - 1]);
      return true;
    case 'p':
      actions.toggleFreeze();
      return true;
    case '.':
      if (session.live) void actions.order('step');
      return true;
    case 'c':
      if (session.live) void actions.order('checkpoint');
      return true;
    case 'r':
      if (!session.live) void actions.restart();
      return true;
    case 'o':
      view.setOverlay(!view.layout.overlay);
      return true;
    case 'n':
      view.newPlot([]);
      return true;
    case 'm':
      view.setBench(!view.layout.bench);
      return true;
    case '/':
      document.getElementById('signal-filter')?.focus();
      return true;
  }
  return false;
}
