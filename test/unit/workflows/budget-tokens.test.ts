/** What a goal counts of cached input, against its own limit and between a run and its sub-agents. */
import { expect, test } from 'vitest';
import { reportOf } from '../../../src/rules/agents/subagent.js';
import { budgetTokens } from '../../../src/run/limits/budget-tokens.js';
import { DEFAULT_LIMITS, type Limits, NO_COUNTERS } from '../../../src/run/limits/limits.js';
import { NO_USAGE, type Usage } from '../../../src/run/messages/message.js';
import { budgetUse } from '../../../src/run/state/run-state.js';
import { addWorkflowTools } from '../../../src/run/tools/workflow-tools.js';
import { runTeam, type TeamReply } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';

const LARGE = { inputTokens: 260_505, cachedInputTokens: 260_000, outputTokens: 100 };
const FROM_CACHE = { ...LARGE, cacheDiscountTokens: 234_000 };

const REACT = testRole('react', { output: 'text', tools: ['*', 'call_subagent'], agents: ['search'] });

const read: TeamReply = { calls: ['read'], usage: FROM_CACHE };

function goOn(replies: TeamReply[], limits: Partial<Limits>, given: Parameters<typeof runTeam>[1] = {}) {
  const pinned = {
    roles: { react: REACT },
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...given.pinned,
  };
  return runTeam(replies, { ...given, settings: { mode: 'react' }, pinned });
}

test('three calls of a large conversation that its provider has in a cache → within the limit of tokens; uncached they are over it (LI10)', async () => {
  const cached = await goOn([read, read, { text: 'The pool is 50 m long.', usage: FROM_CACHE }], {
    tokens: 300_000,
  });
  expect(cached.end).toMatchObject({ outcome: 'answered' });
  expect(budgetUse(cached.run.state, 0).tokens).toBe(3 * 26_605);
  expect(cached.run.state.total.usage.inputTokens).toBe(3 * 260_505);
  const whole = { calls: ['read'], usage: LARGE };
  const uncached = await goOn([whole, whole, { text: 'What there is.', usage: LARGE }], { tokens: 300_000 });
  expect(uncached.end).toMatchObject({ cause: 'budget:tokens' });
});

test('a sub-agent with cached input → its lease is what the goal has left, and what it used counts the same for both (LI10, A1)', async () => {
  const usage: Usage = { ...NO_USAGE, ...FROM_CACHE };
  const leases: (number | undefined)[] = [];
  const { run } = await goOn(
    [
      { calls: ['call_subagent'], input: { agent_name: 'search', instruction: 'Look.' }, usage: FROM_CACHE },
      { calls: ['call_subagent'], input: { agent_name: 'search', instruction: 'Again.' }, usage: FROM_CACHE },
      { text: 'Found.', usage: FROM_CACHE },
    ],
    { tokens: 200_000 },
    {
      pinned: {
        agents: [{ name: 'search', description: '', requires: [] }],
        tools: addWorkflowTools([], [REACT]).tools,
      },
      callSubagent: async ({ settings }) => {
        leases.push(settings.limits?.tokens);
        const report = reportOf({
          outcome: 'answered',
          cause: 'direct_answer',
          text: 'Here.',
          usage,
          usageBy: [],
          counters: { ...NO_COUNTERS, turns: 1 },
        });
        return { kind: 'ended', report };
      },
    },
  );
  const each = budgetTokens(usage);
  expect(leases).toEqual([200_000 - each, 200_000 - 3 * each]);
  expect(budgetUse(run.state, 0).tokens).toBe(5 * each);
});
