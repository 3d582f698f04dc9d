import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesAny } from '../../../../src/base/text/glob.js';
import type { PinnedRole } from '../../../../src/run/agents/role.js';
import {
  offeredTools,
  type PinnedRun,
  type RunSettings,
  settingsOfNewTask,
} from '../../../../src/run/agents/run-config.js';
import { DEFAULT_TOOL_POLICY } from '../../../../src/run/tools/tool.js';
import { pinnedRun } from '../../../support/core-values.js';
import { propertyRuns } from '../../../support/property-runs.js';

/** The same by a regular expression. */
function matchesRegex(name: string, glob: string): boolean {
  const pattern = glob
    .split('*')
    .map(part => part.replace(/[^a-z]/gi, '\\$&'))
    .join('[\\s\\S]*');
  return new RegExp(`^${pattern}$`).test(name);
}

describe('matchesAny', () => {
  test.each<[string, string[], boolean]>([
    ['read_file', [], false],
    ['read_file', ['read_file'], true],
    ['read_file', ['read'], false],
    ['read', ['read_file'], false],
    ['read_file', ['*'], true],
    ['', ['*'], true],
    ['', [''], true],
    ['a', [''], false],
    ['read_file', ['read_*'], true],
    ['read_', ['read_*'], true],
    ['read_file', ['*_file'], true],
    ['read_file', ['*_files'], false],
    ['read_file', ['r*d*e'], true],
    ['read_file', ['r*x*e'], false],
    ['aba', ['ab*ba'], false],
    ['abba', ['ab*ba'], true],
    ['ab', ['*ab*ab*'], false],
    ['abab', ['*ab*ab*'], true],
    ['abc', ['a*bc*c'], false],
    ['abcc', ['a*bc*c'], true],
    ['read_file', ['**'], true],
    ['read.file', ['read_file'], false],
    ['readxfile', ['read.file'], false],
    ['a+b', ['a+b'], true],
    ['READ', ['read'], false],
    ['read_file', ['write_*', '*_dir', 'read_*'], true],
    ['read_file', ['write_*', '*_dir'], false],
    ['delete_b', ['delete_{a,b}'], true],
    ['delete_c', ['delete_{a,b}'], false],
    ['delete_a', ['{delete,drop}_{a,b}'], true],
    ['delete_ab', ['delete_{a,b*}'], false],
    ['delete_', ['delete_{a,}'], true],
    ['delete_{a', ['delete_{a'], true],
    ['delete_a', ['delete_?'], true],
    ['delete_', ['delete_?'], false],
    ['x'.repeat(64), [`${'x*'.repeat(40)}y`], false],
  ])('matchesAny: %j against %j → %s (L9)', (name, globs, expected) => {
    expect(matchesAny(name, globs)).toBe(expected);
  });

  test('matchesAny: any name and glob of few letters → as the regular expression says (L9)', () => {
    const letters = (unit: string[]) => fc.string({ unit: fc.constantFrom(...unit), maxLength: 10 });
    fc.assert(
      fc.property(letters(['a', 'b', '_']), letters(['a', 'b', '_', '*', '*']), (name, glob) => {
        expect(matchesAny(name, [glob])).toBe(matchesRegex(name, glob));
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('matchesAny: signs that mean something in regular expressions → mean themselves (L9)', () => {
    const signs = ['.', '+', '(', '[', '\\', '$', '^', '|', '\n', 'a', '*'];
    const texts = fc.string({ unit: fc.constantFrom(...signs), maxLength: 6 });
    fc.assert(
      fc.property(texts, texts, (name, glob) => {
        expect(matchesAny(name, [glob])).toBe(matchesRegex(name, glob));
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

const ROLE: PinnedRole = {
  name: 'executor',
  description: '',
  memory: 'shared',
  agents: [],
  requires: [],
  maxRounds: null,
  toolCallsPerTurn: null,
  tools: [],
  output: 'execution',
  dialect: 'component',
  models: [],
  temperature: null,
  topP: null,
  reasoning: null,
  toolSyntax: null,
  stop: [],
  maxOutputTokens: null,
  prefix: 'shared',
  prompt: '',
};

function pinnedWith(names: readonly string[]): PinnedRun {
  const tools = names.map(name => ({
    name,
    serverToolName: name,
    origin: { type: 'builtin' as const },
    description: '',
    inputSchema: {},
    validation: 'strict' as const,
    policy: DEFAULT_TOOL_POLICY,
  }));
  return pinnedRun({ tools });
}

test.each<[string, string[], string[]]>([
  ['no globs → none', [], []],
  ['everything → all, in the order of the run', ['*'], ['write_file', 'read_file', 'list']],
  ['globs in another order → still in the order of the run', ['list', 'write_*'], ['write_file', 'list']],
  ['a tool that two globs match → once', ['read_file', '*_file'], ['write_file', 'read_file']],
  ['a glob that nothing matches → none', ['delete_*'], []],
])('offeredTools: %s (L9)', (_, tools, expected) => {
  const pinned = pinnedWith(['write_file', 'read_file', 'list']);
  expect(offeredTools(pinned, { ...ROLE, tools }).map(({ name }) => name)).toEqual(expected);
});

test('offeredTools: two roles, one of which only reads → of each what it may have (L9, A4)', () => {
  const pinned = pinnedWith(['write_file', 'read_file', 'list', 'delete_file']);
  for (const tool of pinned.tools) tool.policy = { ...tool.policy, readOnly: /^(read|list)/.test(tool.name) };
  const reader = { tools: ['*'], readOnly: true };
  const namesFor = (...roles: { tools: string[] }[]) =>
    offeredTools(pinned, ...roles).map(({ name }) => name);
  expect(namesFor(reader)).toEqual(['read_file', 'list']);
  expect(namesFor(reader, { tools: ['write_*'] })).toEqual(['write_file', 'read_file', 'list']);
});

test('settingsOfNewTask: a run that a person attends with tools of their client → a run that nobody attends (TR11)', () => {
  const settings: RunSettings = {
    mode: 'team',
    workspace: '/w',
    autoApprove: true,
    attended: true,
    approvePlan: true,
    keepOpenSeconds: 600,
    context: { user: 'u' },
    clientTools: [{ name: 'ask_shop', description: '', inputSchema: {} }],
  };
  expect(settingsOfNewTask(settings)).toEqual({
    mode: 'team',
    workspace: '/w',
    autoApprove: true,
    attended: false,
    approvePlan: true,
    context: { user: 'u' },
  });
});

test.each<[string, Partial<RunSettings>, boolean]>([
  ['its plan is to be approved → attended, so that it waits for whoever approves', {}, true],
  ['--yes approves its plan → nobody is asked', { autoApprove: true }, false],
  ['the plan is not to be approved → nobody is asked', { approvePlan: false }, false],
  ['nobody attends the run that starts it → nobody is asked', { attended: false }, false],
])('settingsOfNewTask: %s (TR11)', (_, given, attended) => {
  const settings: RunSettings = {
    mode: 'team',
    workspace: '/w',
    autoApprove: false,
    attended: true,
    approvePlan: true,
    ...given,
  };
  expect(settingsOfNewTask(settings)).toEqual({ ...settings, attended });
});
