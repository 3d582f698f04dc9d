/** Replays of histories whose payloads are encrypted. */

import type { Payload, PayloadCodec } from '@temporalio/common';
import { beforeAll, expect, test } from 'vitest';
import { replayHistories } from '../../../packages/test-kit/replay.js';
import { encryptedAs } from '../../../src/worker/replay.js';
import { frozenHistories, workflowBundle } from '../../support/histories.js';
import { quietTemporal } from '../../support/quiet.js';

beforeAll(quietTemporal);

const ENCODING = 'binary/encrypted';
const flipped = (data: Uint8Array) => data.map(byte => byte ^ 0x55);

/** Turns each bit pattern around: enough that nothing can be read without it. */
const codec: PayloadCodec = {
  encode: async payloads => payloads.map(encrypted),
  decode: async payloads =>
    payloads.map(payload => {
      const { metadata, data } = payload;
      if (Buffer.from(metadata?.encoding ?? []).toString() !== ENCODING) return payload;
      return read(JSON.parse(Buffer.from(flipped(data ?? new Uint8Array())).toString()));
    }),
};

/** Of a payload its metadata and data, in base64. */
interface Written {
  metadata: Record<string, string>;
  data: string;
}

function read({ metadata, data }: Written): Payload {
  const values = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return { metadata: Object.fromEntries(values), data: Buffer.from(data, 'base64') };
}

function encrypted({ metadata, data }: Payload): Payload {
  const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
  const values = Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]);
  const written: Written = { metadata: Object.fromEntries(values), data: base64(data) };
  return {
    metadata: { encoding: Buffer.from(ENCODING) },
    data: flipped(Buffer.from(JSON.stringify(written))),
  };
}

/** A history as a worker with the codec would have recorded it. */
function encryptAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encryptAll);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if ('metadata' in value && 'data' in value) return encrypted(value as Payload);
  if ('toNumber' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encryptAll(member)]));
}

test('replay: a history that is encrypted → told by its encoding; with the codec it replays as any other (OP7)', async () => {
  const plain = frozenHistories().find(({ name }) => name === 'team-run');
  if (!plain) throw new Error('the history team-run is missing');
  const secret = { ...plain, history: encryptAll(plain.history) };
  expect([encryptedAs(plain), encryptedAs(secret)]).toEqual([null, ENCODING]);
  await replayHistories([secret], {
    workflowBundle: workflowBundle(),
    dataConverter: { payloadCodecs: [codec] },
  });
});
