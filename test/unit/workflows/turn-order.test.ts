import { afterEach, expect, test, vi } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import type { Message } from '../../../src/run/messages/message.js';
import { receive } from '../../../src/workflows/inbox/inbox-handlers.js';
import { Run } from '../../../src/workflows/run/run.js';
import { modelFacts } from '../../support/core-values.js';
import { runTeam } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Everything that a run writes, journal and conversation, in the order in which it does. */
function watched(onFirstTool: (run: Run) => void): string[] {
  const written: string[] = [];
  let toolCalls = 0;
  const { append, journal } = Run.prototype;
  vi.spyOn(Run.prototype, 'append').mockImplementation(function (this: Run, thread, message) {
    written.push(inShort(message));
    return append.call(this, thread, message) as never;
  });
  vi.spyOn(Run.prototype, 'journal').mockImplementation(function (this: Run, type, payload) {
    const { model, toModel, ending, state } = payload as Record<string, unknown>;
    written.push([type, model ?? toModel ?? ending ?? state].filter(Boolean).join(' '));
    journal.call(this, type, payload);
    if (type !== 'tool_call_started') return;
    toolCalls += 1;
    if (toolCalls === 1) onFirstTool(this);
  });
  return written;
}

function inShort(message: Message): string {
  if (message.kind === 'user') return `+ user ${message.purpose}`;
  return message.kind === 'tool_result' ? `+ result ${message.content[0].ending}` : `+ ${message.kind}`;
}

test('a turn: two calls, a message while the first runs, a row of the resolver for the next → always this order (H4, M4, S1)', async () => {
  const written = watched(run => receive(run, { text: 'Only a.md.' }, 'steer'));
  const { ran, asked } = await runTeam(
    [{ text: 'I look.', calls: ['read', 'put'] }, { text: 'It says 42.' }],
    {
      settings: { mode: 'react', autoApprove: true },
      pinned: {
        roles: { react: testRole('react', { output: 'text' }) },
        limits: DEFAULT_LIMITS,
        modelInfo: { 'p/a': modelFacts(100_000, true), 'p/b': modelFacts(100_000, true) },
        resolver: [{ when: { roundFrom: 2 }, use: ['p/b'] }],
      },
    },
  );
  expect(asked).toEqual(['react', 'react']);
  expect(ran).toHaveLength(1);
  expect(written).toEqual([
    'run_loaded',
    '+ user goal',
    'phase_started',
    // What the role is and is to do, once.
    '+ user role',
    '+ user instruction',
    // The model is chosen, the request fixed and sent, and the reply is kept before anything is done about it.
    'model_call_started p/a',
    '+ assistant',
    'model_call_ended p/a',
    // Its calls, each to its one result; between them is looked whether a person has said something.
    'tool_call_started',
    'receipt accepted',
    '+ result executed',
    'tool_call_ended executed',
    '+ result skipped',
    'tool_call_ended skipped',
    // What was said is read before the next call, whose model is chosen anew.
    'steering',
    '+ user steer',
    'receipt applied',
    'provider_switch p/b',
    'model_call_started p/b',
    '+ assistant',
    'model_call_ended p/b',
    'output_read',
    'goal_ended',
  ]);
});
