import { expect, test } from 'vitest';
import type { ClientScope } from '../../../src/client/connection/client-scope.js';
import type { Temporal } from '../../../src/client/connection/connect.js';
import { sendMessage } from '../../../src/client/run/send.js';
import { startRun } from '../../../src/client/start/start-run.js';
import { NOTHING_GIVEN } from '../../../src/rules/agents/run-input.js';
import { WORKFLOW_TYPE } from '../../../src/run/agents/run-config.js';
import { steerSignal } from '../../../src/workflows/run/definitions.js';

/** As gRPC tells that no answer came in time. */
const LATE = Object.assign(new Error('4 DEADLINE_EXCEEDED: Deadline exceeded'), {
  code: 4,
  details: 'Deadline exceeded',
  metadata: {},
});

/** A server that takes what it is sent, and whose answers to that are lost. */
const client = {
  withDeadline: (_: number, work: () => unknown) => work(),
  workflow: {
    start: () => Promise.reject(LATE),
    getHandle: () => ({
      describe: async () => ({ type: WORKFLOW_TYPE, status: { name: 'RUNNING' }, raw: {} }),
      signal: () => Promise.reject(LATE),
    }),
  },
};
const temporal = { client } as unknown as Temporal;
const scope: ClientScope = {
  temporal,
  kept: null,
  project: null,
  report: () => {},
  closing: new AbortController().signal,
};

test('start: its answer is lost → the run’s id is said, and how to start it without a second one', async () => {
  const settings = { mode: 'team', workspace: '/w', autoApprove: false } as const;
  const request = { id: 'pay-1', goal: 'Pay', settings, after: null, token: null, given: NOTHING_GIVEN };
  await expect(startRun(temporal, request, 'queue')).rejects.toMatchObject({
    message: expect.stringMatching(/^It is not known whether the run pay-1 was started\. .*Deadline/),
    remedy: expect.stringContaining('the id pay-1'),
  });
});

test('steer: its answer is lost → nobody says that it was not taken, for typed again it would come twice', async () => {
  const message = { as: steerSignal, input: { text: 'Pay less' } };
  await expect(sendMessage(scope, 'pay-1', message, {})).rejects.toMatchObject({
    code: 'uncertain',
    message: expect.stringMatching(/^It is not known whether the run pay-1 has the message\. .*Deadline/),
    remedy: expect.stringContaining('run.events()'),
  });
});

test.each([
  ['too long', 'x'.repeat(201)],
  ['empty', ''],
  ['of blanks', '  '],
  ['with a blank at its end', 'm-1 '],
])(
  'steer under an id that is %s → refused, for the run would ignore the message without a receipt',
  async (_what, id) => {
    const message = { as: steerSignal, input: { text: 'Pay less' } };
    await expect(sendMessage(scope, 'pay-1', message, { id })).rejects.toMatchObject({ code: 'usage' });
  },
);

test('steer under an id of the sender’s own: its answer is lost → it is told that it may be sent again', async () => {
  const message = { as: steerSignal, input: { text: 'Pay less' } };
  await expect(sendMessage(scope, 'pay-1', message, { id: 'm-1' })).rejects.toMatchObject({
    code: 'unreachable',
  });
});
