// Reads an MCAP file with the public reader, through its index and as a stream; prints what it found as JSON.
import fs from 'node:fs';
import rosmsg from '@foxglove/rosmsg';
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import { McapIndexedReader, McapStreamReader } from '@mcap/core';

const bytes = fs.readFileSync(process.argv[2]);
const file = {
  size: async () => BigInt(bytes.length),
  read: async (offset, length) => new Uint8Array(bytes.subarray(Number(offset), Number(offset + length))),
};
const plain = (value) => (ArrayBuffer.isView(value) ? Array.from(value, plain) : typeof value === 'bigint' ? Number(value) : value);

const indexed = await McapIndexedReader.Initialize({ readable: file });
const readers = new Map();
const channels = {};
for (const [id, c] of indexed.channelsById) {
  const schema = indexed.schemasById.get(c.schemaId);
  const text = new TextDecoder().decode(schema.data);
  readers.set(id, new MessageReader(rosmsg.parse(text, { ros2: true })));
  channels[c.topic] = { encoding: [c.messageEncoding, schema.encoding], schema: schema.name, text, metadata: Object.fromEntries(c.metadata), times: [], values: [] };
}
for await (const m of indexed.readMessages({ validateCrcs: true })) {
  const c = channels[indexed.channelsById.get(m.channelId).topic];
  c.times.push(Number(m.logTime));
  c.values.push(plain(readers.get(m.channelId).readMessage(m.data).value));
}

const stream = new McapStreamReader({ validateCrcs: true });
stream.append(bytes);
const counts = {};
for (let r; (r = stream.nextRecord()); ) counts[r.type] = (counts[r.type] ?? 0) + 1;
console.log(JSON.stringify({ channels, counts, done: stream.done(), messages: Number(indexed.statistics.messageCount), chunks: indexed.chunkIndexes.length }));
