/** A typed answer that is asked for again while workers die and models fail. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScriptedReply } from '../support/endpoint/model.js';
import { onStage } from '../support/fault-stage.js';
import { killWorkers } from '../support/processes.js';
import { sharedTemporal } from '../support/rig.js';
import { eventsOf } from '../support/run-views.js';
import { until } from '../support/wait.js';

const SCHEMA = {
  type: 'object',
  properties: { count: { type: 'integer' } },
  required: ['count'],
  additionalProperties: false,
};

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  env = await sharedTemporal();
});
afterAll(async () => {
  killWorkers();
  await env?.teardown();
});

test('its worker is killed, then the model is gone, in a part of the run each → the next worker and the next model give the value (TA6)', async () => {
  const config = { 'steersman.yaml': 'models:\n  default: [openai/gpt-5-mini, openai/spare]\n' };
  const value = { text: '{"count": 3}' };
  const script: ScriptedReply[] = [
    { text: 'There are 3.' },
    { ...value, chunkChars: 4, hold: { until: new Promise(() => {}), atChunk: 2 } },
    { error: { status: 404, message: 'The model is gone.', code: 'model_not_found' } },
    value,
  ];
  await onStage({ client: env.client, address: env.address, config }, async stage => {
    const doomed = await stage.worker();
    const change = () => script.shift() ?? { text: 'More is asked than was written.' };
    const settings = { mode: 'react', answer: SCHEMA, continueAsNew: 'every-safe-point' } as const;
    const run = await stage.start('Count.', { calls: [], change }, settings);
    await until('the answer is asked for again', () => run.requests().length === 2);
    await doomed.kill();
    await stage.worker();
    expect(await run.result()).toMatchObject({
      ...{ outcome: 'answered', cause: 'direct_answer', text: '{"count": 3}', value: { count: 3 } },
    });
    const sent = run.requests().map(({ body, nth }) => [body.model, nth]);
    expect(sent).toEqual([
      ['gpt-5-mini', 1],
      ['gpt-5-mini', 1],
      ['gpt-5-mini', 2],
      ['spare', 3],
    ]);
    expect(run.requests().at(-1)?.sent).toMatchObject({
      tool_choice: 'none',
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: SCHEMA } },
    });
    expect(await eventsOf(run.handle, 'reask')).toHaveLength(1);
  });
});
