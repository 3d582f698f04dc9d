import { expect, test } from 'vitest';
import { followUpSignal, type RunResult, stateQuery } from '../../src/workflows/run/definitions.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const SCHEMA = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 1 } },
  required: ['count'],
};

const rig = rigOfFile({ config: { 'steersman.yaml': settingsYaml('steering: note') } });

test('two goals, handed over at every safe point, at an endpoint that takes no schema → each has its value, and one re-ask of its own (TA1, TA3, TA6)', async () => {
  const refused = { status: 400, message: 'response_format json_schema is not supported by this model.' };
  const texts = ['It is 0.', '{"count": 0}', '{"count": 2}', 'There are 4.', '{"count": 4}'];
  const script = rig.play(({ sent }) =>
    JSON.stringify(sent).includes('"json_schema"')
      ? { error: refused }
      : { text: texts.shift() ?? 'No more.' },
  );
  const handle = await rig.start('Count.', {
    ...{ mode: 'react', answer: SCHEMA, keepOpenSeconds: 60, continueAsNew: 'every-safe-point' },
  });
  const goals = async (count: number) =>
    until(`${count} goals have ended`, async () => {
      const view = await handle.query(stateQuery);
      return view.goals.length === count && view;
    });
  const first = await goals(1);
  expect(first).not.toHaveProperty('value');
  expect(first.goals[0]).toMatchObject({ outcome: 'unverified', cause: 'answer_not_typed' });
  expect(first.goals[0]?.answer).toContain('count: must be >= 1, got number 0');
  await handle.signal(followUpSignal, { text: 'Count again.' });
  expect(await goals(2)).toMatchObject({ value: { count: 2 } });
  await handle.signal(followUpSignal, { text: 'And once more.' });
  expect(await goals(3)).toMatchObject({ value: { count: 4 } });
  await handle.signal('finish');
  const result = (await handle.result()) as RunResult;
  expect(result).toMatchObject({ outcome: 'answered', text: '{"count": 4}', value: { count: 4 } });
  expect(await eventsOf(handle, 'reask')).toHaveLength(2);
  expect(script.requests.filter(({ sent }) => JSON.stringify(sent).includes('"json_schema"'))).toHaveLength(
    1,
  );
});

test('a typed answer that does not fit, then one that does → its value, after one re-ask (TA1)', async () => {
  const texts = ['{"count": 0}', '{"count": 3}'];
  rig.play(() => ({ text: texts.shift() ?? 'No more.' }));
  const handle = await rig.start('Count.', { mode: 'react', answer: SCHEMA });
  expect(await handle.result()).toMatchObject({ outcome: 'answered', value: { count: 3 } });
  expect(await eventsOf(handle, 'reask')).toHaveLength(1);
});
