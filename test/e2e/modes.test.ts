import { expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import { followUpSignal, type RunResult } from '../../src/workflows/run/definitions.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { accepted, answer, latch, planned, reported, settingsYaml } from '../support/steering.js';

const reviewer = (name: string, memory: string) =>
  `---\ndescription: ${name}.\noutput: text\nmemory: ${memory}\n---\nYou are the ${name}.\n{{businessContext}}\n`;
const REVIEW = {
  'steersman.yaml': settingsYaml('steering: note', 'modes:', '  review: { steps: [auditor, editor] }'),
  'prompts/core/auditor.md': reviewer('auditor', 'shared'),
  'prompts/core/editor.md': reviewer('editor', 'private'),
};

const rig = rigOfFile({ config: REVIEW });

test('steps: a mode that the file declares, handed over at every safe point → its roles in turn, each told what the one before said (P6)', async () => {
  const script = rig.play([{ text: 'Two faults.' }, { text: 'Mended.' }]);
  const { result } = await rig.run('Review notes.md.', { mode: 'review', continueAsNew: 'every-safe-point' });
  expect(result).toMatchObject({ mode: 'review', cause: 'direct_answer', text: 'Mended.' });
  expect(result.usageBy.map(({ role }) => role)).toEqual(['auditor', 'editor']);
  expect(JSON.stringify(script.requests[1]?.body.messages)).toContain('Two faults.');
});

test('steps: a mode that nobody declared → the run ends before it starts, and says which there are (P6)', async () => {
  const handle = await rig.start('Review notes.md.', { mode: 'reveiw' });
  const failure: unknown = await handle.result().catch((error: unknown) => error);
  expect(String((failure as { cause?: Error }).cause?.message)).toContain('There is no mode "reveiw"');
});

const GAVE_UP = { summary: 'Nothing came of it.', taskCompleted: false, shouldContinue: false };

test('plan: edited by a person at its gate, and one step fails → the other is done, and a summary tells of both (L15, L16, L17)', async () => {
  const summary = 'It says 42; more did not come about.';
  const script = rig.play([
    planned,
    { text: JSON.stringify(GAVE_UP) },
    reported('It says 42.'),
    { text: summary },
  ]);
  const handle = await rig.start('Do it.', { mode: 'plan', attended: true });
  const tasks = [
    { id: 'task-1', description: 'Look for more' },
    { id: 'own', description: 'Read it' },
  ];
  await answer(handle, 'plan', { decision: 'edit', tasks });
  const result = (await handle.result()) as RunResult;
  expect(result).toMatchObject({ outcome: 'unverified', cause: 'carried_out_partly' });
  expect(result.text).toContain(summary);
  expect(result.tasks.map(({ id, status }) => [id, status])).toEqual([
    ['task-1', 'failed'],
    ['own', 'completed'],
  ]);
  expect(JSON.stringify(script.requests.at(-1)?.body.messages)).toContain('Nothing came of it.');
});

test('plan: a step fails, and its person says that the others go on → they do, and a summary tells of both (L16)', async () => {
  rig.play([
    { text: plan({ todos: ['Look for more', 'Read it'] }) },
    { text: JSON.stringify(GAVE_UP) },
    reported('It says 42.'),
    { text: 'It says 42.' },
  ]);
  const settings = { mode: 'plan', attended: true, approvePlan: false, onStepFailure: 'ask' } as const;
  const handle = await rig.start('Do it.', settings);
  await answer(handle, 'step', { decision: 'skip' });
  expect(await handle.result()).toMatchObject({ cause: 'carried_out_partly' });
});

test('auto: two goals → a mode is chosen for each, and both are pursued so (L18)', async () => {
  const hold = latch();
  const choice = (mode: string) => ({ text: JSON.stringify({ mode, reason: 'It is small.' }) });
  const script = rig.play([
    choice('react'),
    { text: 'It says 42.', hold },
    choice('plan'),
    planned,
    reported('It says 42.'),
    { text: 'Done.' },
  ]);
  const handle = await rig.start('What does it say?', { mode: 'auto' });
  await script.arrived(1);
  await handle.signal(followUpSignal, { id: 'f1', text: 'Do it.' });
  await accepted(handle, 'f1');
  hold.open();
  const { goals } = (await handle.result()) as RunResult;
  expect(goals.map(({ outcome }) => outcome)).toEqual(['answered', 'answered']);
  expect((await eventsOf(handle, 'mode_chosen')).map(({ mode }) => mode)).toEqual(['react', 'plan']);
});
