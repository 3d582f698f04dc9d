import { describe, expect, test } from 'vitest';
import { statusMarkdown } from '../../../src/rules/steering/status.js';
import type { PinnedRole } from '../../../src/run/agents/role.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { textOf } from '../../../src/run/messages/message.js';
import { runTeam, type TeamReply } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';

interface Given {
  auditor?: Partial<PinnedRole>;
  editor?: Partial<PinnedRole>;
  execution?: number;
  steps?: string[];
}

async function runReview(replies: readonly TeamReply[], given: Given = {}) {
  const { auditor, editor, execution = 5, steps = ['auditor', 'editor'] } = given;
  const ran = await runTeam(replies, {
    settings: { mode: 'review' },
    pinned: {
      modes: { review: { does: null, steps } },
      limits: { ...DEFAULT_LIMITS, execution },
      roles: {
        auditor: testRole('auditor', { output: 'text', ...auditor }),
        editor: testRole('editor', { output: 'text', ...editor }),
      },
    },
  });
  const { state } = ran.run;
  const said = (thread: string) => (state.threads[thread]?.messages ?? []).map(textOf).join('\n');
  const positions = state.log.journal.events.filter(({ type }) => type === 'phase_started');
  return { ...ran, state, said, positions };
}

const READ: TeamReply = { calls: ['read'] };
const FAULTS: TeamReply = { text: 'Two faults.' };
const MENDED: TeamReply = { text: 'Mended.' };

describe('a declared mode', () => {
  test('steps: each role in turn, with tools → the last one answers; nobody verified (P6, L14)', async () => {
    const { end, asked, said, positions } = await runReview([READ, FAULTS, MENDED]);
    expect(asked).toEqual(['auditor', 'auditor', 'editor']);
    expect(end).toMatchObject({ outcome: 'answered', cause: 'direct_answer', answer: 'Mended.' });
    expect(positions).toMatchObject([{ phase: 'answering' }, { phase: 'answering' }]);
    expect(said('main')).toContain('Step 1 of 2 is yours');
    expect(said('main')).toContain('Your answer goes to `editor`');
    expect(said('main')).toContain('Step 2 of 2 is yours');
    // In one conversation the answer stands above: it is not said again.
    expect(said('main').split('Two faults.')).toHaveLength(2);
  });

  test.each<[string, Given, string]>([
    ['the first', { auditor: { memory: 'private' } }, 'main'],
    ['the next', { editor: { memory: 'private' } }, 'editor'],
  ])(
    'steps: %s has a conversation of its own → the answer is given to the next (P6)',
    async (_, given, thread) => {
      const { said, asked } = await runReview([FAULTS, MENDED], given);
      expect(asked).toEqual(['auditor', 'editor']);
      expect(said(thread)).toContain(
        'The step before, by `auditor`, has answered:\n<answer>\nTwo faults.\n</answer>',
      );
    },
  );

  test('steps: a role has two turns → both are its own, with their own rounds (P6)', async () => {
    const steps = ['auditor', 'editor', 'auditor'];
    const replies = [READ, FAULTS, MENDED, READ, { text: 'It is right now.' }];
    const { asked, end } = await runReview(replies, { steps, execution: 2 });
    expect(asked).toEqual(['auditor', 'auditor', 'editor', 'auditor', 'auditor']);
    expect(end).toMatchObject({ cause: 'direct_answer', answer: 'It is right now.' });
  });

  test('steps: the rounds of a step are used up → the last role answers without tools, execution_cap (L11, L12)', async () => {
    const { asked, end, state } = await runReview(
      [READ, { calls: ['put'] }, READ, { text: 'One fault so far.' }],
      {
        auditor: { maxRounds: 2 },
      },
    );
    expect(asked).toEqual(['auditor', 'auditor', 'auditor', 'editor']);
    expect(state.models.calls.map(call => call.toolsOffered)).toEqual([true, true, true, false]);
    expect(end).toMatchObject({ cause: 'execution_cap', answer: 'One fault so far.' });
  });

  test.each<[string, Given, string]>([
    ['the first', { auditor: { memory: 'private', maxRounds: 1 } }, 'auditor'],
    ['the last', { auditor: { maxRounds: 1 }, editor: { memory: 'private' } }, 'auditor'],
    ['neither', { auditor: { maxRounds: 1 } }, 'editor'],
  ])(
    'steps: the rounds of the first are used up, and %s has a conversation of its own → who answers has what was found (L11)',
    async (_, given, by) => {
      const { asked, requests, end } = await runReview([READ, READ, { text: 'One fault so far.' }], given);
      expect(asked).toEqual(['auditor', 'auditor', by]);
      expect(requests.at(-1)?.messages.some(({ kind }) => kind === 'tool_result')).toBe(true);
      expect(end).toMatchObject({ cause: 'execution_cap', answer: 'One fault so far.' });
    },
  );

  test('steps: something is said during the first → its role reads it, and the work goes on (S2, PR3)', async () => {
    const { said, end, asked } = await runReview([{ ...READ, said: 'Only chapter 2.' }, FAULTS, MENDED]);
    expect(said('main')).toContain('Only chapter 2.');
    expect(asked).toEqual(['auditor', 'auditor', 'editor']);
    expect(end.answer).toBe('Mended.');
  });

  test('steps: at the second of them → the details say which (V1)', async () => {
    const { state } = await runReview([FAULTS, MENDED]);
    state.idleSince = null;
    expect(statusMarkdown(state)).toContain('**Phase: answering** · goal 1 · step 2 of 2, editor · round 1');
  });
});
