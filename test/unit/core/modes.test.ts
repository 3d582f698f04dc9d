import { expect, test } from 'vitest';
import type { Mode } from '../../../src/core/modes.js';
import {
  DEFAULT_MODE,
  firstPlace,
  hasPlan,
  MODES,
  nextPlan,
  READERS,
  readersOf,
  requiredRoles,
  roleAt,
} from '../../../src/core/modes.js';

test('modes: team → its roles with their contracts, and those that read messages (PR3)', () => {
  expect(DEFAULT_MODE).toBe('team');
  expect(Object.fromEntries(requiredRoles('team'))).toEqual({
    planner: 'plan',
    executor: 'execution',
    verifier: 'verdict',
    summary: 'text',
  });
  expect(readersOf('team')).toEqual(['planner', 'executor', 'verifier']);
  expect(hasPlan('team')).toBe(true);
});

test('modes: direct → one role for all of it, and no plan', () => {
  expect(Object.fromEntries(requiredRoles('direct'))).toEqual({ direct: 'text' });
  expect(readersOf('direct')).toEqual(['direct']);
  expect(hasPlan('direct')).toBe(false);
});

test.each(MODES)('modes: %s → begins and plans at places of its own, each with a role of its own', mode => {
  const places = [firstPlace(mode), ...(hasPlan(mode) ? [replanned(mode)] : [])];
  for (const place of places) expect(requiredRoles(mode).has(roleAt(mode, place.phase))).toBe(true);
  expect(requiredRoles(mode).has(roleAt(mode, 'wrap_up'))).toBe(true);
  expect(readersOf(mode)).toContain(roleAt(mode, firstPlace(mode).phase));
  expect(READERS).toEqual(expect.arrayContaining(readersOf(mode)));
});

test('modes: a plan made anew → where the mode plans, with what is wanted of it', () => {
  expect(replanned('team')).toMatchObject({
    phase: 'planning',
    cycle: 2,
    improvements: { wanted: ['More.'] },
  });
});

function replanned(mode: Mode) {
  return nextPlan(mode, 2, { from: 'user', wanted: ['More.'], reading: null });
}
