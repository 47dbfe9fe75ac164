// Synthetic runs: a satellite that stops tumbling, sines, one spike, gaps, a mode. All values follow from the time.

const spikeAt = (rows) => Math.floor(0.4321 * rows);

/** f(t, k, rows, settings): the elements at row k. */
const satellite = [
  {
    path: 'body.omega',
    unit: 'rad/s',
    frame: 'B',
    description: 'angular velocity',
    count: 3,
    f: (t, k, rows, s) => [0, 1, 2].map((i) => s.rate * Math.exp(-t / 90) * Math.cos(t / (8 + 3 * i) + i)),
  },
  {
    path: 'body.attitude',
    unit: '1',
    description: 'attitude, scalar last',
    count: 4,
    f: (t) => [0.5 * Math.sin(t / 20), 0.5 * Math.cos(t / 20), 0.5, Math.SQRT1_2 * Math.cos(t / 300)],
  },
  { path: 'body.omega_norm', unit: 'rad/s', description: 'rate', count: 1, f: (t, k, rows, s) => [s.rate * Math.exp(-t / 90)] },
  {
    path: 'sensor.spike',
    unit: 'V',
    description: 'zero but for one sample of 1 V',
    count: 1,
    f: (t, k, rows) => [k === spikeAt(rows) ? 1 : 0],
  },
  { path: 'sensor.sine', unit: 'm', description: '2 m at 0.5 Hz', count: 1, f: (t) => [2 * Math.sin(Math.PI * t)] },
  {
    path: 'sensor.gap',
    unit: 'T',
    description: 'not a number for a tenth of the time',
    count: 1,
    f: (t, k, rows) => [k > 0.5 * rows && k < 0.6 * rows ? NaN : 3e-5 * Math.sin(t / 30)],
  },
  {
    path: 'wheels.momentum',
    unit: 'N*m*s',
    frame: 'B',
    description: 'momentum of the wheels',
    count: 3,
    f: (t) => [0, 1, 2].map((i) => 8e-5 * Math.sin(t / (25 + 5 * i))),
  },
  {
    path: 'supervisor.mode',
    unit: '1',
    description: 'the active location',
    count: 1,
    held: true,
    scalar: 'integer',
    f: (t, k, rows, s) => [t <= 0 ? 0 : t < s.switch ? 1 : 2],
  },
  {
    path: 'supervisor.voltage',
    unit: 'V',
    frame: 'B',
    description: 'to the coils',
    count: 3,
    held: true,
    f: (t) => [0, 1, 2].map((i) => Math.round(10 * Math.sin(t / 9 + i)) / 10),
  },
  { path: 'supervisor.telecommand', unit: '1', description: 'back to detumbling', count: 1, held: true, scalar: 'event', f: () => [0] },
];

const nasty = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</scr' + 'ipt>"\'&amp;';

export const automata = [
  {
    path: 'supervisor',
    mode_signal: 'supervisor.mode',
    initial: 'Start',
    locations: [
      { name: 'Start', line: 47 },
      { name: 'Detumbling', line: 60 },
      { name: 'Pointing', line: 75 },
    ],
    transitions: [
      { name: 'filters at rest', from: 'Start', to: 'Detumbling', condition: 'slow > 0', line: 50 },
      { name: 'slow enough', from: 'Detumbling', to: 'Pointing', label: '‖ω‖ < slow', condition: 'norm(omega) < slow', line: 63 },
      { name: 'telecommand', from: 'Pointing', to: 'Detumbling', label: 'telecommand', condition: 'telecommand', line: 80 },
    ],
  },
];

export class SyntheticRun {
  constructor(name, { span = 900, hertz = 10, live = false, rate = 1, settings = {}, script = false } = {}) {
    this.run = `runs/${name}`;
    this.name = name;
    this.live = live;
    this.hertz = hertz;
    this.span = span;
    this.rate = rate;
    this.settings = { rate: 0.1, switch: 238.1, ...settings };
    this.script = script;
    this.frozen = false;
    this.started = new Date().toISOString();
    this.time = live ? 0 : span;
    this.overrides = new Map();
    this.nodes = [
      { node: 'desk', parts: ['supervisor', 'island body'] },
      { node: 'rack', parts: [] },
    ];
    this.checkpoints = live ? [] : [300];
    this.sources = script
      ? satellite.map((s, k) => ({ ...s, path: k === 0 ? `body.${nasty}` : s.path, unit: nasty, frame: nasty, description: nasty }))
      : satellite;
    this.extra = [];
    this.cache = new Map();
  }

  get rows() {
    return Math.floor(this.time * this.hertz + 1e-6) + 1;
  }

  allRows() {
    return Math.floor(this.span * this.hertz) + 1;
  }

  get events() {
    const text = (s) => (this.script ? nasty : s);
    const all = [
      {
        time: 0,
        component: text('supervisor'),
        kind: 'transition',
        from: text('Start'),
        to: text('Detumbling'),
        reason: text('slow > 0'),
        transition: text('filters at rest'),
        warning: false,
      },
      {
        time: this.settings.switch,
        component: text('supervisor'),
        kind: 'transition',
        from: text('Detumbling'),
        to: text('Pointing'),
        reason: text('norm(omega) < slow at 0.017'),
        transition: text('slow enough'),
        warning: false,
      },
      {
        time: 0.55 * this.span,
        component: 'frame',
        kind: 'late',
        from: '',
        to: 'frame 4950',
        reason: 'by 0.000212 s: woken late',
        transition: '',
        warning: true,
      },
      ...this.extra,
    ];
    return all.filter((e) => e.time <= this.time && (this.live ? e.kind !== 'late' : true)).sort((a, b) => a.time - b.time);
  }

  column(signal, element) {
    const source = this.sources[signal];
    const key = `${signal}.${element}`;
    let c = this.cache.get(key);
    if (!c) this.cache.set(key, (c = { t: [], v: [] }));
    const override = this.overrides.get(source.path);
    for (let k = c.t.length; k < this.rows; ++k) {
      const t = k / this.hertz;
      c.t.push(t);
      c.v.push(this.live && override ? (override[element] ?? override[0]) : source.f(t, k, this.allRows(), this.settings)[element]);
    }
    return c;
  }

  open() {
    const text = (s) => (this.script ? nasty : s);
    return {
      run: this.run,
      live: this.live,
      status: this.live ? 'running' : 'finished',
      manifest: {
        composition: text('aausat2'),
        document: text('aausat2.xml'),
        set: [],
        reports: [{ name: text('largest rate'), signal: 'body.omega_norm', value: 6.101126, unit: text('deg/s') }],
        checks: [
          { name: text('attitude stays a rotation'), signal: 'body.attitude', holds: true, words: text('off by 2e-16, allowed 1e-09') },
        ],
        warnings: [],
        statistics: { late: this.live ? 0 : 1 },
      },
      begin: 0,
      end: this.span,
      complete: this.time,
      signals: this.sources.map((s) => ({
        path: s.path,
        unit: s.unit,
        frame: s.frame ?? '',
        description: s.description,
        count: s.count,
        scalar: s.scalar ?? 'real',
        held: s.held ?? false,
        rate: `${this.hertz} every 1 s`,
        rows: this.rows,
      })),
      events: this.events.length,
      checkpoints: this.checkpoints,
      figures: this.script
        ? []
        : [
            {
              name: 'figure12',
              title: text('The norm of the angular velocity'),
              y: '|ω|',
              curves: [{ signal: 2, element: 0, label: '|ω|' }],
            },
            {
              name: 'figure13',
              title: text('The angular velocity'),
              y: 'ω',
              curves: [0, 1, 2].map((element) => ({ signal: 0, element, label: 'xyz'[element] })),
            },
          ],
    };
  }

  entry() {
    return {
      run: this.run,
      name: this.name,
      composition: this.script ? nasty : 'aausat2',
      status: this.live ? 'running' : 'finished',
      started: this.started,
      reached: this.time,
      wall: this.live ? null : 0.05,
      warnings: 0,
      checks_failed: 0,
      late: this.live ? 0 : 1,
      live: this.live,
    };
  }
}

export const parameters = (s) => [
  { path: 'body.rate', value: s.rate, unit: 'rad/s', description: 'rate at the start', live: true },
  { path: 'supervisor.switch', value: `${s.switch} s`, unit: 's', description: 'when pointing begins', live: false },
  { path: 'body.inertia', value: '1377e-6 1623e-6 1569e-6 kg*m^2', unit: 'kg*m^2', description: 'principal inertias', live: false },
];

export { nasty };
