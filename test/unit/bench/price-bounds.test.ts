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
  ['40 turns, hardly less', 'long', 40, { sent: 0.81, price: 1.05 }, []],
  ['40 turns, as much as the loop', 'long', 40, { sent: 1, price: 1 }, [/sends more than 0\.9/]],
  ['a small model, 40 turns', 'long at 16K', 40, { sent: 0.5, price: 1 }, [/sends more than 0\.4/]],
  ['a short task', 'quarter', 300, { sent: 1.5, price: 1.5 }, []],
])(
  'the price beside a plain loop: %s → fails above its bound alone (Q5)',
  (_what, task, turns, ofLoop, says) => {
    expect(loopFaults(task, turns, ofLoop)).toEqual(says.map(pattern => expect.stringMatching(pattern)));
  },
);
