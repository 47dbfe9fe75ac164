// Subscribes to all channels of a server with the public client, and prints what it got as JSON after so many messages.
// usage: watch_foxglove.mjs ADDRESS SUBPROTOCOL MESSAGES
import rosmsg from '@foxglove/rosmsg';
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import foxglove from '@foxglove/ws-protocol';
import WebSocket from 'ws';

const [address, subprotocol, wanted] = process.argv.slice(2);
const plain = (value) => (ArrayBuffer.isView(value) ? Array.from(value, plain) : typeof value === 'bigint' ? Number(value) : value);
const socket = new WebSocket(address, [subprotocol], { origin: 'https://viewer.example' });
socket.on('unexpected-response', (_, response) => {
  console.log(JSON.stringify({ refused: response.statusCode }));
  process.exit(0);
});
const client = new foxglove.FoxgloveClient({ ws: socket });
const channels = new Map();
const answer = { subprotocol: '', server: {}, channels: {}, status: [], times: 0 };
let messages = 0;
client.on('error', (error) => {
  console.error(error);
  process.exit(1);
});
client.on('serverInfo', (info) => {
  answer.server = info;
  answer.subprotocol = socket.protocol;
});
client.on('time', () => answer.times++);
client.on('status', (status) => answer.status.push(status));
client.on('advertise', (all) => {
  client.setParameters([{ name: 'gain', value: 2 }], 'x');
  for (const c of all) {
    channels.set(client.subscribe(c.id), [c.topic, new MessageReader(rosmsg.parse(c.schema, { ros2: true }))]);
    answer.channels[c.topic] = { schema: c.schema, rows: [] };
  }
});
client.on('message', ({ subscriptionId, timestamp, data }) => {
  const [topic, reader] = channels.get(subscriptionId);
  answer.channels[topic].rows.push([Number(timestamp), plain(reader.readMessage(data).value)]);
  if (++messages === Number(wanted)) {
    console.log(JSON.stringify(answer));
    client.close();
    process.exitCode = 0;
  }
});
