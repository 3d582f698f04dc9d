import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endLine, resultLine } from '../../../packages/print/end-lines.js';
import { printRun } from '../../../packages/print/show-run.js';
import type { ChildTree } from '../../../src/client/record/child-tree.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import { noColors, textSink } from '../../../src/shared/process/output.js';
import { task } from '../../support/core-values.js';
import { lookOf } from '../../support/fake-runs.js';
import { projectRoot } from '../../support/project.js';

const child = (id: string, given: Partial<ChildTree> = {}): ChildTree => ({
  id,
  agent: 'search',
  callId: 'c1',
  instruction: 'Which boats?',
  outcome: 'answered',
  cause: 'direct_answer',
  usage: { ...NO_USAGE, inputTokens: 1_200, outputTokens: 30, costUsd: 0.01 },
  children: [],
  ...given,
});

test('show: sub-agents, one with its own → a line each, how each ended and what it used (A11)', () => {
  let printed = '';
  const sink = textSink(text => {
    printed += text;
  }, noColors);
  const children = [
    child('editor/1', { children: [child('search/1', { outcome: 'unverified', cause: 'execution_cap' })] }),
    child('search/2', { outcome: 'lost', cause: null, usage: null }),
    child('search/3', { outcome: null, cause: null }),
  ];
  printRun(sink, lookOf({}), { children, webUi: null });
  expect(printed.split('\n').filter(line => line.includes('agent'))).toEqual([
    '  agent editor/1 · answered · 1,200 + 30 tokens · $0.0100 · Which boats?',
    '    agent search/1 · unverified (execution_cap) · 1,200 + 30 tokens · $0.0100 · Which boats?',
    '  agent search/2 · lost · Which boats?',
    '  agent search/3 · running · 1,200 + 30 tokens · $0.0100 · Which boats?',
  ]);
});

test('show: input from a cache → the usage as it is, and what of it counts against the limit (LI10)', () => {
  let printed = '';
  const sink = textSink(text => {
    printed += text;
  }, noColors);
  const usage = { ...NO_USAGE, inputTokens: 9_000, cachedInputTokens: 8_000, outputTokens: 50 };
  const budget = { tokens: 1_850, wallTimeMs: 5_500, costUsd: 0 };
  printRun(sink, lookOf({ usage, budget, limits: DEFAULT_LIMITS }), { children: [], webUi: null });
  expect(printed).toContain(
    '9,000 + 50 tokens · 88 % cached · this goal counts 1,850 of 1,000,000 · $0.0000 · 5.5 s',
  );
});

test('show: a task that takes longer than estimated → its line says so', () => {
  let printed = '';
  const sink = textSink(text => {
    printed += text;
  }, noColors);
  const tasks = [task('task-1', { status: 'executing', overdue: true }), task('task-2')];
  printRun(sink, lookOf({ tasks }), { children: [], webUi: null });
  expect(printed.split('\n').filter(line => line.includes('longer'))).toEqual([
    expect.stringMatching(/^ {2}\[>\] task-1 · .* · takes longer than estimated$/),
  ]);
});

test.each([
  [{ status: 'completed', outcome: 'completed', phase: null }, 'completed'],
  [{ status: 'completed', outcome: 'unverified', phase: null }, 'completed · unverified'],
  [{ status: 'running', outcome: null, phase: 'planning' }, 'running · planning'],
] as const)('show: %o → "%s"', (given, expected) => {
  let printed = '';
  const sink = textSink(text => {
    printed += text;
  }, noColors);
  printRun(sink, lookOf(given), { children: [], webUi: null });
  expect(printed.split('\n')).toContain(`status   ${expected}`);
});

const ended = { id: 'r', runId: 'e', status: 'completed', result: null, failure: null } as const;

test.each([
  ['checked', 'checks', 'Completed: Every check of the goal passed.'],
  ['verified', 'checks', 'Completed: The answer was verified, and every check passed.'],
  ['verified', 'opinion', "Completed: The answer was verified, by the verifier's word alone."],
  ['verified', null, 'Completed.'],
] as const)('end: %s, resting on %s → verified is said only where somebody did', (cause, basis, line) => {
  expect(endLine({ ...ended, outcome: 'completed', cause, basis })).toBe(line);
});

test.each([
  [
    'failed:model.rate_limited',
    'a answered HTTP 429: Slow down. Try again later, or name a model that takes',
  ],
  [
    'failed:model.server_error',
    'a answered HTTP 429: Slow down. Try again later, or name a model that takes',
  ],
  ['failed:model.auth', 'a answered HTTP 429: Slow down.'],
] as const)('end: failed by %s → what to do, where the failure does not say it', (cause, line) => {
  const failure = { type: 'run.failed', message: 'a answered HTTP 429: Slow down.' };
  const end = endLine({ ...ended, status: 'failed', outcome: 'failed', cause, basis: null, failure });
  expect(end.replace(/ over when .*/, '')).toBe(`Failed: ${line}`);
});

test('result: each member that --json prints → named in its documentation', () => {
  const documented = readFileSync(join(projectRoot, 'docs/cli.md'), 'utf8');
  const [, members = ''] = /`\{"type": "result", ([^}]*)\}`/.exec(documented) ?? [];
  const printed = Object.keys(resultLine({ ...ended, outcome: null, cause: null, basis: null }));
  expect(['type', ...members.split(', ').map(name => name.replaceAll('"', ''))]).toEqual(printed);
});
