import { expect, test } from 'vitest';
import { afterFailedStep } from '../../../../src/rules/plan/step-failure.js';
import { STEP_FAILURE_POLICIES } from '../../../../src/run/plan/plan.js';
import { MODES } from '../../../../src/run/position/modes.js';

const GIVEN = { mode: 'plan', policy: 'skip', canReplan: true, hasOrchestrator: false } as const;

test.each([
  [{}, 'skip'],
  [{ policy: 'abort' }, 'abort'],
  [{ policy: 'replan' }, 'replan'],
  [{ policy: 'replan', canReplan: false }, 'skip'],
  [{ policy: 'ask' }, 'ask'],
  [{ policy: 'ask', canReplan: false }, 'ask'],
  [{ hasOrchestrator: true }, 'orchestrate'],
  [{ hasOrchestrator: true, policy: 'abort' }, 'abort'],
] as const)('a failed task in the mode plan: %j → %s (L16)', (given, expected) => {
  expect(afterFailedStep({ ...GIVEN, ...given })).toBe(expected);
});

test('a failed task in another mode: whatever the policy → the orchestrator, where there is one, or the others go on', () => {
  for (const mode of MODES.filter(name => name !== 'plan')) {
    for (const policy of STEP_FAILURE_POLICIES) {
      expect(afterFailedStep({ ...GIVEN, mode, policy })).toBe('skip');
      expect(afterFailedStep({ ...GIVEN, mode, policy, hasOrchestrator: true })).toBe('orchestrate');
    }
  }
});
