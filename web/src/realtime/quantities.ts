// What the real time page shows, what the words mean, and when a value is good. The words are the same everywhere.
import { figure, frameOf, period, type Frames, type Link } from './frames';

export type Light = 'good' | 'note' | 'bad' | 'plain';
export const signs: Record<Light, string> = { good: '✓', note: '!', bad: '✕', plain: '·' };
export const words: Record<Light, string> = { good: 'good', note: 'attention', bad: 'bad', plain: '' };

export const definitions = {
  frame: 'Frame time: from the moment the frame should begin to the end of its last due work.',
  margin: 'Margin: deadline minus end of work. Positive is good.',
  late: 'Late frame: its margin is negative. The cause is work (the part that exceeded its usual p99 most), wake-up (it began late), or waiting (for a peer, a grant, a disk).',
  wake_up: 'Wake-up latency: actual minus intended start of a frame.',
  send_to_receive: 'Send → receive: receive time minus send time of the same packet; the clocks are related by the measured offset.',
  acquisition_to_output: "Acquisition → output: from reading the source's inputs to presenting them at the sink's outputs.",
  dead_time: 'Dead time: from acquiring a value to the output of the first answer that knew it.',
  forerun: 'Forerun: how long before it was needed the last command came.',
  extrapolated: 'Extrapolated: intervals that began without fresh data.',
  drift: 'Drift: rate of change of the clock offset, and how far it has moved since the link came up.',
  held: 'Request → grant: how long the federation held time back.',
  dropped: 'Dropped: samples that the recorder could not take. The run never waits for it.',
  rest: 'What the executive itself used, with the recorder and observers.',
} as const;

/** The settable limits; fractions of a frame where nothing else is said. */
export interface Limits {
  marginGood: number; // above: good
  marginBad: number; // below: bad
  wakeUp: number; // p99 above this fraction of a frame: attention
  drift: number; // sum above this fraction of a frame: attention
  forerun: number; // below this fraction of a frame: attention
}

export const usualLimits: Limits = { marginGood: 0.3, marginBad: 0.1, wakeUp: 0.02, drift: 0.5, forerun: 0.1 };
const names = Object.keys(usualLimits) as (keyof Limits)[];

/** "marginGood:0.4,wakeUp:0.05"; what is not understood keeps its usual value. */
export function parseLimits(text: string | null): Limits {
  const limits = { ...usualLimits };
  for (const part of (text ?? '').split(',')) {
    const [name, value] = part.split(':');
    const v = Number(value);
    if (names.includes(name as keyof Limits) && value !== '' && Number.isFinite(v) && v >= 0) limits[name as keyof Limits] = v;
  }
  return limits;
}

export function limitsText(limits: Limits): string {
  return names
    .filter((n) => limits[n] !== usualLimits[n])
    .map((n) => `${n}:${limits[n]}`)
    .join(',');
}

export function marginLight(margin: number, frame: number, limits: Limits): Light {
  if (!Number.isFinite(margin) || !(frame > 0)) return 'plain';
  const share = margin / frame;
  return share > limits.marginGood ? 'good' : share >= limits.marginBad ? 'note' : 'bad';
}

export function lateLight(frames: Pick<Frames, 'late'>): Light {
  return frames.late === 0 ? 'good' : 'note';
}

export function wakeUpLight(frames: Frames, limits: Limits): Light {
  const f = figure(frames, 'wake_up');
  const frame = frames.last ? period(frameOf(frames.last)) : 0;
  if (!f || !(frame > 0)) return 'plain';
  return f.p99! < limits.wakeUp * frame ? 'good' : 'note';
}

export function value(link: Link, name: string) {
  return link.values.find((v) => v.name === name);
}

/** How far the clock offset has moved since it was first known, s. */
export function driftSum(link: Link): number | null {
  const offset = value(link, 'link.offset');
  return offset && offset.now !== null && offset.begin !== null ? offset.now - offset.begin : null;
}

export function driftLight(link: Link, frame: number, limits: Limits): Light {
  const sum = driftSum(link);
  return sum === null ? 'plain' : Math.abs(sum) < limits.drift * frame ? 'good' : 'note';
}

export function heldLight(frames: Frames): Light {
  const held = figure(frames, 'held');
  const margin = frames.worst ? frameOf(frames.worst).margin : NaN;
  return !held || !Number.isFinite(margin) ? 'plain' : margin > 0 ? 'good' : 'note';
}

const linkStates = ['closed', 'connecting', 'up', 'degraded', 'broken'];
export function linkState(link: Link): { words: string; light: Light } {
  const state = value(link, 'link.state')?.now;
  if (state === undefined || state === null) return { words: 'state not recorded', light: 'plain' };
  return { words: linkStates[state] ?? `state ${state}`, light: state === 2 ? 'good' : state === 3 || state === 1 ? 'note' : 'bad' };
}

const modes = ['uninitialized', 'initializing', 'running', 'freeze', 'shutdown'];
export const modeText = (mode: number | null): string => (mode === null ? '–' : (modes[mode] ?? `mode ${mode}`));

/** The verdict over the page, in words. */
export function health(frames: Frames): { light: Light; words: string } {
  if (frames.frames === 0) return { light: 'plain', words: 'no frame is over yet' };
  if (frames.late === 0) return { light: 'good', words: `real time kept: no late frame in ${frames.frames}` };
  const by = Object.entries(frames.causes)
    .filter(([, n]) => n > 0)
    .map(([cause, n]) => `${cause} ${n}`)
    .join(', ');
  return { light: 'note', words: `${frames.late} of ${frames.frames} frames late: ${by}` };
}
