import { describe, expect, it } from 'vitest';
import { planningQuestion } from '../../../../src/rules/plan/decide.js';

const BOTH = [true, false];

describe('planningQuestion', () => {
  it('C34 planningQuestion: every combination → asks once, after two rounds that want more and bring no task', () => {
    for (const needsMorePlanning of BOTH)
      for (const readable of BOTH)
        for (const round of [1, 2, 3])
          for (const taskCount of [0, 1])
            for (const askedBefore of BOTH)
              for (const summary of [' Which folder? ', '']) {
                const output = readable
                  ? { summary, needsMorePlanning, tasks: [], dropped: [], checks: [], begin: [] }
                  : null;
                const question = planningQuestion({ output, round, taskCount, askedBefore });
                const asks = readable && needsMorePlanning && round >= 2 && taskCount === 0 && !askedBefore;
                expect(question !== null).toBe(asks);
                if (asks && summary !== '') expect(question).toBe('Which folder?');
                if (asks) expect(question).not.toBe('');
              }
  });
});
