import { describe, expect, test } from 'vitest';
import { planLines, type ShownTask } from '../../../packages/print/plan-lines.js';

const task = (id: string, description: string, status = 'pending'): ShownTask => ({
  id,
  description,
  status,
});
const TWO = [task('t1', 'Read'), task('t2', 'Write')];

describe('a plan', () => {
  test.each<[string, ShownTask[], ShownTask[], string[]]>([
    ['the first time → whole', [], TWO, ['plan · 2 tasks', '[ ] t1 · Read', '[ ] t2 · Write']],
    ['a task more → that one', TWO, [...TWO, task('t3', 'Look')], ['plan · 3 tasks', '+ [ ] t3 · Look']],
    [
      'another text, one gone → both',
      TWO,
      [task('t1', 'Read all', 'completed')],
      ['plan · 1 task', '~ [x] t1 · Read all', '- t2'],
    ],
    [
      'only done meanwhile → unchanged',
      TWO,
      [task('t1', 'Read', 'completed'), task('t2', 'Write')],
      ['plan · 2 tasks · unchanged'],
    ],
  ])('shown %s', (_name, before, tasks, lines) => {
    expect(planLines({ tasks, changed: true, cut: [] }, before)).toEqual(lines);
  });

  test('over the limit → says what was left out, each time', () => {
    const plan = { tasks: TWO, changed: true, cut: ['t9'] };
    expect(planLines(plan, TWO)).toEqual(['plan · 2 tasks · unchanged · over the limit, left out: t9']);
  });
});
