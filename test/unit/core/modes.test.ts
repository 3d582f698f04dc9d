import { expect, test } from 'vitest';
import type { Mode } from '../../../src/core/modes.js';
import {
  DEFAULT_MODE,
  firstPlace,
  hasPlan,
  MODES,
  modeFor,
  nextPlan,
  ONE_ROLE_MODES,
  READERS,
  readersOf,
  requiredRoles,
  roleAt,
} from '../../../src/core/modes.js';

const TEAM = { mode: 'team', role: null } as const;

test('modes: team → its roles with their contracts, and those that read messages (PR3)', () => {
  expect(DEFAULT_MODE).toBe('team');
  expect(Object.fromEntries(requiredRoles(TEAM))).toEqual({
    planner: 'plan',
    executor: 'execution',
    verifier: 'verdict',
    summary: 'text',
  });
  expect(readersOf(TEAM)).toEqual(['planner', 'executor', 'verifier']);
  expect(hasPlan('team')).toBe(true);
});

test.each(ONE_ROLE_MODES)(
  'modes: %s → one role for all of it, its own or the one that is named, and no plan',
  mode => {
    expect(Object.fromEntries(requiredRoles({ mode, role: null }))).toEqual({ [mode]: 'text' });
    expect(Object.fromEntries(requiredRoles({ mode, role: 'search' }))).toEqual({ search: 'text' });
    expect(readersOf({ mode, role: 'search' })).toEqual(['search']);
    expect(hasPlan(mode)).toBe(false);
  },
);

test('modes: a role is named where there are several → the mode keeps its own', () => {
  expect(readersOf({ mode: 'team', role: 'search' })).toEqual(readersOf(TEAM));
  expect([modeFor(undefined), modeFor('search')]).toEqual(['team', 'react']);
});

test.each(MODES)('modes: %s → begins and plans at places of its own, each with a role of its own', mode => {
  const way = { mode, role: null };
  const places = [firstPlace(mode), ...(hasPlan(mode) ? [replanned(mode)] : [])];
  for (const place of places) expect(requiredRoles(way).has(roleAt(way, place.phase))).toBe(true);
  expect(requiredRoles(way).has(roleAt(way, 'wrap_up'))).toBe(true);
  expect(readersOf(way)).toContain(roleAt(way, firstPlace(mode).phase));
  expect(READERS).toEqual(expect.arrayContaining(readersOf(way)));
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
