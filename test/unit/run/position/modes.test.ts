import { expect, test } from 'vitest';
import {
  choicesOf,
  DEFAULT_MODE,
  firstPosition,
  hasPlan,
  isModeName,
  lastRole,
  MODES,
  mayBeDeclared,
  modeFor,
  ONE_ROLE_MODES,
  READERS,
  readersOf,
  requiredRoles,
  roleAt,
} from '../../../../src/run/position/modes.js';
import { answeringAt, planningAt } from '../../../../src/run/position/position.js';

const TEAM = { mode: 'team', roles: null } as const;

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
    expect(Object.fromEntries(requiredRoles({ mode, roles: null }))).toEqual({ [mode]: 'text' });
    expect(Object.fromEntries(requiredRoles({ mode, roles: ['search'] }))).toEqual({ search: 'text' });
    expect(readersOf({ mode, roles: ['search'] })).toEqual(['search']);
    expect(hasPlan(mode)).toBe(false);
  },
);

test('modes: a role is named where there are several → the mode keeps its own', () => {
  expect(readersOf({ mode: 'team', roles: ['search'] })).toEqual(readersOf(TEAM));
  expect([modeFor(undefined), modeFor('search')]).toEqual(['team', 'react']);
});

test.each(MODES)(
  'modes: %s → begins and plans at positions of its own, each with a role of its own',
  mode => {
    const way = { mode, roles: null };
    const positions = [firstPosition(mode), ...(hasPlan(mode) ? [planningAt(2)] : [])];
    for (const position of positions) expect(requiredRoles(way).has(roleAt(way, position))).toBe(true);
    expect(requiredRoles(way).has(lastRole(way))).toBe(true);
    expect(readersOf(way)).toContain(roleAt(way, firstPosition(mode)));
    expect(READERS).toEqual(expect.arrayContaining(readersOf(way)));
  },
);

const REVIEW = { mode: 'review', roles: ['auditor', 'editor', 'auditor'] };

test('modes: a declared one → its roles in turn, the last of them answers where the work ends early (P6)', () => {
  expect(Object.fromEntries(requiredRoles(REVIEW))).toEqual({ auditor: 'text', editor: 'text' });
  expect([0, 1, 2].map(step => roleAt(REVIEW, answeringAt(step)))).toEqual(REVIEW.roles);
  expect(lastRole(REVIEW)).toBe('auditor');
  expect(readersOf(REVIEW)).toEqual(['auditor', 'editor']);
  expect(firstPosition('review')).toEqual(answeringAt(0));
  expect(hasPlan('review')).toBe(false);
  // Its roles are not loaded yet.
  expect(readersOf({ mode: 'review', roles: null })).toEqual([]);
});

test('modes: auto, with declared ones → those that say what they do are chosen among, and their roles are there (L18)', () => {
  const declared = {
    review: { does: 'checks a text', steps: ['auditor'] },
    quiet: { does: null, steps: ['editor'] },
  };
  expect(choicesOf(declared)).toEqual(['direct', 'react', 'lead', 'plan', 'team', 'review']);
  const roles = requiredRoles({ mode: 'auto', roles: null }, declared);
  expect([roles.get('auditor'), roles.has('editor'), roles.get('selector')]).toEqual([
    'text',
    false,
    'choice',
  ]);
});

test.each([
  ['review', true, true],
  ['two-steps_2', true, true],
  ['team', true, false],
  ['steps', true, true],
  ['Review', false, false],
  ['', false, false],
  [7, false, false],
])('modes: the name %j → one of a mode: %j, one to declare: %j', (name, isName, declarable) => {
  expect([isModeName(name), mayBeDeclared(String(name))]).toEqual([isName, declarable]);
});
