import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { signalNames } from '../../../../src/workflows/platform/interceptors.js';
import { payloadConverter } from '../../../../src/workflows/platform/read-payloads.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const payload = (encoding: string, data: string) => ({
  metadata: { encoding: utf8(encoding) },
  data: utf8(data),
});

test.each<[unknown]>([[{ text: 'a' }], ['a'], [null], [undefined], [new Uint8Array([1, 2])]])(
  'payloads: %j, written and read → the same, and as the SDK does it',
  value => {
    const written = payloadConverter.toPayload(value);
    expect(written).toEqual(defaultPayloadConverter.toPayload(value));
    expect(payloadConverter.fromPayload(written)).toEqual(value);
  },
);

test('FE1: an integer of another language that a double can not hold → its digits, as text', () => {
  const read = payloadConverter.fromPayload(payload('json/plain', '{"é":12345678901234567890,"n":1.5}'));
  expect(read).toEqual({ é: '12345678901234567890', n: 1.5 });
});

test.each<[string, Parameters<typeof payloadConverter.fromPayload>[0], unknown]>([
  ['JSON under another name', payload('json/protobuf', '{"text":"a"}'), { text: 'a' }],
  ['no JSON', payload('json/plain', 'not json'), undefined],
  ['what is encrypted', payload('binary/encrypted', 'x'), undefined],
  ['no encoding and no data', {}, undefined],
])(
  'payloads: %s → read where that is possible, else nothing, and never an error (ST4)',
  (_, given, value) => {
    expect(payloadConverter.fromPayload(given)).toEqual(value);
  },
);

test.each([
  ['steer', 'steer'],
  ['__temporal_steer', 'reserved: __temporal_steer'],
])('names of signals: %s → comes to the handlers as "%s" (ST4)', (signalName, wanted) => {
  const [internals] = signalNames().internals ?? [];
  type ActivateInput = Parameters<NonNullable<NonNullable<typeof internals>['activate']>>[0];
  const activation = { jobs: [{ signalWorkflow: { signalName } }, { fireTimer: {} }] };
  const input = { activation, batchIndex: 0 } as unknown as ActivateInput;
  const names: unknown[] = [];
  internals?.activate?.(input, given => {
    names.push(given.activation.jobs?.[0]?.signalWorkflow?.signalName);
  });
  expect(names).toEqual([wanted]);
});
