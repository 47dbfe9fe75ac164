// An Open MCT plugin that shows a live run of Vernier. It is a client of the Foxglove WebSocket protocol, which `vernier watch --foxglove` serves.
//   openmct.install(vernier('ws://127.0.0.1:8765/?token=…'))

const retry_after = 2000, tick_every = 100; // ms of wall time
const most_rows = 20000; // of each signal that are kept
const most_numbers = 16e6; // of all signals that are kept, 8 bytes each

/** What the server says of a signal in its two lines of schema: "# body.omega: of B relative to N" and "float64[3] value  # rad/s, axes B". */
function described({ id, schema }) {
  const found = /^# (.*?)(?:: (.*))?\n(float64|int64|uint8)(?:\[(\d+)\])? value {2}# (.*?)(?:, axes (.*))?$/m.exec(schema);
  if (!found) throw new Error('this server does not show a run of Vernier');
  const [, path, text, type, count, unit, axes] = found;
  const key = encodeURIComponent(path); // Open MCT puts it into its addresses: names may have letters of any alphabet
  return { id, key, path, text, type, unit, axes, width: Number(count ?? 1), vector: count !== undefined };
}

/** The little-endian CDR value of a message: its numbers start at byte 17. */
const read = {
  float64: (view, i) => view.getFloat64(17 + 8 * i, true),
  int64: (view, i) => Number(view.getBigInt64(17 + 8 * i, true)),
  uint8: (view, i) => view.getUint8(17 + i),
};

/** A signal as Open MCT's telemetry object, with its newest rows. */
class Signal {
  constructor(channel, most) {
    Object.assign(this, channel, { most, taken: 0, listeners: new Set(), numbers: new Float64Array(most * (1 + channel.width)) });
  }

  object(identifier, location) {
    const units = this.unit === '1' ? undefined : this.unit;
    const name = this.path; // the whole: plots and tables have signals of several components
    const values = Array.from({ length: this.width }, (_, i) => ({ key: `value${i}`, name: this.vector ? `${name}[${i}]` : name, units, hints: { range: 1 + i } }));
    values.push({ key: 'utc', name: 'Simulated time', format: 'utc', hints: { domain: 1 } });
    const notes = [this.text, units, this.axes && `axes ${this.axes}`].filter(Boolean).join(', ');
    return { identifier, location, name, type: 'vernier.signal', notes, telemetry: { values } };
  }

  take(view) {
    const at = (this.taken++ % this.most) * (1 + this.width);
    this.numbers[at] = Number(view.getBigUint64(5, true)) / 1e6; // ns to ms
    for (let i = 0; i < this.width; ++i) this.numbers[at + 1 + i] = read[this.type](view, i);
    if (this.listeners.size > 0) {
      const row = this.row(this.taken - 1);
      for (const listener of this.listeners) listener(row);
    }
  }

  row(number) {
    const at = (number % this.most) * (1 + this.width);
    const row = { utc: this.numbers[at] };
    for (let i = 0; i < this.width; ++i) row[`value${i}`] = this.numbers[at + 1 + i];
    return row;
  }

  rows({ start, end, strategy, size }) {
    const found = [];
    for (let n = Math.max(0, this.taken - this.most); n < this.taken; ++n) {
      const time = this.numbers[(n % this.most) * (1 + this.width)];
      if (time >= start && time <= end) found.push(this.row(n));
    }
    return strategy === 'latest' ? found.slice(-(size ?? 1)) : found;
  }
}

/** The objects of a run by their keys: folders "." and "body.", signals "body.omega". */
function tree(run, signals) {
  const identifier = (key) => ({ namespace: 'vernier', key });
  const objects = new Map([['.', { identifier: identifier('.'), location: 'ROOT', name: run, type: 'folder', children: [] }]]);
  for (const signal of signals.values()) {
    const names = signal.key.split('.');
    let parent = '.';
    names.forEach((name, i) => {
      const last = i === names.length - 1;
      const key = names.slice(0, i + 1).join('.') + (last ? '' : '.');
      if (!objects.has(key)) {
        const location = `vernier:${parent}`;
        const folder = { identifier: identifier(key), location, name: decodeURIComponent(name), type: 'folder', children: [] };
        objects.set(key, last ? signal.object(identifier(key), location) : folder);
        objects.get(parent).children.push(identifier(key));
      }
      parent = key;
    });
  }
  return objects;
}

/** Stays connected, and keeps what it receives. It calls `show(text, good)` with the state of the connection, and `warn(text)` with what the server reports. */
class Connection {
  signals = new Map(); // by key
  newest = 0; // simulated time, ms
  ticks = new Set();

  constructor(address, show, warn) {
    Object.assign(this, { address, show, warn, host: new URL(address).host });
    this.ready = new Promise((resolve) => (this.begun = resolve)); // the objects, once they are known
    this.connect();
  }

  connect() {
    const socket = new WebSocket(this.address, ['foxglove.sdk.v1', 'foxglove.websocket.v1']);
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => {
      try {
        if (typeof data === 'string') this.said(socket, JSON.parse(data));
        else this.got(new DataView(data));
      } catch (error) {
        this.reason = error.message;
        socket.close();
      }
    };
    socket.onclose = ({ reason }) => {
      this.reason ||= reason; // what follows are attempts without one
      this.show(`not connected to ${this.host}${this.reason && `: ${this.reason}`}; trying again`, false);
      setTimeout(() => this.connect(), retry_after);
    };
  }

  said(socket, message) {
    if (message.op === 'serverInfo') {
      if (this.session !== undefined && this.session !== message.sessionId) location.reload(); // another run
      this.session = message.sessionId;
      this.run = message.name;
    } else if (message.op === 'advertise') {
      const channels = message.channels.map(described);
      const most = Math.floor(Math.min(most_rows, most_numbers / channels.reduce((sum, c) => sum + 1 + c.width, 0)));
      for (const c of channels) if (!this.signals.has(c.key)) this.signals.set(c.key, new Signal(c, most));
      this.numbered = new Map(channels.map((c) => [c.id, this.signals.get(c.key)]));
      socket.send(JSON.stringify({ op: 'subscribe', subscriptions: channels.map(({ id }) => ({ id, channelId: id })) }));
      this.reason = '';
      this.show(`connected to ${this.host}`, true);
      this.begun(tree(this.run, this.signals));
    } else if (message.op === 'status') {
      this.warn(message.message);
    }
  }

  got(view) {
    const what = view.getUint8(0);
    if (what === 1) this.numbered.get(view.getUint32(1, true)).take(view);
    if (what !== 2) return;
    this.newest = Number(view.getBigUint64(1, true)) / 1e6;
    this.ticking ??= setTimeout(() => {
      this.ticking = undefined;
      for (const tick of this.ticks) tick(this.newest);
    }, tick_every);
  }
}

export default (address) => (openmct) => {
  const indicator = openmct.indicators.simpleIndicator();
  indicator.text('Vernier: connecting');
  openmct.indicators.add(indicator);
  let warning; // the last one, until the next or until all is well
  const warn = (text) => {
    if (warning?.text === text) return;
    warning?.shown.dismiss();
    warning = text && { text, shown: openmct.notifications.alert(text) };
  };
  const show = (text, good) => {
    indicator.text(`Vernier: ${text}`);
    indicator.iconClass(good ? 'icon-connectivity' : 'icon-alert-triangle');
    indicator.statusClass(good ? 's-status-on' : 's-status-warning-hi');
    warn(good ? undefined : text);
  };
  const connection = new Connection(address, show, warn);

  openmct.time.addClock({
    key: 'vernier',
    name: 'Simulated time',
    description: 'The newest time that the run has sent',
    cssClass: 'icon-clock',
    currentValue: () => connection.newest,
    on: (_, tick) => connection.ticks.add(tick),
    off: (_, tick) => connection.ticks.delete(tick),
  });

  openmct.types.addType('vernier.signal', { name: 'Signal', cssClass: 'icon-telemetry' });
  openmct.objects.addRoot({ namespace: 'vernier', key: '.' }, openmct.priority.HIGH);
  openmct.objects.addProvider('vernier', { get: async ({ key }) => (await connection.ready).get(key) });
  openmct.composition.addProvider({
    appliesTo: ({ identifier, type }) => identifier.namespace === 'vernier' && type === 'folder',
    load: async ({ identifier }) => (await connection.ready).get(identifier.key).children,
  });
  const ours = (object) => object.type === 'vernier.signal';
  openmct.telemetry.addProvider({
    supportsRequest: ours,
    supportsSubscribe: ours,
    request: async ({ identifier }, options) => connection.signals.get(identifier.key).rows(options),
    subscribe({ identifier }, listener) {
      const { listeners } = connection.signals.get(identifier.key);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
};
