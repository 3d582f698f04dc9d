/** When the page of a run stays at its end, and which gates it says are out of sight. */
import { expect, test } from 'vitest';
import { outOfSight, type Place, stillFollows } from '../../../../packages/console/page/parts/following.js';

const at = (top: number, height = 2_000, view = 800): Place => ({ top, height, view });

test.each<[string, boolean, Place, Place, boolean]>([
  ['it scrolled to its end, and 900 pixels came before the event', true, at(1_200), at(1_200, 2_900), true],
  ['more came, and nobody scrolled', true, at(1_200, 2_900), at(1_200, 9_000), true],
  ['a person goes up by a line', true, at(1_200, 2_900), at(1_160, 2_900), false],
  ['a person goes up within reach of the end', true, at(1_200), at(1_160), true],
  ['a person goes up while more comes', true, at(1_200), at(1_100, 2_600), false],
  ['a person goes down, not to the end', false, at(200), at(700), false],
  ['a person goes down to the end', false, at(200), at(1_180), true],
  ['it becomes shorter, and is moved up by that', true, at(1_200, 2_600), at(900, 2_300), true],
  ['it becomes shorter, and a person goes up further', true, at(1_800, 2_600), at(900, 2_500), false],
  ['the window becomes higher', true, at(1_200, 2_400), at(900, 2_400, 1_100), true],
  ['nothing moved', false, at(200), at(200), false],
])('FC5 stillFollows: %s → %#', (_what, follows, before, now, expected) => {
  expect(stillFollows(follows, before, now)).toBe(expected);
});

const seen = { from: 56, to: 700 };
const buttons = (top: number, height = 80) => ({ top, bottom: top + height });

test.each([
  ['none', [], null],
  ['all in sight', [buttons(100), buttons(500)], null],
  ['behind the composer', [buttons(690)], { count: 1, where: 'below', index: 0 }],
  ['half of them seen', [buttons(640)], null],
  ['above', [buttons(-900), buttons(300)], { count: 1, where: 'above', index: 0 }],
  ['two below', [buttons(300), buttons(900), buttons(1_900)], { count: 2, where: 'below', index: 1 }],
])('FC5 outOfSight: buttons of gates, %s → said', (_what, all, expected) => {
  expect(outOfSight(all, seen)).toEqual(expected);
});
