import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chainFault, goalError, MAX_GOAL_BYTES, readStart } from '../../../../src/rules/agents/run-input.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { propertyRuns } from '../../../support/property-runs.js';

/** Those that a refusal of an unknown one names, so that none is forgotten here. */
function settingNames(): string[] {
  const read = readStart({ goal: 'go', settings: { unknown: 1 } });
  const [, names = ''] = /there are (.*)\.$/.exec(read.ok ? '' : (read.errors[0] ?? '')) ?? [];
  return [...names.split(', '), 'constructor'];
}
const SETTINGS = { mode: 'team', workspace: '/work', autoApprove: false };

describe('goalError', () => {
  test.each<[string, unknown]>([
    ['a word', 'go'],
    ['exactly 1 MB of ASCII', 'a'.repeat(MAX_GOAL_BYTES)],
    ['just under 1 MB in CJK (3 bytes each)', '目'.repeat(333_333)],
    ['exactly 1 MB of emoji (4 bytes each)', '😀'.repeat(250_000)],
  ])('goalError: %s → no error', (_, goal) => {
    expect(goalError(goal)).toBeNull();
  });

  test.each<[string, unknown, RegExp]>([
    ['undefined', undefined, /goal is empty/],
    ['a number', 7, /goal is empty/],
    ['an empty text', '', /goal is empty/],
    ['white space only', ' \n\t\u3000', /goal is empty/],
    [
      'one byte over 1 MB',
      'a'.repeat(MAX_GOAL_BYTES + 1),
      /1000001 bytes long, and at most 1000000.*name that file/,
    ],
    ['CJK over 1 MB in bytes though not in characters', '目'.repeat(333_334), /1000002 bytes/],
    ['emoji over 1 MB in bytes', '😀'.repeat(250_001), /1000004 bytes/],
  ])('goalError: %s → says what and what to do', (_, goal, text) => {
    expect(goalError(goal)).toMatch(text);
  });
});

const errorsOf = (input: unknown): string[] => {
  const read = readStart(input);
  return read.ok ? [] : read.errors;
};

describe('readStart', () => {
  test.each(['pool', '连接池', 'my-run_2', 'a~b', 'a/b'])('a conversation named %s → read', session => {
    expect(errorsOf({ goal: 'go', settings: { ...SETTINGS, session } })).toEqual([]);
  });

  test.each(['a\0b', 'a\nb', 'a b', ' a', '\u202ea', 'a\u200bb', '\ud800', 'x'.repeat(201), 'run-1~3', ''])(
    'a conversation named %j → refused: it would write lines of its own, or be taken for another one',
    session => {
      expect(errorsOf({ goal: 'go', settings: { ...SETTINGS, session } }).join()).toMatch(/settings.session/);
    },
  );

  test('a sub-agent in the conversation of a run that another client named → read', () => {
    const settings = { ...SETTINGS, session: 'run-1~3', calledAs: 'search' };
    expect(errorsOf({ goal: 'go', settings })).toEqual([]);
  });

  test('readStart: goal and settings, null for what is left out → read, null counts as absent', () => {
    expect(readStart({ goal: 'go', settings: { ...SETTINGS, model: null, limits: {} } })).toEqual({
      ok: true,
      given: { messages: [], leftOut: 0 },
      goal: 'go',
      settings: { ...SETTINGS, limits: {} },
    });
  });

  test('readStart: a client tool without a schema or description → takes anything (OU5)', () => {
    const read = readStart({ goal: 'go', settings: { ...SETTINGS, clientTools: [{ name: 'ask', x: 1 }] } });
    expect(read.ok && read.settings.clientTools).toEqual([
      { name: 'ask', description: '', inputSchema: { type: 'object' } },
    ]);
  });

  const wrong = (settings: Record<string, unknown>) => ({
    goal: 'go',
    settings: { ...SETTINGS, ...settings },
  });
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);

  test.each<[string, unknown, RegExp[]]>([
    ['null', null, [/`input` must be an object/]],
    ['a text', 'just do it', [/`input` must be an object.*got "just do it"/]],
    ['a list', [], [/`input` must be an object/]],
    [
      'a state',
      { resume: null },
      [/no resume: there are goal, settings/, /goal is empty/, /`settings` must be/],
    ],
    ['no settings', { goal: 'go' }, [/`settings` must be an object/]],
    ['nothing in it', {}, [/goal is empty/, /`settings` must be an object/]],
    [
      'an unknown mode',
      wrong({ mode: 'Solo!' }),
      [
        /`settings\.mode` must be one of team, plan, react, lead, direct, auto, or the name of a mode that .* got "Solo!"/,
      ],
    ],
    [
      'a role in a mode that has its own',
      wrong({ mode: 'team', role: 'search' }),
      [
        /settings\.role`: the mode team has its own roles\. A role can be named only for react or lead or direct/,
      ],
    ],
    [
      'a plan to approve in a mode without plans',
      wrong({ mode: 'direct', approvePlan: true }),
      [/approvePlan`: runs of the mode direct have no plan/],
    ],
    [
      'what a failed task does, where no mode plan can be (L16)',
      wrong({ mode: 'team', onStepFailure: 'abort' }),
      [/onStepFailure`: the mode team does not use it/],
    ],
    [
      'pictures of another kind, and too many bytes (CF11)',
      wrong({ pictures: [{ name: 'a', mimeType: 'image/svg+xml', base64: 'aGk=' }] }),
      [/settings\.pictures\[0\]\.mimeType` must be one of image\/png/],
    ],
    [
      'pictures that are none (CF11)',
      wrong({ pictures: [null] }),
      [/settings\.pictures\[0\]` must be an object/],
    ],
    [
      'a schema of the answer with a pattern that is none (TA2)',
      wrong({ answer: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } }),
      [/settings\.answer` is not a usable JSON Schema/],
    ],
    [
      'a schema of the answer with a name that is no pattern (TA2)',
      wrong({ answer: { type: 'object', patternProperties: { '[': {} } } }),
      [/settings\.answer` is not a usable JSON Schema/],
    ],
    [
      'a schema of the answer that is found as it is applied (SU4, TA2)',
      wrong({
        answer: {
          type: 'object',
          properties: { a: { $dynamicRef: '#a' } },
          $defs: { a: { $dynamicAnchor: 'a' } },
        },
      }),
      [/settings\.answer` is not a usable JSON Schema/],
    ],
    [
      'pictures that are too large (CF11)',
      wrong({ pictures: [{ name: 'a', mimeType: 'image/png', base64: 'a'.repeat(1_000_004) }] }),
      [/1000004 characters in base64, and at most 1000000/],
    ],
    ['no mode', { goal: 'go', settings: { workspace: '/w', autoApprove: true } }, [/settings\.mode/]],
    [
      'a relative workspace',
      wrong({ workspace: 'work' }),
      [/`settings\.workspace` must be an absolute path/],
    ],
    ['a workspace with a NUL', wrong({ workspace: '/a\0b' }), [/settings\.workspace/]],
    ['autoApprove as a text', wrong({ autoApprove: 'yes' }), [/settings\.autoApprove/]],
    ['a time with a unit', wrong({ keepOpenSeconds: '10m' }), [/keepOpenSeconds.*whole number.*got "10m"/]],
    ['a time that never ends', wrong({ keepOpenSeconds: 1e12 }), [/keepOpenSeconds.* up to 604800/]],
    [
      'an unknown setting',
      wrong({ permissions: {} }),
      [/no settings\.permissions: there are mode, role, workspace/],
    ],
    ['an unknown limit', wrong({ limits: { turn: 3 } }), [/settings\.limits: Unknown limit: turn/]],
    ['a limit below one', wrong({ limits: { execution: -1 } }), [/execution` must be a whole number/]],
    ['limits as a list', wrong({ limits: [3] }), [/settings\.limits: Give an object/]],
    ['a context with numbers', wrong({ context: { a: 1 } }), [/settings\.context.*values are texts/]],
    ['a large context', wrong({ context: { a: '目'.repeat(6_000) } }), [/context.*at most 16000/]],
    ['tools that are no list', wrong({ clientTools: {} }), [/clientTools.*must be a list/]],
    ['a tool without a name', wrong({ clientTools: [{}] }), [/clientTools\[0\]\.name/]],
    [
      'a schema that is none',
      wrong({ clientTools: [{ name: 'a', inputSchema: 3 }] }),
      [/\[0\]\.inputSchema/],
    ],
    [
      'a schema of 20,000 levels',
      wrong({ clientTools: [{ name: 'a', inputSchema: deep }] }),
      [/deeper than 64/],
    ],
    ['tools that are no names', wrong({ allowTools: ['put', ''] }), [/allowTools.*list of names of tools/]],
    ['more tools than a run has', wrong({ allowTools: Array(101).fill('put') }), [/allowTools.*at most 100/]],
    ['a long system message', wrong({ systemMessage: 'a'.repeat(64_001) }), [/systemMessage.*at most 20000/]],
    [
      'everything wrong',
      { goal: ' ', settings: { mode: 1, workspace: 2, autoApprove: 3 } },
      [/goal/, /mode/, /workspace/, /autoApprove/],
    ],
  ])('readStart: %s → each fault with its path, in order (ST5)', (_, input, texts) => {
    const errors = errorsOf(input);
    expect(errors).toHaveLength(texts.length);
    for (const [index, text] of texts.entries()) expect(errors[index]).toMatch(text);
  });

  test('readStart: any JSON → read or refused with sentences of bounded length, never thrown (ST5)', () => {
    const names = settingNames();
    expect(names.length).toBeGreaterThan(20);
    const setting = fc.constantFrom(...names);
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.record({ goal: fc.jsonValue(), settings: fc.dictionary(setting, fc.jsonValue()) }),
      fc.record({
        goal: fc.string(),
        settings: fc.dictionary(setting, fc.jsonValue()).map(some => ({ ...SETTINGS, ...some })),
      }),
    );
    fc.assert(
      fc.property(anything, input => {
        const read = readStart(input);
        if (read.ok) return newRunState(read.goal, read.settings, 0).goal.text === read.goal;
        return read.errors.length > 0 && read.errors.every(error => error.length < 1_000);
      }),
      { numRuns: propertyRuns(100_000) },
    );
  });
});

test.each<[string, Parameters<typeof chainFault>[0], RegExp | null]>([
  ['nothing of the kind', {}, null],
  ['one attempt', { retryPolicy: { maximumAttempts: 1 } }, null],
  ['a cron schedule', { cronSchedule: '@daily' }, /schedule create/],
  ['a retry policy', { retryPolicy: {} }, /no retry policy/],
])(
  'chainFault: %s → refused at the start where its parts could not go on, with what to do (TR1)',
  (_, chain, fault) => {
    const found = chainFault(chain);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toMatch(fault);
  },
);
