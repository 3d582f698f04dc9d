/** Transforms before a model call: their order, what is asked once, and what follows where one fails. */
import { expect, test } from 'vitest';
import type { CallModelInput, TransformInput } from '../../../../src/activities/types.js';
import { FEATURES } from '../../../../src/compose.js';
import type { ContextChange } from '../../../../src/conversation/transform.js';
import type { ContextRules } from '../../../../src/run/limits/context-rules.js';
import { type AssistantMessage, NO_USAGE, textOf } from '../../../../src/run/messages/message.js';
import { executionAt } from '../../../../src/run/position/position.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import type { Called } from '../../../../src/workflows/run/ports.js';
import { modelRequestPage } from '../../../../src/workflows/run/requests.js';
import { Run } from '../../../../src/workflows/run/run.js';
import { callModel } from '../../../../src/workflows/turn/call-model.js';
import { modelFacts, pinnedRun } from '../../../support/core-values.js';
import { quietPorts, testRole } from '../../../support/small-run.js';

const wants = (change: ContextChange): Called<Required<ContextChange>> => {
  return { ok: true, value: { leaveOut: [], replace: [], add: [], ...change } };
};
const fails: Called<never> = { ok: false, failure: { kind: 'application', type: '', message: 'It broke.' } };

const reply = (run: Run, text: string): AssistantMessage => ({
  ...{ id: run.nextId('m'), at: 1, kind: 'assistant', role: 'executor', model: 'p/a', usage: NO_USAGE },
  ...{ stopReason: 'end_turn', action: 'executing' },
  content: [{ type: 'text', text }],
});

function transformedRun(
  lists: Partial<ContextRules>,
  answer: (input: TransformInput, run: Run) => Called<Required<ContextChange>>,
  contextTokens = 100_000,
) {
  const role = testRole('executor', { tools: [], prompt: 'Execute.' });
  const state = newRunState('Measure the pool.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  state.pinned = pinnedRun({
    ...{ context: { softTokens: 50_000, ...lists }, roles: { executor: role }, models: ['p/a'] },
    modelInfo: { 'p/a': modelFacts(contextTokens, true) },
  });
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  const asked: { transform: string; seen: string[] }[] = [];
  const sent: string[][] = [];
  const textsOf = (callId: string) => modelRequestPage(state, callId).messages.map(textOf);
  let failing = 0;
  const run: Run = new Run(
    state,
    {
      ...quietPorts([]),
      activity: async (_, given) => {
        const input = given as TransformInput;
        asked.push({ transform: input.transform, seen: textsOf(input.callId) });
        return answer(input, run);
      },
      callModel: async ({ callId }: CallModelInput) => {
        sent.push(textsOf(callId));
        if (failing-- > 0) return { ok: false, failure: { kind: 'lost', type: '', message: '' } };
        const content = [{ type: 'text' as const, text: `Reply ${sent.length}.` }];
        return { ok: true, value: { content, stopReason: 'end_turn', usage: NO_USAGE, durationMs: 1 } };
      },
    },
    FEATURES,
  );
  run.say(run.mainThread(), 'role', 'Execute.', { role: 'executor' });
  run.say(run.mainThread(), 'instruction', 'An old one.');
  run.append(run.mainThread(), reply(run, 'An old reply.'));
  run.say(run.mainThread(), 'goal', 'Measure the pool.');
  run.say(run.mainThread(), 'instruction', 'Do it.');
  const call = () => callModel(run, role, true);
  const loses = () => {
    failing = 1;
  };
  const told = (type: string) => state.log.journal.events.filter(event => event.type === type);
  return { run, asked, sent, call, loses, told };
}

const oldest = (run: Run) => run.mainThread().messages[1]?.id ?? '';

test('no function is named → none is asked, and nothing is noted of it (X1)', async () => {
  const { run, asked, sent, call } = transformedRun({}, () => fails);
  await call();
  expect([asked, sent.length, run.mainThread().seen]).toEqual([[], 1, undefined]);
});

test('functions in their order (X1) → each sees what those before it left, the model the last of it; a call that is made again asks none', async () => {
  const { run, asked, sent, call, loses, told } = transformedRun(
    { transforms: ['first', 'thin', 'second'] },
    ({ transform }, own) =>
      transform === 'first' ? wants({ leaveOut: [oldest(own)] }) : wants({ add: [{ text: 'A note.' }] }),
  );
  loses();
  expect(await call()).toEqual({ kind: 'again' });
  expect((await call()).kind).toBe('message');
  const whole = ['Execute.', 'An old one.', 'An old reply.', 'Measure the pool.', 'Do it.'];
  const left = ['Execute.', 'An old reply.', 'Measure the pool.', 'Do it.'];
  expect(asked).toEqual([
    { transform: 'first', seen: whole },
    { transform: 'second', seen: left },
  ]);
  expect(sent).toEqual([
    [...left, 'A note.'],
    [...left, 'A note.'],
  ]);
  expect(told('thread_transformed')).toMatchObject([
    { transform: 'first', leftOut: 1, added: 0 },
    { transform: 'second', leftOut: 0, added: 1 },
  ]);
  expect(run.mainThread()).toMatchObject({ epoch: 2, dropped: 1 });
  await call();
  expect(asked.map(({ transform }) => transform)).toEqual(['first', 'second', 'first', 'second']);
});

test('a list of the role → it counts in place of that of all', async () => {
  const lists = { transforms: ['own'], roleTransforms: { executor: ['trim'] } };
  const { asked, call } = transformedRun(lists, () => wants({}));
  await call();
  expect(asked).toEqual([]);
});

test.each<[string, Called<Required<ContextChange>>, RegExp]>([
  ['fails', fails, /transform own changed nothing: It broke\./],
  ['gives what is no change', { ok: true, value: { leaveOut: 7 } as never }, /`leaveOut` must be a list/],
])(
  'a function that %s (X8) → a warning, the conversation as it is, trimmed where it is too long',
  async (_how, end, warning) => {
    const { run, sent, call, told } = transformedRun({ transforms: ['own'] }, () => end, 4_000);
    for (let at = 1; at <= 20; at++)
      run.append(run.mainThread(), {
        ...{ id: run.nextId('m'), at, kind: 'assistant', role: 'executor', model: 'p/a', usage: NO_USAGE },
        ...{ stopReason: 'end_turn', action: 'executing' },
        content: [{ type: 'text', text: `Step ${at}. ${'word '.repeat(300)}` }],
      });
    await call();
    expect(told('warning')).toMatchObject([{ text: expect.stringMatching(warning) }]);
    expect(told('thread_trimmed')).toHaveLength(1);
    expect(sent[0]).toContain('Measure the pool.');
  },
);

test('something is said meanwhile → what was wanted is done, and the loop looks first; then the call is made without asking again', async () => {
  const { asked, sent, call } = transformedRun({ transforms: ['own'] }, (_input, own) => {
    own.journal('context_note', { text: 'Something came.' });
    return wants({ leaveOut: [oldest(own)] });
  });
  expect(await call()).toEqual({ kind: 'again' });
  expect(sent).toEqual([]);
  await call();
  expect([asked.length, sent[0]]).toEqual([1, ['Execute.', 'An old reply.', 'Measure the pool.', 'Do it.']]);
});
