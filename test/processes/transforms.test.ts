/** Functions of a worker's program that change a conversation before each call, on a real server. */
import { expect, test } from 'vitest';
import type { AskedContext } from '../../src/activities/models/transform.js';
import { textOf } from '../../src/run/messages/message.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, transcriptOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';

const asked: AskedContext[] = [];
const SECRET = 'The combination is 4711.';

const rig = rigOfFile({
  config: {
    'steersman.yaml': settingsYaml(
      'steering: note',
      'context:',
      '  transforms: [thin, masks, breaks, compact]',
    ),
  },
  workspace: { 'a.txt': `${'a'.repeat(500)} ${SECRET}`, 'b.txt': 'Nothing.' },
  transforms: {
    masks: about => {
      asked.push(about);
      const { messages, context } = about;
      const results = messages.filter(message => JSON.stringify(message).includes(SECRET));
      const isNoted = messages.some(message => textOf(message) === `For ${context.tenant}.`);
      const prompts = messages.flatMap(message =>
        message.kind === 'user' && message.purpose !== 'context' ? [message.id] : [],
      );
      // A copy is its own: what it does to that is nothing to others.
      for (const message of messages) message.content.splice(0);
      return {
        replace: results.map(({ id }) => ({ id, text: 'It is a secret.' })),
        leaveOut: prompts,
        add: isNoted ? [] : [{ text: `For ${context.tenant}.` }],
      };
    },
    breaks: () => {
      throw new Error('no such luck');
    },
  },
});

const read = (path: string) => ({ toolCalls: [{ name: 'read_text_file', arguments: { path } }] });

test('a function by name (X1, X8) → the model has what it left; prompt and goal stay; one that fails is one warning; history has no conversation twice', async () => {
  const script = rig.play([read('a.txt'), read('b.txt'), { text: 'Both were read.' }]);
  const { handle, result } = await rig.run('Read both.', { mode: 'react', context: { tenant: 'acme' } });
  expect(result).toMatchObject({ text: 'Both were read.' });
  expect(asked.map(({ role, goal, runId }) => [role, goal, runId])).toEqual(
    asked.map(() => ['react', 1, handle.workflowId]),
  );
  expect(asked).toHaveLength(3);
  const sent = script.requests.map(request => JSON.stringify(request.body.messages));
  for (const request of sent) {
    expect(request).toContain('Read both.');
    expect(request.split('For acme.')).toHaveLength(2);
    expect(request).not.toContain(SECRET);
  }
  expect(sent[1]).toContain('It is a secret.');
  expect(sent[2]).toContain('It is a secret.');

  const changes = await eventsOf(handle, 'thread_transformed');
  expect(changes.map(({ transform, replaced, added }) => [transform, replaced, added])).toEqual([
    ['masks', 0, 1],
    ['masks', 1, 0],
    ...changes.slice(2).map(() => ['masks', 0, 0]),
  ]);
  const warnings = await eventsOf(handle, 'warning');
  expect(warnings.filter(({ text }) => text.includes('breaks'))).toMatchObject([
    { text: 'The transform breaks changed nothing: no such luck' },
  ]);
  expect(JSON.stringify(await transcriptOf(handle))).not.toContain(SECRET);
  const { events = [] } = await handle.fetchHistory();
  const inputs = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled?.activityType?.name === 'steersmanTransform'
      ? [scheduled.input?.payloads?.[0]?.data?.length ?? 0]
      : [],
  );
  expect(inputs).toHaveLength(6);
  for (const bytes of inputs) expect(bytes).toBeLessThan(500);
});
