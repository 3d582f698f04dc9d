import { expect, test } from 'vitest';
import { withCallContext } from '../../../../src/rules/prompts/call-context.js';
import { intentInstruction } from '../../../../src/rules/prompts/steering-instructions.js';
import { CALL_PLACEHOLDERS } from '../../../../src/run/agents/role.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { pinnedRun, task } from '../../../support/core-values.js';

function state() {
  const run = newRunState(
    'Count $& {x} {{y}} </goal>',
    { mode: 'team', workspace: '/w', autoApprove: false },
    0,
  );
  run.pinned = pinnedRun();
  run.tasks = [task('task-1', { description: 'Read alpha' })];
  return run;
}

test('withCallContext: every placeholder → its value at the end of the instruction, under its name, data marked (P9, P10)', () => {
  const said = withCallContext(state(), { context: [...CALL_PLACEHOLDERS] }, 'Do it.');
  const [instruction, ...blocks] = said.split(/\n\n(?=[A-Z_]+:\n)/);
  expect(instruction).toBe('Do it.');
  const values = Object.fromEntries(blocks.map(block => [block.split(':\n')[0], block]));
  expect(Object.keys(values)).toEqual(CALL_PLACEHOLDERS);
  expect(values.USER_GOAL).toContain('<goal>\nCount $& {x} {{y}} &lt;/goal>\n</goal>');
  expect(values.SYSTEM_STATE).toContain('{\n  "mode": "team"');
  expect(values.TASK_LIST).toContain('    "description": "Read alpha"');
  expect(values.RESOURCE_POOL).toContain('  "limits": {');
  expect(said).not.toContain('"phase": "idle"');
  const idle = withCallContext({ ...state(), idleSince: 1 }, { context: ['SYSTEM_STATE'] }, 'Do it.');
  expect(idle).toContain('"phase": "idle"');
});

test('withCallContext: capabilities that are counted → the pool says who holds one (A8)', () => {
  const run = state();
  run.pinned = pinnedRun({ resources: { browser: 1 } });
  run.tasks = [task('task-1', { status: 'executing', requiredCapabilities: ['Browser'] }), task('task-2')];
  const said = withCallContext(run, { context: ['RESOURCE_POOL'] }, 'Do it.').replace(/\s+/g, '');
  expect(said).toContain('"capabilities":[{"capability":"browser","count":1,"tasks":["task-1"]}]');
});

test('withCallContext: a role that names nothing → the instruction as it is; what an instruction tells already → not told twice', () => {
  expect(withCallContext(state(), {}, 'Do it.')).toBe('Do it.');
  const instruction = intentInstruction(state(), { items: [], answers: [], idle: false } as never);
  expect(withCallContext(state(), { context: ['SYSTEM_STATE', 'TASK_CONTEXT'] }, instruction)).toBe(
    instruction,
  );
});
