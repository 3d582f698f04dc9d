import { describe, expect, test } from 'vitest';
import { ANSWER_BYTES } from '../../../src/base/sizes/bounds.js';
import { READ_ANSWER, type ReadAnswerInput } from '../../../src/features/answers/rules.js';
import { answers, createReadAnswer } from '../../../src/features/answers/worker.js';
import { readStart } from '../../../src/rules/agents/run-input.js';
import { settingsOfAgent } from '../../../src/rules/agents/subagent.js';
import type { PinnedRole } from '../../../src/run/agents/role.js';
import type { Check } from '../../../src/run/checks/check.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { textOf } from '../../../src/run/messages/message.js';
import { seenOf } from '../../../src/workflows/beside/moments.js';
import type { Ports } from '../../../src/workflows/run/ports.js';
import type { Run } from '../../../src/workflows/run/run.js';
import { runTeam, type TeamGiven, type TeamReply } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';
import { CONTENT, teamRun } from '../../support/team-run.js';

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'integer' }, files: { type: 'array', items: { type: 'string' } } },
  required: ['answer'],
  additionalProperties: false,
};

const read = createReadAnswer();
const activity = (async (name: string, input: unknown) => {
  if (name !== READ_ANSWER) throw new Error(`no activity ${name}`);
  return { ok: true, value: await read(input as ReadAnswerInput) };
}) as Ports['activity'];

describe('reading a typed answer', () => {
  const slow = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  test.each<[text: string, schema: object, expected: object]>([
    ['{"answer": 42}', SCHEMA, { value: { answer: 42 } }],
    ['The answer:\n```json\n{"answer": 42}\n```\nThat is all.', SCHEMA, { value: { answer: 42 } }],
    ['First {"answer": "?"}, then {"answer": 42}.', SCHEMA, { value: { answer: 42 } }],
    ['First {"answer": 41}, then {"answer": 42}.', SCHEMA, { value: { answer: 42 } }],
    ["{'answer': 42, }", SCHEMA, { value: { answer: 42 } }],
    ...['{"answer": 42, "files": ["a", "b', '```json\n{"answer": 42, "files": ["a", {"b": 1}, "c'].map(
      (text): [string, object, object] => [
        text,
        SCHEMA,
        { faults: ['The answer holds no JSON object that can be read.'] },
      ],
    ),
    ['It is 42.', SCHEMA, { faults: ['The answer holds no JSON object that can be read.'] }],
    ['[{"answer": 42}]', SCHEMA, { value: { answer: 42 } }],
    [
      '{"answer": "42", "more": 1}',
      SCHEMA,
      {
        faults: [
          'the answer: unknown property "more"; known: answer, files',
          'answer: expected integer, got string "42"',
        ],
      },
    ],
    ['{}', SCHEMA, { faults: ['the answer: the required property "answer" is missing'] }],
    // A double would make another number of it: it stays a text, which is no integer.
    [
      '{"answer": 12345678901234567890}',
      SCHEMA,
      { faults: ['answer: expected integer, got string "12345678901234567890"'] },
    ],
    // As it is written, and not as servers apply theirs: what has a default is required all the same.
    [
      '{}',
      { type: 'object', properties: { a: { type: 'string', default: 'x' } }, required: ['a'] },
      { faults: ['the answer: the required property "a" is missing'] },
    ],
    [
      `{"a": "${'a'.repeat(40)}!"}`,
      slow,
      { faults: ['The answer could not be checked against the schema in time.'] },
    ],
    [
      JSON.stringify({ answer: 1, files: ['x'.repeat(32_000)] }),
      SCHEMA,
      { faults: ['The answer has 32025 bytes, and at most 32000 are taken.'] },
    ],
  ])('%j, by %j → %j (TA1)', async (text, schema, expected) => {
    expect(await read({ text, schema: schema as ReadAnswerInput['schema'] })).toEqual(expected);
  });

  test('several objects that can not be checked in time → one of them is tried, and none after it (TA1)', async () => {
    const text = `{"a": "a"} ${`{"a": "${'a'.repeat(40)}!"} `.repeat(3)}`;
    expect(await read({ text, schema: slow })).toEqual({
      faults: ['The answer could not be checked against the schema in time.'],
    });
  });
});

test.each<[string, unknown, RegExp | null]>([
  ['sound', SCHEMA, null],
  ['without a type', { anyOf: [{ type: 'object' }] }, null],
  ['no object', 'number', /JSON Schema object/],
  ['a list', { type: 'array' }, /`settings.answer.type` must be object/],
  ['an unknown type', { type: 'object', properties: { a: { type: 'int' } } }, /not a usable JSON Schema/],
  [
    'a reference to nothing',
    { type: 'object', properties: { a: { $ref: '#/$defs/a' } } },
    /usable JSON Schema/,
  ],
  ['too large', { type: 'object', description: 'x'.repeat(16_000) }, /at most 16000 are taken/],
])('a start with a schema: %s → taken, or refused with why (TA2)', (_name, answer, fault) => {
  const start = readStart({
    goal: 'Do it.',
    settings: { mode: 'react', workspace: '/w', autoApprove: false, answer },
  });
  if (fault === null) expect(start).toMatchObject({ ok: true, settings: { answer } });
  else expect(start).toMatchObject({ ok: false, errors: [expect.stringMatching(fault)] });
});

const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } };
test.each<[string, object, string | null]>([
  ['sound', SCHEMA, null],
  ['of a tree', tree, null],
  ['of two that refer to each other below a value', { $ref: '#/$defs/a', $defs: { a: tree } }, null],
  ['that refers only to itself', { $ref: '#' }, 'at # only to itself'],
  ['with a type, that refers to itself', { type: 'object', $ref: '#' }, 'at # only to itself'],
  [
    'of two that refer only to each other',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { $ref: '#/$defs/b~1c' }, 'b/c': { $ref: '#/$defs/a' } },
    },
    'at #/$defs/a only to itself',
  ],
  [
    'that refers to itself in one of several',
    { type: 'object', anyOf: [{ required: ['a'] }, { $ref: '#' }] },
    'at # only to itself',
  ],
  [
    'that refers to itself where a property is',
    { type: 'object', dependentSchemas: { a: { $ref: '#' } } },
    'at # only to itself',
  ],
  [
    'that refers to nothing, by a name',
    { $id: 'https://a.example/a', type: 'object', properties: { b: { $ref: 'b' } } },
    'a schema that is not in it',
  ],
])('a run with a schema %s → begins, or is refused with the place (TA2)', async (_what, answer, fault) => {
  const pins = answers.pins?.({} as never, {} as never, { answer } as never);
  if (fault === null) expect(await pins).toEqual({});
  else await expect(pins).rejects.toThrow(fault);
});

test('a sub-agent of a run with a schema: its settings → without it (TA5)', () => {
  const settings = { mode: 'lead', workspace: '/w', autoApprove: false, answer: SCHEMA } as const;
  const known = { chosen: { all: null, roles: {} }, out: {} };
  const given = { id: 'a/1', agent: 'a', lease: {}, known } as Parameters<typeof settingsOfAgent>[2];
  expect(settingsOfAgent(settings, DEFAULT_LIMITS, given)).not.toHaveProperty('answer');
});

function typedRun(
  replies: readonly TeamReply[],
  {
    mode = 'react',
    role,
    ...given
  }: TeamGiven & { mode?: string; role?: Partial<PinnedRole>; checks?: Check[] } = {},
) {
  const { checks, runCheck } = given;
  return runTeam(replies, {
    settings: { mode, answer: SCHEMA },
    pinned: {
      roles: { [mode]: testRole(mode, { output: 'text', ...role }) },
      ...(checks && { checks }),
      ...given.pinned,
    },
    activity,
    ...(runCheck && { runCheck }),
  });
}

const events = (run: Run, type: string) => run.state.log.journal.events.filter(event => event.type === type);
const told = (run: Run) =>
  (run.state.threads.main?.messages ?? []).map(textOf).filter(text => text.includes('<answer_schema>'))
    .length;

const FITS: TeamReply = { text: '{"answer": 42}' };
const PROSE: TeamReply = { text: 'The file says 42.' };
const BAD: TeamReply = { text: '{"answer": "42"}' };

describe('a run of one role with a schema', () => {
  test('the first answer fits → it is the value; the role was told the schema once (TA1)', async () => {
    const { run, end, asked, requests } = await typedRun([{ calls: ['read'] }, FITS]);
    const value = { answer: 42 };
    expect(end).toEqual({ outcome: 'answered', cause: 'direct_answer', answer: '{"answer": 42}', value });
    expect(seenOf(run)).toMatchObject({ value: { answer: 42 } });
    expect(asked).toEqual(['react', 'react']);
    expect(told(run)).toBe(1);
    // It may call tools: bound to the schema it could not.
    expect(requests.map(({ head }) => head?.schema)).toEqual([undefined, undefined]);
  });

  test('without tools → the first call is bound to the schema already (TA3)', async () => {
    const { end, requests } = await typedRun([FITS], { mode: 'direct', role: { tools: [] } });
    expect(end.outcome).toBe('answered');
    expect(requests[0]?.head).toMatchObject({ schema: SCHEMA, toolChoice: 'none' });
  });

  test('the first answer does not fit → asked once more with the faults, without tools, bound to the schema (TA1, TA3)', async () => {
    const { run, end, requests } = await typedRun([BAD, FITS]);
    const value = { answer: 42 };
    expect(end).toEqual({ outcome: 'answered', cause: 'direct_answer', answer: '{"answer": 42}', value });
    expect(seenOf(run)).toMatchObject({ value: { answer: 42 } });
    expect(requests[1]?.head).toMatchObject({ schema: SCHEMA, toolChoice: 'none' });
    const faults = ['answer: expected integer, got string "42"'];
    expect(events(run, 'reask')).toMatchObject([{ role: 'react', errors: faults }]);
    const sent = (run.state.threads.main?.messages ?? []).map(textOf);
    expect(sent.some(text => text.includes(`- ${faults[0]}`))).toBe(true);
    // The schema comes last: the instruction of a wrap-up asks for Markdown.
    expect(sent.at(-2)).toContain('<answer_schema>');
    expect(run.state.goal.counters).toMatchObject({ reasks: 1, turns: 1 });
  });

  test('never → unverified, and cause, journal and answer name the faults (TA1, TA4)', async () => {
    const { run, end, asked } = await typedRun([PROSE, BAD]);
    expect(asked).toHaveLength(2);
    expect(end).toMatchObject({ outcome: 'unverified', cause: 'answer_not_typed' });
    expect(end.answer).toContain('answer: expected integer, got string "42"');
    expect(events(run, 'warning')).toMatchObject([{ text: expect.stringContaining('expected integer') }]);
    expect(seenOf(run)).not.toHaveProperty('value');
  });

  test.each(['max_tokens', 'end_turn'] as const)(
    'its answer breaks off, twice (%s) → its beginning is no value (TA1)',
    async stopReason => {
      const cut: TeamReply = { text: '{"answer": 42, "files": ["a", "b', stopReason };
      const { run, end } = await typedRun([cut, cut, cut, cut]);
      expect(end).toMatchObject({ outcome: 'unverified', cause: 'answer_not_typed' });
      expect(seenOf(run)).not.toHaveProperty('value');
    },
  );

  test('the model fails where it is asked again → not answered either (TA4)', async () => {
    const { run, end } = await typedRun([PROSE, { fails: 'model.bad_request' }]);
    expect(end).toMatchObject({ outcome: 'failed', answer: 'The file says 42.' });
    expect(seenOf(run)).not.toHaveProperty('value');
  });

  test('the worker cannot read it → not answered, and it is said (TA4)', async () => {
    const failing: Ports['activity'] = async () => ({
      ok: false,
      failure: { kind: 'timedOut', type: '', message: '' },
    });
    const { end } = await runTeam([FITS, FITS], {
      settings: { mode: 'react', answer: SCHEMA },
      pinned: { roles: { react: testRole('react', { output: 'text' }) } },
      activity: failing,
    });
    expect(end).toMatchObject({ cause: 'answer_not_typed' });
    expect(end.answer).toContain('could not be checked: timedOut');
  });

  test('an end that is no success → keeps its cause, with a value only if it fits; nobody is asked again (TA4)', async () => {
    const limits = { ...DEFAULT_LIMITS, replies: 1 };
    const capped = (last: TeamReply) =>
      typedRun([{ calls: ['read'] }, { calls: ['read'] }, last], { pinned: { limits } });
    const without = await capped(PROSE);
    expect(without.end).toMatchObject({ outcome: 'unverified', cause: 'execution_cap' });
    expect(seenOf(without.run)).not.toHaveProperty('value');
    const withValue = await capped(FITS);
    expect(withValue.end).toMatchObject({ outcome: 'unverified', cause: 'execution_cap' });
    expect(seenOf(withValue.run)).toMatchObject({ value: { answer: 42 } });
  });

  test('with a check that judges the answer → what was asked for again is checked too (TA1)', async () => {
    const judged: string[] = [];
    const { end } = await typedRun([PROSE, FITS], {
      checks: [{ function: 'isRight' }],
      runCheck: run => {
        const { position } = run.state.cursor;
        judged.push(position.phase === 'checking' && position.of.kind === 'answer' ? position.of.text : '');
        return { status: 'passed', why: 'it is' };
      },
    });
    expect(end).toMatchObject({ outcome: 'completed', cause: 'checked', answer: '{"answer": 42}' });
    expect(judged).toEqual(['The file says 42.', '{"answer": 42}']);
  });

  test('the role has a final response → the value is what the role said, whatever else stands around it (TA1, P12)', async () => {
    const finalResponse = '{{content}}\n\n{{toolHistory}}';
    const { run, end } = await typedRun([{ calls: ['read'], input: { answer: 41 } }, FITS], {
      role: { finalResponse },
    });
    expect(end.answer).toContain('read {"answer":41}');
    expect(seenOf(run)).toMatchObject({ value: { answer: 42 } });
    expect(Object.keys(end).sort()).toEqual(['answer', 'cause', 'outcome', 'value']);
  });

  test('an answer that is longer than what a check gets, and a check that judges it → asked for again once (TA1)', async () => {
    const text = JSON.stringify({ answer: 42, files: Array.from({ length: 4_000 }, () => '') }, null, 10);
    const { end, asked } = await typedRun([{ text }, { text }], {
      checks: [{ function: 'isRight' }],
      runCheck: () => ({ status: 'passed', why: 'it is' }),
    });
    expect(text.length).toBeGreaterThan(ANSWER_BYTES);
    expect([asked.length, end.outcome, end.value?.answer]).toEqual([2, 'completed', 42]);
  });

  test('no schema → no activity, no word of it (TA1)', async () => {
    const { run, end } = await runTeam([PROSE], {
      settings: { mode: 'react' },
      pinned: { roles: { react: testRole('react', { output: 'text' }) } },
      activity: async () => expect.fail('it is asked for'),
    });
    expect(end.outcome).toBe('answered');
    expect([told(run), run.state.features]).toEqual([0, {}]);
  });
});

describe('a team with a schema', () => {
  const typedTeam = (
    summary: (times: number) => unknown,
    given: Partial<Parameters<typeof teamRun>[0]> = {},
  ) =>
    teamRun({
      ...given,
      settings: { answer: SCHEMA, ...given.settings },
      ports: { activity },
      answer: ({ role, times }) => (role === 'summary' ? summary(times) : undefined),
    });

  test('the work is verified → its summary gives the value, and the verified answer stays for people (TA1)', async () => {
    const { run, end, calls } = await typedTeam(() => '{"answer": 42}');
    expect(end).toMatchObject({ outcome: 'completed', cause: 'verified', answer: 'It says 42.' });
    expect(seenOf(run)).toMatchObject({ value: { answer: 42 } });
    expect(calls.filter(({ role }) => role === 'summary')).toHaveLength(1);
    expect(events(run, 'reask')).toEqual([]);
  });

  test('the run goes on in another part where it is asked again, and its conversation has lost the schema → told again (TA6)', async () => {
    let parts = 0;
    const requests: string[] = [];
    const { run, end } = await teamRun({
      settings: { answer: SCHEMA },
      ports: {
        activity,
        handoverDue: ({ cursor }) => {
          if (cursor.position.phase !== 'wrap_up' || requests.length === parts) return false;
          parts += 1;
          return true;
        },
      },
      between: ({ state }) => {
        const { main } = state.threads;
        if (main)
          main.messages = main.messages.filter(message => !textOf(message).includes('<answer_schema>'));
      },
      answer: ({ role, request, times }) => {
        if (role !== 'summary') return undefined;
        requests.push(request);
        return times === 1 ? 'It says 42.' : '{"answer": 42}';
      },
    });
    expect(parts).toBe(1);
    expect(requests.map(request => request.includes('<answer_schema>'))).toEqual([true, true]);
    expect(end).toMatchObject({ outcome: 'completed', cause: 'verified' });
    expect(seenOf(run)).toMatchObject({ value: { answer: 42 } });
  });

  test.each([
    ['after one re-ask', 2, 'completed', 'verified'],
    ['never', 9, 'unverified', 'answer_not_typed'],
  ])('it fits %s, from reply %i of its summary on → %s, %s (TA1)', async (_name, from, outcome, cause) => {
    const { end, calls } = await typedTeam(times => (times >= from ? '{"answer": 42}' : CONTENT.summary));
    expect(end).toMatchObject({ outcome, cause, answer: expect.stringContaining('It says 42.') });
    expect(calls.filter(({ role }) => role === 'summary')).toHaveLength(2);
  });
});
