import { describe, expect, test } from 'vitest';
import { reopenTask } from '../../../../src/features/orchestrator/rules.js';
import {
  blockLacking,
  capabilitiesOf,
  isLacking,
  missing,
  resourcesOf,
} from '../../../../src/rules/agents/capabilities.js';
import type { Task } from '../../../../src/run/plan/plan.js';
import { addWorkflowTools } from '../../../../src/run/tools/workflow-tools.js';
import { pinnedRun, task } from '../../../support/core-values.js';
import { fileTool, testRole } from '../../../support/small-run.js';

const roles = {
  executor: testRole('executor', {
    tools: ['read_file', 'call_subagent'],
    agents: ['search'],
    capabilities: ['Pictures'],
  }),
  verifier: testRole('verifier', { output: 'verdict', capabilities: ['judging'] }),
};
const tools = addWorkflowTools([fileTool('read_file'), fileTool('write_file')], [roles.executor]).tools;

test('capabilities: roles that carry out tasks, their tools and servers, and agents are what a task may need (A10)', () => {
  const agents = ['search', 'crawl'].map(name => ({
    name,
    description: '',
    requires: [],
    capabilities: ['web'],
  }));
  expect(capabilitiesOf(pinnedRun({ roles, tools, agents }))).toEqual([
    'executor',
    'read_file',
    'call_subagent',
    'files',
    'Pictures',
    'search',
    'web',
  ]);
});

test.each([
  ['a tool is denied', { permissions: { auto: [], confirm: [], deny: ['read_file'] } }, ['read_file']],
  ['a server takes tools that nobody lists', { fallbackServer: 'default' }, []],
  ['neither', {}, []],
])('capabilities: %s → %j lacks %j', (_name, more, lacking) => {
  expect(missing(['read_file'], capabilitiesOf(pinnedRun({ roles, tools, ...more })))).toEqual(lacking);
});

test.each<[string[], string[] | null, string[]]>([
  [[], [], []],
  [['web'], null, []],
  [['web'], [], ['web']],
  [[' Web ', 'READ_FILE'], ['web', 'read_file'], []],
  [['web_fetch', 'web'], ['web'], ['web_fetch']],
])('capabilities: %j of %j → %j is missing', (wanted, has, lacking) => {
  expect(missing(wanted, has)).toEqual(lacking);
});

test.each<[string[], string[]]>([
  [['Pictures'], ['pictures']],
  [['read_file'], ['Files']],
  [
    ['write_file', 'pictures'],
    ['pictures', 'Files'],
  ],
  [['web'], []],
])('resources: a task that requires %j → holds %j (A8)', (requiredCapabilities, held) => {
  const resources = { pictures: 1, Files: 2, gpu: 1 };
  expect(resourcesOf(pinnedRun({ roles, tools, resources }), { requiredCapabilities })).toEqual(held);
});

describe('a task that needs what nothing has', () => {
  const needs = (id: string, status: Task['status'], ...requiredCapabilities: string[]) =>
    task(id, { status, requiredCapabilities });

  test('it has not begun → blocked in this cycle, with the names; all others stay (A10)', () => {
    const tasks = [
      needs('a', 'pending', 'web', 'read_file'),
      needs('b', 'executing', 'web'),
      needs('c', 'completed', 'web'),
      needs('d', 'pending', 'read_file'),
      needs('e', 'pending'),
    ];
    const { tasks: after, blocked } = blockLacking(tasks, { has: ['read_file'], cycle: 3 });
    expect(after.map(({ id, status, reason, cycle }) => [id, status, reason, cycle])).toEqual([
      ['a', 'blocked', 'not available: web', 3],
      ['b', 'executing', null, 1],
      ['c', 'completed', null, 1],
      ['d', 'pending', null, 1],
      ['e', 'pending', null, 1],
    ]);
    expect(blocked.map(({ id }) => id)).toEqual(['a']);
    expect(after.map(isLacking)).toEqual([true, false, false, false, false]);
  });

  test('many and long names → a short reason', () => {
    const { blocked } = blockLacking([needs('a', 'pending', ...Array(20).fill('x'.repeat(120)))], {
      has: [],
      cycle: 1,
    });
    expect(blocked[0]?.reason?.length).toBeLessThan(250);
    expect(blocked[0]?.reason).toContain('17 more');
  });

  test('another task is tried again → what waited for that is free, this is not', () => {
    const tasks = [
      task('a', { status: 'failed' }),
      task('b', { status: 'blocked', reason: 'dependency_failed', dependencies: ['a'] }),
      task('c', { status: 'blocked', reason: 'not available: web' }),
    ];
    const { tasks: after } = reopenTask(tasks, 'a', 'pending');
    expect(after.map(({ status }) => status)).toEqual(['pending', 'pending', 'blocked']);
  });
});
