/** Notes of the application: by the update, and by hooks. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { RunHooks } from '../../../src/activities/run-hooks.js';
import { createTell } from '../../../src/activities/tell.js';
import type { MomentEnd, MomentInput } from '../../../src/activities/types.js';
import { functionHooks, hearsHooks } from '../../../src/features/hooks/activity.js';
import { notes } from '../../../src/features/notes/feature.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import type { Note } from '../../../src/run/state/note.js';
import { runTeam } from '../../support/scripted-team.js';
import { runAtCalls, testRole } from '../../support/small-run.js';

const [noteUpdate] = notes.updates ?? [];

function toldBy(input: unknown) {
  const { run } = runAtCalls([]);
  const read = noteUpdate?.read(run)(input) ?? { error: 'there is no such update' };
  if ('error' in read) return read;
  const seq = noteUpdate?.act(run, read.ok);
  return { seq, events: run.state.log.journal.events, threads: run.state.threads };
}

test.each([
  ['CONTEXT_NOTE', 'context_note'],
  ['SYSTEM_EVENT', 'system_event'],
  ['TOOL_LOG', 'tool_log'],
])('a note %s → the event %s, in no conversation (G17)', (type, event) => {
  const told = toldBy({ type, text: ' Moved to the standard queue. ' });
  if ('error' in told) throw new Error(told.error);
  const last = told.events.at(-1);
  expect(last).toMatchObject({ type: event, text: 'Moved to the standard queue.' });
  expect(told.seq).toEqual({ seq: last?.seq });
  expect(JSON.stringify(told.threads)).not.toContain('standard queue');
});

test.each([
  null,
  {},
  { type: 'USER', text: 'x' },
  { type: 'TOOL_LOG', text: ' ' },
  { type: 'toString', text: 'x' },
  { type: 'TOOL_LOG', text: 'x'.repeat(2_001) },
])('what is no note: %j → refused with its form (G17)', input => {
  expect(toldBy(input)).toEqual({ error: expect.stringContaining('CONTEXT_NOTE, SYSTEM_EVENT, TOOL_LOG') });
});

test.each<[string, (run: ReturnType<typeof runAtCalls>['run']) => void]>([
  ['has ended', run => (run.state.end = { outcome: 'answered' } as never)],
  ['is about to end', run => (run.memory.isResting = true)],
])('a note for a run that %s → refused (G17)', (_, prepare) => {
  const { run } = runAtCalls([]);
  prepare(run);
  const read = noteUpdate?.read(run)({ type: 'TOOL_LOG', text: 'x' });
  expect(read).toEqual({ error: expect.stringContaining('ended') });
});

const TURN: MomentInput = {
  ...{ at: 'turn', key: 'run-1-turn-1', goal: 1, context: {} },
  ...{ turn: 1, role: 'react', model: 'acme/large', usage: NO_USAGE, messageId: 'm1' },
};

function hear(hooks: RunHooks): Promise<MomentEnd> {
  const deps = {
    hooks: [functionHooks(hooks)],
    readMessages: async () => [],
    redact: <T>(value: T) => value,
  };
  const activity = (input: MomentInput) => createTell([hearsHooks(deps)])(input);
  return new MockActivityEnvironment().run(activity, TURN) as Promise<MomentEnd>;
}

test('a hook notes → told with its end, 20 at most; what is no note is its fault (G17)', async () => {
  const note: Note = { type: 'SYSTEM_EVENT', text: 'Charged 3.' };
  const end = await hear({
    onTurnEnd: ({ note: add }) => Array.from({ length: 30 }, () => add(note)).length > 0,
  });
  expect([end.goOn, end.notes]).toEqual([true, Array.from({ length: 20 }, () => note)]);
  const wrong = { type: 'USER', text: 'x' } as unknown as Note;
  await expect(
    hear({
      onTurnEnd: ({ note: add }) => {
        add(wrong);
        return true;
      },
    }),
  ).rejects.toThrow('A note is');
});

test('notes of a hook → events of the run, in order, and no request has them (G17)', async () => {
  const hook = async () => ({
    ok: true as const,
    value: { goOn: true, notes: [{ type: 'TOOL_LOG' as const, text: 'Wrote the ledger.' }] },
  });
  const { run, requests } = await runTeam([{ calls: ['read'] }, { text: 'Done.' }], {
    settings: { mode: 'react' },
    pinned: { roles: { react: testRole('react', { output: 'text' }) }, hooks: ['onTurnEnd'] },
    hook,
  });
  const told = run.state.log.journal.events.filter(({ type }) => type === 'tool_log');
  expect(told).toMatchObject([{ text: 'Wrote the ledger.' }, { text: 'Wrote the ledger.' }]);
  expect(JSON.stringify(requests)).not.toContain('ledger');
});
