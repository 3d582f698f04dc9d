import { expect, test } from 'vitest';
import { DEFAULT_TOOL_POLICY, endsWhenStopped, toolAttempts } from '../../../../src/run/tools/tool.js';

test.each<[string, boolean, boolean, number, number]>([
  ['neither read-only nor idempotent → once, whatever is configured', false, false, 3, 1],
  ['read-only → as configured', true, false, 3, 3],
  ['idempotent → as configured', false, true, 5, 5],
  ['both → as configured', true, true, 2, 2],
  ['read-only, none configured → once', true, false, 0, 1],
  ['read-only, a negative number → once', true, false, -1, 1],
])('toolAttempts: %s (E1)', (_, readOnly, idempotent, attempts, expected) => {
  expect(toolAttempts({ ...DEFAULT_TOOL_POLICY, readOnly, idempotent, attempts })).toBe(expected);
});

test('tool policy: nothing known of a tool → taken for one with effects, tried once (E1, C23)', () => {
  expect(DEFAULT_TOOL_POLICY).toMatchObject({ readOnly: false, idempotent: false, destructive: true });
  expect(toolAttempts(DEFAULT_TOOL_POLICY)).toBe(1);
});

test.each([
  { policy: {}, ends: false },
  { policy: { readOnly: true }, ends: true },
  { policy: { idempotent: true }, ends: true },
  { policy: { stoppable: true }, ends: true },
  { policy: { stoppable: false }, ends: false },
])('a stop: a tool with $policy → cut off: $ends (WK1)', ({ policy, ends }) => {
  expect(endsWhenStopped({ ...DEFAULT_TOOL_POLICY, ...policy })).toBe(ends);
});
