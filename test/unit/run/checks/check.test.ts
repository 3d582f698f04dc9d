import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { CHECK_RESULTS_BYTES } from '../../../../src/base/sizes/bounds.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import {
  decideChecks,
  failedChecks,
  foundNothing,
  withResult,
} from '../../../../src/features/checks/rules.js';
import {
  type Check,
  type CheckStatus,
  causeWithChecks,
  checkLine,
  checksFault,
  checksText,
  MOST_CHECKS,
  noChecks,
  proposedChecks,
} from '../../../../src/run/checks/check.js';
import type { Cause } from '../../../../src/run/limits/cause.js';

const result = (status: CheckStatus, id = 'c1') => ({ id, check: 'npm test', status, why: 'so', ms: 1 });

describe('what a set of results decides', () => {
  const OPEN = { left: 1, changed: true };
  test.each([
    [['passed', 'passed'], OPEN, 'passed'],
    [['passed', 'failed'], OPEN, 'again'],
    [['failed', 'not_run'], OPEN, 'again'],
    [['passed', 'not_run'], OPEN, 'not_run'],
    [['failed'], { left: 0, changed: true }, 'failed'],
    [['failed'], { left: 1, changed: false }, 'failed'],
    [['failed', 'not_run'], { left: 0, changed: true }, 'failed'],
    [['not_run'], { left: 0, changed: false }, 'not_run'],
  ] as const)('decideChecks: %j, %j → %s', (statuses, given, decided) => {
    expect(
      decideChecks(
        statuses.map(status => ({ status })),
        given,
      ),
    ).toBe(decided);
  });

  test.each<[Cause, CheckStatus[], Cause]>([
    ['verified', ['passed', 'passed'], 'verified'],
    ['direct_answer', ['passed', 'passed'], 'checked'],
    ['carried_out', ['passed', 'passed'], 'checked'],
    ['no_plan', ['passed', 'passed'], 'checked'],
    ...(['verified', 'direct_answer', 'carried_out', 'no_plan'] as const).flatMap(
      (cause): [Cause, CheckStatus[], Cause][] => [
        [cause, ['failed', 'passed'], 'checks_failed'],
        [cause, ['failed', 'not_run'], 'checks_failed'],
        [cause, ['passed', 'not_run'], 'checks_not_run'],
        [cause, ['passed'], 'checks_not_run'],
        [cause, [], 'checks_not_run'],
      ],
    ),
    ...(
      [
        'carried_out_partly',
        'planning_cap',
        'tasks_failed',
        'budget:tokens',
        'stopped',
        'not_confirmed',
      ] as const
    ).map((cause): [Cause, CheckStatus[], Cause] => [cause, ['passed', 'passed'], cause]),
  ])('causeWithChecks: %s, of two checks %j → %s', (cause, statuses, ended) => {
    const checks = { ...noChecks(), results: statuses.map(status => result(status)) };
    const pinned = { checks: [{ run: 'a' }, { run: 'b' }] };
    expect(causeWithChecks(cause, { pinned, goal: { checks } })).toBe(ended);
  });

  test('causeWithChecks: a goal without checks → its cause', () => {
    expect(causeWithChecks('direct_answer', { pinned: null, goal: { checks: noChecks() } })).toBe(
      'direct_answer',
    );
  });
});

describe('what is told', () => {
  test('failedChecks, checksText: what passed is not told → id, why and output of the others', () => {
    const results = [
      result('passed'),
      { ...result('failed', 'c2'), output: '1 of 3' },
      result('not_run', 'c3'),
    ];
    expect(failedChecks({ results }, BUILT_IN_WORDS.en)).toEqual(['Check c2, `npm test`: so\n1 of 3']);
    const text = 'Checks that did not pass: npm test [failed: so]; npm test [not run: so].';
    const said = { cause: 'checks_failed', left: 0 } as const;
    expect(checksText({ results }, said, BUILT_IN_WORDS.en)).toBe(text);
    expect(checksText({ results }, { cause: 'stopped', left: 1 }, BUILT_IN_WORDS.en)).toBe(text);
    expect(checksText({ results }, { cause: 'checks_failed', left: 1 }, BUILT_IN_WORDS.en)).toBe(
      `${text} Nothing had changed since the last failed check, so the work was not sent back again.`,
    );
    expect(checksText({ results: [result('passed')] }, said, BUILT_IN_WORDS.en)).toBe('');
  });

  test('checkLine: each kind → what a person recognises it by', () => {
    const lines: [Check, string][] = [
      [{ run: 'npm test' }, 'npm test'],
      [{ file: 'a.md', matches: '^#' }, 'file a.md matches /^#/'],
      [{ file: 'a.json', json: { type: 'object' } }, 'file a.json fits its JSON Schema'],
      [{ tool: 'get', arguments: { id: 7 }, matches: 'paid' }, 'tool get {"id":7} matches /paid/'],
      [{ function: 'sums' }, 'function sums'],
    ];
    expect(lines.map(([check]) => checkLine(check))).toEqual(lines.map(([, line]) => line));
  });

  test('withResult: as many as there may be, each far too long → all within their bound (ST1)', () => {
    const long = '帆'.repeat(5_000);
    let results = noChecks().results;
    const most = 2 * MOST_CHECKS + 5;
    for (let n = 1; n <= most; n += 1)
      results = withResult(results, {
        id: `c${n}`,
        check: long,
        status: 'failed',
        why: long,
        output: long,
        ms: 1,
      });
    expect(results.map(({ id, status }) => [id, status])).toEqual(
      Array.from({ length: most }, (_, index) => [`c${index + 1}`, 'failed']),
    );
    expect(jsonBytes(results)).toBeLessThanOrEqual(CHECK_RESULTS_BYTES);
  });
});

describe('checks that somebody gives', () => {
  test.each([
    [
      [
        { run: 'npm test' },
        { file: 'a', json: {} },
        { tool: 't', arguments: {}, matches: 'x' },
        { function: 'f' },
      ],
      null,
    ],
    ['npm test', '`checks` must be a list of checks, got "npm test".'],
    [['npm test'], '`checks[0]` must be an object with one of run, file, tool, function, got "npm test".'],
    [[{ matches: 'x' }], '`checks[0]` must have exactly one of run, file, tool, function.'],
    [[{ run: 'a', file: 'b' }], '`checks[0]` must have exactly one of run, file, tool, function.'],
    [[{ run: 'a', matches: 'b' }], 'There is no checks[0].matches: beside run there may be timeoutMs.'],
    [[{ function: 'a', why: 'b' }], 'There is no checks[0].why: beside function there may be nothing.'],
    [[{ run: ' ' }], '`checks[0].run` must be a text that is not empty, got "".'],
    [[{ run: 'a', timeoutMs: 0 }], '`checks[0].timeoutMs` must be a whole number from 1 to 86400000, got 0.'],
    [[{ file: 'a', matches: '(' }], '`checks[0].matches` must be a regular expression, got "(".'],
    [Array.from({ length: 11 }, () => ({ run: 'a' })), '`checks` has 11 checks, and at most 10 are taken.'],
    [[{ run: 'x'.repeat(20_000) }], '`checks` has 20012 bytes, and at most 16000 are taken.'],
  ])('checksFault: %j → %s', (value, fault) => {
    expect(checksFault(value, 'checks')).toBe(fault);
  });

  test('proposedChecks: more than may be, twice the same, one too long → those that there is room for, once', () => {
    const commands = ['a', 'a', ' ', 'x'.repeat(3_000), 'b', 'c', 'd', 'e', 'f'];
    expect(proposedChecks(commands).map(checkLine)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

test.each<[string, boolean]>([
  ['', true],
  ['No file matches.', true],
  ['No line matches.', true],
  ['[]', true],
  [' {} ', true],
  ['null', true],
  ['0', true],
  ['not found', true],
  ['There are no open orders.', true],
  ['nothing', true],
  ['src/a.ts', false],
  ['No file matches.\nsrc/a.ts', false],
  ['{"refunded":false}', false],
  ['Norway', false],
  ['10', false],
])('a check that only asks a tool, which says %j → it found nothing: %s (WK13)', (said, nothing) => {
  expect(foundNothing(said)).toBe(nothing);
});
