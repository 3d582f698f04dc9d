import { describe, expect, it } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import {
  checkAction,
  checkPlan,
  checkResult,
  decideReview,
} from '../../../../src/features/reviewer/rules.js';
import type { ToolEnding } from '../../../../src/run/messages/message.js';
import type { ReviewOutput } from '../../../../src/run/outputs/contracts.js';
import { type EnvelopeMeta, NO_ENVELOPE } from '../../../../src/run/outputs/envelope.js';
import type { PlannedTask } from '../../../../src/run/plan/plan.js';
import { DEFAULT_TOOL_POLICY, type ToolDefinition } from '../../../../src/run/tools/tool.js';
import { plannedTask } from '../../../support/core-values.js';

const words = BUILT_IN_WORDS.en;

function task(id: string, fields: Partial<PlannedTask> = {}): PlannedTask {
  return plannedTask(id, { completionCriteria: 'A number', ...fields });
}

const check = (tasks: (PlannedTask & { byPerson?: true })[]) =>
  checkPlan({ tasks, knownTaskIds: ['old'], has: ['files'], maxTasks: 3, words: BUILT_IN_WORDS.en }).faults;

describe('checkPlan', () => {
  it.each<[string, Parameters<typeof check>[0], string[]]>([
    ['a sound plan', [task('a', { dependencies: ['old'], requiredCapabilities: ['files'] })], []],
    ['no task', [], ['The plan has no task.']],
    ['too many', [task('a'), task('b'), task('c'), task('d')], ['The plan has 4 tasks, at most 3 are run.']],
    ['one id twice', [task('a'), task('a')], ['The id a is used twice.']],
    ['an unknown dependency', [task('a', { dependencies: ['x'] })], ['a needs x, which is not a task.']],
    [
      'no criterion',
      [task('a', { completionCriteria: null })],
      ['a does not say how to see that it is done.'],
    ],
    [
      'no criterion, but it is a call',
      [task('a', { completionCriteria: null, call: { tool: 'read', arguments: {} } })],
      [],
    ],
    ['no criterion, set by a person', [{ ...task('a', { completionCriteria: null }), byPerson: true }], []],
    [
      'an unknown capability',
      [task('a', { requiredCapabilities: ['files', 'web'] })],
      ['a needs web, which is not available.'],
    ],
    [
      'a circle',
      [task('a', { dependencies: ['b'] }), task('b', { dependencies: ['a'] })],
      ['These tasks wait for each other: a, b.'],
    ],
  ])('F20 F18 checkPlan: %s → exactly its faults', (_name, tasks, faults) => {
    expect(check(tasks)).toEqual(faults);
  });
});

describe('checkResult', () => {
  const call = (ending: ToolEnding, isError = ending !== 'executed') => ({
    tool: 'write_file',
    ending,
    isError,
  });

  it.each([
    ['no calls', true, '42 files', [], 0],
    ['calls that worked', true, '42 files', [call('executed')], 0],
    ['one of two failed', true, '42 files', [call('invalid'), call('executed')], 0],
    ['words that may say little', true, 'Task completed.', [], 0],
    ['no words', true, '…', [], 1],
    ['all calls failed', true, '42 files', [call('denied'), call('executed', true)], 1],
    ['the last call is unknown', true, '42 files', [call('executed'), call('outcome_unknown')], 1],
    ['an unknown call, checked after', true, '42 files', [call('outcome_unknown'), call('executed')], 0],
    ['not completed', false, '', [call('outcome_unknown')], 0],
  ])('F20 checkResult: %s → as the table says', (_name, completed, summary, calls, faults) => {
    expect(checkResult({ taskId: 't', completed, summary, calls, words }).faults).toHaveLength(faults);
  });
});

describe('checkAction', () => {
  const tool: ToolDefinition = {
    name: 'write_file',
    serverToolName: 'write_file',
    origin: { type: 'builtin' },
    description: '',
    inputSchema: { type: 'object', required: ['path', 'content'] },
    validation: 'strict',
    policy: DEFAULT_TOOL_POLICY,
  };
  const LEVELS = [null, 'low', 'medium', 'high'] as const;

  it('F20 F22 checkAction: every combination → faults for tool, arguments and untamed risk; concerns as F22', () => {
    for (const name of ['write_file', 'wipe']) {
      for (const input of [{ path: 'a', content: '' }, { path: 'a' }, { path: 'a', content: null }]) {
        for (const level of LEVELS) {
          for (const mitigation of [undefined, 'A copy is kept']) {
            for (const confidence of [null, 69, 70]) {
              const risk =
                level === null ? null : { level, description: 'd', ...(mitigation ? { mitigation } : {}) };
              const envelope: EnvelopeMeta = { ...NO_ENVELOPE, risk, confidence };
              const { faults, concerns } = checkAction({
                call: { name, input },
                offered: [tool],
                envelope,
                words: BUILT_IN_WORDS.en,
              });
              const known = name === 'write_file';
              const incomplete = known && (input.content === undefined || input.content === null);
              const untamed = level === 'high' && mitigation === undefined;
              expect(faults).toHaveLength(Number(!known) + Number(incomplete) + Number(untamed));
              expect(concerns).toHaveLength(Number(level === 'high') + Number(confidence === 69));
            }
          }
        }
      }
    }
  });

  it('F20 checkAction: unreadable arguments and errors of the schema → faults', () => {
    const call = {
      name: 'write_file',
      input: {},
      argsParseFailed: true,
      argErrors: ['path must be a string'],
    };
    expect(
      checkAction({ call, offered: [tool], envelope: NO_ENVELOPE, words: BUILT_IN_WORDS.en }).faults,
    ).toEqual([
      'The arguments of write_file are not readable.',
      'write_file needs the argument path.',
      'write_file needs the argument content.',
      'path must be a string',
    ]);
  });

  it('F20 checkAction: a required name that every object answers to → still missing', () => {
    const odd = { ...tool, inputSchema: { required: ['constructor', 7] } };
    const { faults } = checkAction({
      call: { name: 'write_file', input: {} },
      offered: [odd],
      envelope: NO_ENVELOPE,
      words: BUILT_IN_WORDS.en,
    });
    expect(faults).toEqual(['write_file needs the argument constructor.']);
  });
});

describe('decideReview', () => {
  const review = (approved: boolean, requiredFixes: string[], feedback: string): ReviewOutput => ({
    approved,
    score: 50,
    feedback,
    requiredFixes,
  });

  it('F20 C8 decideReview: every combination → approved only when nothing speaks against it', () => {
    for (const faults of [[], ['fault']]) {
      for (const concerns of [[], ['High risk: d.']]) {
        for (const given of [
          null,
          'unreadable' as const,
          ...[true, false].flatMap(approved =>
            [[], ['fix']].flatMap(fixes => ['', 'feedback'].map(text => review(approved, fixes, text))),
          ),
        ]) {
          for (const doubts of [[], ['The role is only 69 % sure.']]) {
            const decided = decideReview({ faults, concerns }, given, { doubts, words });
            const rejected =
              given !== null && given !== 'unreadable' && (!given.approved || given.requiredFixes.length > 0);
            const approved = faults.length === 0 && !rejected;
            expect(decided.approved).toBe(approved);
            expect(decided.fixes.length > 0).toBe(!approved);
            const unsure = [...concerns, ...doubts].length > 0 || given === 'unreadable';
            expect(decided.concerns.length > 0).toBe(approved && unsure);
            if (approved) expect(decided.concerns).toEqual(expect.arrayContaining([...concerns, ...doubts]));
          }
        }
      }
    }
  });

  it('C8 decideReview: faults and fixes → one list, without repeats; a bare rejection gets its feedback', () => {
    expect(
      decideReview({ faults: ['a', 'b'], concerns: [] }, review(false, ['b', 'c'], 'f'), { words }).fixes,
    ).toEqual(['a', 'b', 'c']);
    expect(
      decideReview({ faults: [], concerns: [] }, review(false, [], 'Too vague.'), { words }).fixes,
    ).toEqual(['Too vague.']);
    expect(decideReview({ faults: [], concerns: [] }, review(false, [], ''), { words }).fixes).toHaveLength(
      1,
    );
  });
});
