import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Parsed } from '../../../../src/base/text/output-fields.js';
import { parseRoleOutput, reaskText } from '../../../../src/rules/outputs/parse-output.js';
import { readOutput } from '../../../../src/rules/outputs/rules.js';
import { extractJson } from '../../../../src/run/outputs/envelope.js';
import { Secrets } from '../../../../src/shared/secrets.js';

type Json = Record<string, unknown>;
const parsePlan = (json: Json, names?: readonly string[]) => readOutput('plan', json, { names });
const parseExecution = (json: Json) => readOutput('execution', json, {});
const parseVerdict = (json: Json) => readOutput('verdict', json, {});

const FENCE = '```';

function fenced(body: string, language = 'json'): string {
  return `${FENCE}${language}\n${body}\n${FENCE}`;
}

function errorsOf(parsed: Parsed<unknown>): string[] {
  return parsed.ok ? [] : parsed.errors;
}

describe('extractJson', () => {
  it.each([
    ['the whole text', '{"a":1}', { a: 1 }],
    ['space around it', ' \n{"a":1}\n', { a: 1 }],
    ['a byte order mark', '\uFEFF{"a":1}', { a: 1 }],
    ['a fenced block', `Here:\n${fenced('{"a":1}')}\nThat is it.`, { a: 1 }],
    ['a fence without language', fenced('{"a":1}', ''), { a: 1 }],
    ['an unclosed fence', `${FENCE}json\n{"a":1}`, { a: 1 }],
    ['an indented fence', `  ${FENCE}json\n  {"a":1}\n  ${FENCE}`, { a: 1 }],
    ['a fence on one line', `${FENCE}json {"a":1} ${FENCE}`, { a: 1 }],
    ['prose around it', 'The result is {"a":{"b":[1,"}"]}} as asked.', { a: { b: [1, '}'] } }],
    ['braces in strings', 'x {"a":"{\\"b\\": }","c":"\\\\"} y', { a: '{"b": }', c: '\\' }],
    ['placeholders in prose', 'Use {name} and {{x}} for {"a":1} here', { a: 1 }],
    ['an open brace in prose', 'sets like { 1, 2 and then {"a":1}', { a: 1 }],
    ['two objects', '{"a":1} and {"b":2}', { b: 2 }],
    ['a broken object before', '{"a":} then {"b":2}', { b: 2 }],
    ['two fences', `${fenced('{"a":1}')}\n${fenced('{"b":2}')}`, { b: 2 }],
    ['a fence and later prose JSON', `${fenced('{"a":1}')}\nIts form is {"id":"x"}.`, { a: 1 }],
    ['thinking tags', '<think>maybe {"a":0}?</think>{"a":1}', { a: 1 }],
    [
      'a fence in a JSON string',
      '{"summary":"```ts\\nlet a = {}\\n```"}',
      { summary: '```ts\nlet a = {}\n```' },
    ],
    [
      'a code quote before the answer',
      `${fenced('{"name":"x"}')}\n{"type":"component","a":1}`,
      { type: 'component', a: 1 },
    ],
    [
      'a code quote after the answer',
      `{"type":"component","a":1}\n${fenced('{"name":"x"}')}`,
      { type: 'component', a: 1 },
    ],
    ['a list of one object', '[{"a":1}]', { a: 1 }],
  ])('G13 extractJson: %s → the object', (_name, text, object) => {
    expect(extractJson(text)).toEqual(object);
  });

  it.each([
    ['nothing', ''],
    ['prose', 'I could not do it.'],
    ['a list', '[1,2]'],
    ['a string', '"{}"'],
    ['a number', '7'],
    ['single quotes', "{'a': 1}"],
    ['a trailing comma', '{"summary":"x","todos":[{"id":"1"},]}'],
    ['a cut object, though parts of it are whole', '{"summary":"x","todos":[{"id":"1"},{"id":'],
    ['a cut fenced object', `${FENCE}json\n{"summary":"x","todos":[{"id":"1"}`],
    ['braces of code', 'function f() { return {}; }'],
  ])('G13 extractJson: %s → null, for repair or the re-ask', (_name, text) => {
    expect(extractJson(text)).toBeNull();
  });

  it('G13 extractJson: any object in prose that has no braces and quotes → found whole', () => {
    const prose = fc.string().map(text => text.replace(/[{}"`]/g, ''));
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(prose, object, prose, (before, value, after) => {
        const json = JSON.stringify(value);
        expect(extractJson(`${before}${json}${after}`)).toEqual(JSON.parse(json));
        expect(extractJson(`${before}\n${fenced(JSON.stringify(value, null, 2))}\n${after}`)).toEqual(
          JSON.parse(json),
        );
      }),
    );
  });

  it('G13 extractJson: any text → an object or null, never an exception', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '"',
      '\\',
      '{"',
      '":',
      ',',
      '[',
      ']',
      '\n',
      '```',
      'json',
      '1',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), parts => {
        const found = extractJson(parts.join(''));
        expect(found === null || typeof found === 'object').toBe(true);
      }),
    );
  });

  it.each([
    ['open braces', '{"'],
    ['nested openings', '{"a":'],
    ['objects', '{"a":1} '],
    ['broken objects', '{"a":} '],
    ['fences', '```\n'],
    ['fenced openings', '```\n{"a":'],
    ['brackets', '[{ '],
    ['spaces', '{    '],
  ])('G13 extractJson: 2 MB of %s → linear time', (_name, piece) => {
    const text = piece.repeat(Math.ceil(2_000_000 / piece.length));
    // A time that grows by its square would be hours, and a test may take minutes.
    expect(extractJson(text)).not.toBe(undefined);
  });
});

const TASK = { id: 'task-1', description: 'Count the files' };

describe('parsePlan', () => {
  it('G10 F18 parsePlan: the component form with all fields → all of them', () => {
    const parsed = parsePlan({
      type: 'component',
      component: 'planner-response',
      summary: 'Count, then report',
      needsMorePlanning: true,
      todos: [
        {
          ...TASK,
          priority: 2,
          status: 'pending',
          completionCriteria: 'A number',
        },
        {
          id: 'task-2',
          description: 'Report',
          priority: 1,
          dependencies: ['task-1'],
          requiredCapabilities: ['fs'],
          estimatedDuration: 600_000,
        },
      ],
    });
    expect(parsed).toEqual({
      ok: true,
      value: {
        summary: 'Count, then report',
        needsMorePlanning: true,
        dropped: [],
        checks: [],
        begin: [],
        tasks: [
          {
            ...TASK,
            priority: 2,
            dependencies: [],
            requiredCapabilities: [],
            estimatedDuration: null,
            completionCriteria: 'A number',
            call: null,
          },
          {
            id: 'task-2',
            description: 'Report',
            priority: 1,
            dependencies: ['task-1'],
            requiredCapabilities: ['fs'],
            estimatedDuration: 600_000,
            completionCriteria: null,
            call: null,
          },
        ],
      },
    });
  });

  it.each([
    ['missing priorities', [TASK, { ...TASK, id: 'b' }], [1, 2]],
    ['null priorities', [{ ...TASK, priority: null }], [1]],
    ['words for priorities', [{ ...TASK, priority: 'high' }], [1]],
    ['priorities as text', [{ ...TASK, priority: '3' }], [3]],
    ['priority 0', [{ ...TASK, priority: 0 }], [0]],
  ])('L7 parsePlan: %s → %j gives priorities %j', (_name, todos, priorities) => {
    const parsed = parsePlan({ todos });
    expect(parsed.ok && parsed.value.tasks.map(task => task.priority)).toEqual(priorities);
  });

  it('G15 parsePlan: `tasks` instead of `todos`, ids as numbers, no type → read all the same', () => {
    const parsed = parsePlan({
      todos: null,
      tasks: [
        { id: 1, description: ' d ' },
        { id: 2, description: 'e', dependencies: [1, 1] },
      ],
    });
    expect(
      parsed.ok && parsed.value.tasks.map(task => [task.id, task.description, task.dependencies]),
    ).toEqual([
      ['1', 'd', []],
      ['2', 'e', ['1']],
    ]);
  });

  it('C20 parsePlan: executionOrder → the order of the plan, tasks it leaves out last', () => {
    const todos = ['a', 'b', 'c'].map(id => ({ id, description: id }));
    const parsed = parsePlan({ todos, executionOrder: ['c', 'ghost', 'a'] });
    expect(parsed.ok && parsed.value.tasks.map(task => [task.id, task.priority])).toEqual([
      ['c', 1],
      ['a', 2],
      ['b', 3],
    ]);
  });

  it.each([
    [{}, ['`todos` must be an array of tasks, got nothing.']],
    [{ todos: 'none' }, ['`todos` must be an array of tasks, got "none".']],
    [{ tasks: {} }, ['`tasks` must be an array of tasks, got an object.']],
    [{ todos: ['x'] }, ['`todos[0]` must be an object with id, description and priority, got "x".']],
    [{ todos: [{ description: 'd' }] }, ['`todos[0].id` must be a non-empty string, got nothing.']],
    [{ todos: [{ id: ' ', description: 'd' }] }, ['`todos[0].id` must be a non-empty string, got "".']],
    [{ todos: [{ id: 'a' }] }, ['`todos[0].description` must be a non-empty text, got nothing.']],
    [{ todos: [{ id: 'a', description: 5 }] }, ['`todos[0].description` must be a non-empty text, got 5.']],
    [{ todos: [TASK, TASK] }, ['`todos` must have one task an id, got "task-1" twice.']],
    [
      { todos: [{ ...TASK, dependencies: 'a' }] },
      ['`todos[0].dependencies` must be an array of task ids, got "a".'],
    ],
    [
      { todos: [{ ...TASK, dependencies: [null] }] },
      ['`todos[0].dependencies[0]` must be a task id, got null.'],
    ],
    [
      { todos: [{ ...TASK, dependencies: ['x'] }] },
      ['`dependencies` of "task-1" must name tasks of the plan, got "x".'],
    ],
    [
      { todos: [{ ...TASK, dependencies: ['task-1'] }] },
      ['`dependencies` must not go in a circle, got "task-1" needs "task-1".'],
    ],
    [
      {
        todos: [
          { ...TASK, dependencies: ['b'] },
          { id: 'b', description: 'd', dependencies: ['task-1'] },
        ],
      },
      ['`dependencies` must not go in a circle, got "task-1" needs "b" needs "task-1".'],
    ],
    [{ todos: [TASK], needsMorePlanning: 'maybe' }, ['`needsMorePlanning` must be a boolean, got "maybe".']],
    [
      { todos: Array.from({ length: 201 }, (_, index) => ({ ...TASK, id: index })) },
      ['`todos` must hold at most 200 tasks, got 201.'],
    ],
  ])('L8 F18 parsePlan: %j → named errors and no value', (json, errors) => {
    expect(parsePlan(json)).toEqual({ ok: false, errors, value: null });
  });

  it('F18 parsePlan: a dependency on a task of an earlier plan → allowed', () => {
    expect(parsePlan({ todos: [{ ...TASK, dependencies: ['old'] }] }, ['old']).ok).toBe(true);
  });

  it('F7 parsePlan: a task that is there already, some of its fields null or left out → only what is given', () => {
    const left = { id: 'a', dependencies: null, completionCriteria: null, estimatedDuration: null };
    const given = { id: 'b', dependencies: [], completionCriteria: '', priority: 2 };
    const parsed = parsePlan({ todos: [left, given] }, ['a', 'b']);
    expect(parsed.ok && parsed.value.tasks).toEqual([{ id: 'a' }, { ...given, completionCriteria: null }]);
  });

  it('G15 L22 parsePlan: steps with numbers, tools and parameters → tasks that are calls, and the rest left to a role', () => {
    const steps = [
      { step: 1, description: 'Read a', tool: 'read', parameters: { path: 'a' } },
      { step: 2, description: 'Read b', tool: 'read', parameters: '{"path":"b"}' },
      { step: 3, description: 'Judge both', tool: null, parameters: null, dependencies: [1, 2] },
      { step: 4, description: 'Write it all', tool: 'put', parameters: 'everything' },
      { step: 5, description: 'Write more', tool: 'put', parameters: { text: 'x'.repeat(5_000) } },
    ];
    const parsed = parsePlan({ steps });
    expect(parsed.ok && parsed.value.tasks.map(({ id, call }) => [id, call])).toEqual([
      ['1', { tool: 'read', arguments: { path: 'a' } }],
      ['2', { tool: 'read', arguments: { path: 'b' } }],
      ['3', null],
      ['4', null],
      ['5', null],
    ]);
  });

  it('L22 parsePlan: a step whose parameters had a secret, which was taken out of the reply → left to its role', () => {
    const secrets = new Secrets();
    secrets.add('API_KEY', 'sk-0123456789abcdef');
    const step = {
      step: 1,
      description: 'Keep it',
      tool: 'put',
      parameters: { text: 'sk-0123456789abcdef' },
    };
    const said = secrets.redact(JSON.stringify({ steps: [step] }));
    const parsed = parsePlan(JSON.parse(said));
    expect(parsed.ok && parsed.value.tasks.map(({ call }) => call)).toEqual([null]);
    const begin = [{ tool: 'put', arguments: { text: '[secret API_KEY]' } }];
    const first = parsePlan({ begin, todos: [{ id: '1', description: 'Keep it' }] });
    expect(first.ok && first.value.begin).toEqual([]);
  });

  it.each([
    ['other words alone', { description: 'Read it twice' }, null],
    ['another place in the order', { priority: 3 }, undefined],
    ['null, as strict endpoints write', { tool: null, parameters: null }, undefined],
  ])('L22 parsePlan: a known task, %s → its call', (_what, more, call) => {
    const parsed = parsePlan({ todos: [{ id: 'a', ...more }] }, ['a']);
    expect(parsed.ok && parsed.value.tasks[0]?.call).toEqual(call);
  });

  it('F18 parsePlan: a task with the status skipped → given up by its id, and no task of the plan', () => {
    const rest = { id: 'b', description: 'Do b', dependencies: ['a'] };
    const parsed = parsePlan({ todos: [{ id: 'a', status: 'Skipped' }, rest] }, ['a']);
    expect(parsed.ok && parsed.value).toMatchObject({ dropped: ['a'], tasks: [{ id: 'b' }] });
    expect(parsePlan({ todos: [{ id: 'a', status: 'skipped' }] }, ['a']).ok).toBe(true);
  });

  it('L8 parsePlan: no task → asked for once, with a value for when it stays so', () => {
    expect(parsePlan({ todos: [] })).toEqual({
      ok: false,
      errors: ['`todos` must be an array of at least one task, got an empty array.'],
      value: { summary: '', needsMorePlanning: false, tasks: [], dropped: [], checks: [], begin: [] },
    });
    expect(parsePlan({ needsMorePlanning: true }).ok).toBe(true);
  });

  it('F18 parsePlan: no task, and there are some already → they stay as they are: nothing has to be made up', () => {
    expect(parsePlan({ todos: [] }, ['a'])).toMatchObject({ ok: true, value: { tasks: [], dropped: [] } });
    expect(parsePlan({ summary: 'Nothing helps.' }, ['a']).ok).toBe(false);
  });
});

describe('parseExecution', () => {
  it('G10 parseExecution: the component form → all fields, the echo without what is unknown', () => {
    const parsed = parseExecution({
      type: 'component',
      component: 'executor-response',
      summary: ' 42 files ',
      taskCompleted: false,
      shouldContinue: true,
      nextAction: 'Retry',
      todos: [
        { id: 't', status: 'Completed', isCurrent: true },
        { id: 'u', status: 'half done' },
        { status: 'completed' },
        { id: 7, status: 'pending' },
        null,
      ],
    });
    expect(parsed).toEqual({
      ok: true,
      value: {
        summary: '42 files',
        taskCompleted: false,
        shouldContinue: true,
        nextAction: 'retry',
        todos: [
          { id: 't', status: 'completed' },
          { id: '7', status: 'pending' },
        ],
      },
    });
  });

  it('F1 parseExecution: null and missing fields → both absent', () => {
    const absent = { summary: 's', taskCompleted: null, shouldContinue: null, nextAction: null, todos: [] };
    expect(parseExecution({ ...absent, todos: null })).toEqual({ ok: true, value: absent });
    expect(parseExecution({ summary: 's' })).toEqual({ ok: true, value: absent });
  });

  it.each([
    [{ summary: 's', taskCompleted: 'perhaps' }, ['`taskCompleted` must be a boolean, got "perhaps".']],
    [{ summary: 's', taskCompleted: 1 }, ['`taskCompleted` must be a boolean, got 1.']],
    [{ summary: 's', shouldContinue: [] }, ['`shouldContinue` must be a boolean, got an empty array.']],
    [
      { summary: 's', nextAction: 'stop' },
      ['`nextAction` must be one of continue, complete, skip, retry, got "stop".'],
    ],
  ])('L8 parseExecution: %j → named errors and no value', (json, errors) => {
    expect(parseExecution(json)).toEqual({ ok: false, errors, value: null });
  });

  it.each([
    [{ taskCompleted: true }, true],
    [{ taskCompleted: true, summary: 'Task completed.' }, true],
    [{ nextAction: 'complete', summary: '任务已完成' }, true],
    [{ taskCompleted: false, nextAction: 'complete', summary: 'Task completed.' }, false],
    [{ taskCompleted: false, summary: 'Done' }, false],
    [{ taskCompleted: true, summary: 'Done: 42 files contain TODO' }, false],
  ])('F11 parseExecution: %j → asked for once more: %j, and readable all the same', (json, doubted) => {
    const parsed = parseExecution(json);
    expect(parsed.ok).toBe(!doubted);
    expect(parsed.value).not.toBeNull();
  });
});

describe('parseVerdict', () => {
  const success = { allCompleted: true, userNeedsSatisfied: true, summary: 'There are 42.' };

  it('F9 parseVerdict: success with a summary → read', () => {
    const tasks = [{ id: 1, completed: true }];
    expect(parseVerdict({ ...success, overallFeedback: 'fine', tasks, improvements: null })).toEqual({
      ok: true,
      value: {
        ...success,
        overallFeedback: 'fine',
        improvements: [],
        exceptions: [],
        tasks: [{ id: '1', completed: true, feedback: '', evidence: [] }],
      },
    });
  });

  it('F9 parseVerdict: one improvement as a text → a list of one', () => {
    const parsed = parseVerdict({
      allCompleted: true,
      userNeedsSatisfied: false,
      improvements: 'Count again',
    });
    expect(parsed.ok && parsed.value.improvements).toEqual(['Count again']);
  });

  it.each([
    [{ ...success, summary: null }, '`summary` must be the answer to the user'],
    [{ ...success, summary: '  ' }, '`summary` must be the answer to the user'],
    [{ ...success, summary: 'All tasks completed.' }, '`summary` must hold the answer to the user itself'],
    [{ ...success, allCompleted: false }, '`improvements` must be an array with at least one'],
    [
      { ...success, userNeedsSatisfied: false, improvements: [] },
      '`improvements` must be an array with at least one',
    ],
    [
      { ...success, userNeedsSatisfied: false, improvements: [' '] },
      '`improvements` must be an array with at least one',
    ],
  ])('F9 F11 parseVerdict: %j → asked for once, readable all the same', (json, error) => {
    const parsed = parseVerdict(json);
    expect(errorsOf(parsed)).toHaveLength(1);
    expect(errorsOf(parsed)[0]).toContain(error);
    expect(parsed.value).not.toBeNull();
  });

  it.each([
    [
      {},
      [
        '`allCompleted` must be a boolean, got nothing.',
        '`userNeedsSatisfied` must be a boolean, got nothing.',
      ],
    ],
    [{ ...success, allCompleted: null }, ['`allCompleted` must be a boolean, got null.']],
    [
      { ...success, tasks: 'x' },
      ['`tasks` must be an array of { id, completed, feedback, evidence }, got "x".'],
    ],
    [
      { ...success, tasks: [{ feedback: 'f' }] },
      [
        '`tasks[0].id` must be a task id, got nothing.',
        '`tasks[0].completed` must be a boolean, got nothing.',
      ],
    ],
    [{ ...success, improvements: [1] }, ['`improvements[0]` must be a string, got 1.']],
  ])('L8 parseVerdict: %j → named errors and no value', (json, errors) => {
    expect(parseVerdict(json)).toEqual({ ok: false, errors, value: null });
  });
});

describe('parseRoleOutput', () => {
  it('G13 parseRoleOutput: broken text → an error that quotes it', () => {
    const broken = '{"summary":"s","taskCompleted":true,}';
    expect(errorsOf(parseRoleOutput('execution', broken))).toEqual([
      'The reply must be one complete, valid JSON object, got text that begins with "{"summary":"s","taskCompleted":true,}".',
    ]);
  });

  it('L8 parseRoleOutput: an empty reply → an error that says so', () => {
    expect(errorsOf(parseRoleOutput('plan', ' '))).toEqual([
      'The reply must be one complete, valid JSON object, got nothing.',
    ]);
  });

  it('parseRoleOutput: contract text → the text itself; nothing → an error', () => {
    expect(parseRoleOutput('text', ' hello {"a":1} ')).toMatchObject({ ok: true, value: 'hello {"a":1}' });
    expect(parseRoleOutput('text', ' ').ok).toBe(false);
  });

  it('F18 parseRoleOutput: known tasks → reach the plan', () => {
    const text = JSON.stringify({ todos: [{ ...TASK, dependencies: ['old'] }] });
    expect(parseRoleOutput('plan', text).ok).toBe(false);
    expect(parseRoleOutput('plan', text, { names: ['old'] }).ok).toBe(true);
  });

  it('L8 parseRoleOutput: any JSON whatever, under any contract → an answer that is plain data', () => {
    const field = fc.constantFrom(
      'todos',
      'tasks',
      'summary',
      'taskCompleted',
      'nextAction',
      'improvements',
      'id',
    );
    const item = fc.dictionary(
      fc.constantFrom('id', 'description', 'dependencies', 'status', 'completed'),
      fc.jsonValue(),
    );
    const value = fc.oneof(fc.jsonValue(), fc.array(item));
    const contract = fc.constantFrom('plan' as const, 'execution' as const, 'verdict' as const);
    fc.assert(
      fc.property(contract, fc.dictionary(field, value), (which, json) => {
        const parsed = parseRoleOutput(which, JSON.stringify(json));
        expect(JSON.parse(JSON.stringify(parsed))).toEqual(parsed);
        if (!parsed.ok) expect(parsed.errors.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('reaskText', () => {
  it.each(['plan', 'execution', 'verdict', 'text'] as const)(
    'L8 reaskText: %s → the errors and the form',
    contract => {
      const text = reaskText(contract, ['`summary` must be a text, got 1.']);
      expect(text).toContain('- `summary` must be a text, got 1.');
      expect(text).toContain(contract === 'text' ? 'with text' : '"component"');
    },
  );

  it('L8 reaskText: very many errors → ten, and how many more', () => {
    const text = reaskText(
      'plan',
      Array.from({ length: 50 }, (_, index) => `error ${index}`),
    );
    expect(text).toContain('- error 9\n- and 40 more like these.');
    expect(text).not.toContain('error 10');
  });
});

it('CF8 parseRoleOutput: what is wanted ends a clause → one comma before what was got', () => {
  const verdict = { allCompleted: false, userNeedsSatisfied: false, overallFeedback: 'No.', tasks: [] };
  const review = { approved: false, score: 5, feedback: 'No.', requiredFixes: [] };
  for (const [contract, json] of [
    ['verdict', verdict],
    ['review', review],
  ] as const) {
    const parsed = parseRoleOutput(contract, JSON.stringify(json));
    expect(parsed.ok ? [] : parsed.errors).toEqual([expect.stringMatching(/(done|approved), got/)]);
  }
});

it('CF2 parseRoleOutput: the phase execution of an orchestrator → not asked for, but read', () => {
  expect(reaskText('orchestration', ['x'])).not.toContain('"execution"');
  const proposal = { action: 'PHASE_TRANSITION', to: 'execution', reason: 'On.' };
  expect(parseRoleOutput('orchestration', JSON.stringify(proposal)).value).toMatchObject({ to: 'execution' });
});
