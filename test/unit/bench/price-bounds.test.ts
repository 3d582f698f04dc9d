import { expect, test } from 'vitest';
import { loopFaults } from '../../../bench/support/price-bounds.js';

test.each<[string, string, number, { sent: number; price: number }, RegExp[]]>([
  ['as measured', 'long', 300, { sent: 0.16, price: 0.23 }, []],
  ['300 turns, more than half sent', 'long', 300, { sent: 0.51, price: 0.23 }, [/sends more than 0\.5/]],
  [
    '300 turns, no cheaper where most is cached',
    'long',
    300,
    { sent: 0.5, price: 1 },
    [/costs more than 0\.9/],
  ],
  ['100 turns, both', 'long at 32K', 100, { sent: 0.6, price: 1.1 }, [/sends/, /costs/]],
  ['40 turns, hardly less', 'long', 40, { sent: 0.84, price: 0.98 }, []],
  ['40 turns, dearer than the loop', 'long', 40, { sent: 0.81, price: 1.05 }, [/costs more than 1 times/]],
  ['40 turns, as much as the loop', 'long', 40, { sent: 1, price: 1 }, [/sends more than 0\.9/]],
  ['a small model, 40 turns', 'long at 16K', 40, { sent: 0.5, price: 1 }, [/sends more than 0\.4/]],
  ['a short task', 'quarter', 300, { sent: 1.5, price: 1.5 }, []],
])(
  'the price beside a plain loop: %s → fails above its bound alone (Q5)',
  (_what, task, turns, ofLoop, says) => {
    const found = loopFaults({ task, side: 'react', turns }, ofLoop);
    expect(found).toEqual(says.map(pattern => expect.stringMatching(pattern)));
  },
);

test('the price of a team beside a plain loop: a sixth more is a fault, whatever it sends (Q5)', () => {
  const long = { task: 'long', side: 'team', turns: 40 };
  expect(loopFaults(long, { sent: 1.1, price: 1.15 })).toEqual([]);
  expect(loopFaults(long, { sent: 1.1, price: 1.16 })).toHaveLength(1);
  expect(loopFaults({ ...long, task: 'quarter' }, { sent: 3, price: 3 })).toEqual([]);
});
