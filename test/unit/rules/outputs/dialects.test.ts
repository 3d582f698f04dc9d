import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formOf, parseRoleOutput, reaskText } from '../../../../src/rules/outputs/parse-output.js';
import { CONTRACTS } from '../../../../src/run/outputs/contracts.js';
import { extractJson, NO_ENVELOPE } from '../../../../src/run/outputs/envelope.js';

const RISK = { level: 'low', description: 'd' };
const AROUND = { thought: 't', expectedOutcome: 'o', risk: RISK, confidence: 90 };

const RELATION = { type: 'same_task_minor_change', confidence: 0.85, reasoning: 'r' };
const INTENT = {
  normalizedIntent: { goal: 'g', action: 'modify', scope: 'partial_task', urgency: 'low' },
  taskRelation: RELATION,
  contextDependency: {
    needsCurrentTaskContext: true,
    needsExecutionHistory: false,
    referencedEntities: ['a.txt'],
  },
};
const TASKS = [{ id: 'task-1', description: 'Count', dependencies: [] }];

/** For each contract: its action in an envelope, its fields, and what they are read into. */
const CASES = [
  ['plan', 'TASK_PLAN', { tasks: TASKS, executionOrder: ['task-1'] }, { tasks: [{ id: 'task-1' }] }],
  ['plan', 'TASK_PLAN', { todos: TASKS, needsMorePlanning: true }, { needsMorePlanning: true }],
  ['execution', 'REPORT', { summary: '42', taskCompleted: true, nextAction: 'complete' }, { summary: '42' }],
  [
    'verdict',
    'VERIFY',
    { allCompleted: true, userNeedsSatisfied: true, summary: 'There are 42.' },
    { allCompleted: true, summary: 'There are 42.' },
  ],
  ['intent', 'INTENT_ANALYSIS', INTENT, { ...INTENT, taskRelation: { ...RELATION, confidence: 85 } }],
  [
    'route',
    'ROUTE_DECISION',
    { route: 'minor_replan', payload: { reason: 'r', requiresConfirmation: true } },
    { route: 'minor_replan', payload: { reason: 'r', requiresConfirmation: true, control: null } },
  ],
  [
    'review',
    'REVIEW_RESULT',
    { approved: false, score: 40, feedback: 'f', requiredFixes: ['x'] },
    { approved: false, score: 40, feedback: 'f', requiredFixes: ['x'] },
  ],
  [
    'orchestration',
    'PHASE_TRANSITION',
    { to: 'Execution', reason: 'r' },
    { action: 'PHASE_TRANSITION', to: 'execution', reason: 'r' },
  ],
] as const;

describe('parseRoleOutput in two dialects', () => {
  it.each(CASES)(
    'C1 G10 %s: flat fields → the value, and no envelope made up',
    (contract, action, fields, value) => {
      const json = { type: 'component', ...(contract === 'orchestration' ? { action } : {}), ...fields };
      const read = parseRoleOutput(contract, JSON.stringify(json));
      expect(read).toMatchObject({ ok: true, value, envelope: NO_ENVELOPE, special: null });
    },
  );

  it.each(CASES)(
    'C1 G9 %s: an envelope → the same value, and what it says',
    (contract, action, params, value) => {
      const flat = parseRoleOutput(
        contract,
        JSON.stringify({ type: 'component', ...(contract === 'orchestration' ? { action } : {}), ...params }),
      );
      const read = parseRoleOutput(
        contract,
        JSON.stringify({ ...AROUND, action, params, userMessage: 'Hi' }),
      );
      expect(read).toMatchObject({ ok: true, value, special: null });
      expect(read.value).toEqual(flat.value);
      expect(read.envelope).toEqual({
        ...AROUND,
        dialect: 'envelope',
        action,
        alternativeActions: [],
        requiresUserConfirmation: false,
        userMessage: 'Hi',
      });
    },
  );

  it.each(CASES)(
    'G11 %s: an envelope with gaps → asked for once, with the value for when it stays',
    (contract, action, params) => {
      const { risk: _risk, ...gaps } = AROUND;
      const read = parseRoleOutput(contract, JSON.stringify({ ...gaps, action, params }));
      expect(read.ok).toBe(false);
      expect(!read.ok && read.errors).toEqual([
        '`risk` must be an object { level, description }, got nothing.',
      ]);
      expect(read.value).not.toBeNull();
      expect(read.envelope.risk).toBeNull();
    },
  );

  it.each(CASES)(
    'F17 G12 %s: a role that can not go on → what it says, in either dialect',
    (contract, _action) => {
      const question = { action: 'CLARIFICATION_REQUIRED', params: { question: 'Which?' } };
      const enveloped = parseRoleOutput(contract, JSON.stringify({ ...AROUND, ...question, confidence: 30 }));
      expect(enveloped).toMatchObject({
        ok: false,
        value: null,
        special: { kind: 'clarification', question: 'Which?' },
        envelope: { confidence: 30 },
        errors: ['The role asks the user: Which?'],
      });
      const flat = { type: 'component', action: 'ERROR', message: 'No tools', errorType: 'tool_unavailable' };
      expect(parseRoleOutput(contract, JSON.stringify(flat)).special).toMatchObject({
        kind: 'error',
        errorType: 'tool_unavailable',
      });
    },
  );

  it('G11 parseRoleOutput: faults in params → named as such, and no value', () => {
    const text = JSON.stringify({ ...AROUND, action: 'TASK_PLAN', params: { tasks: 'none' } });
    const read = parseRoleOutput('plan', text);
    expect(read).toMatchObject({
      ok: false,
      value: null,
      errors: ['`params.tasks` must be an array of tasks, got "none".'],
    });
  });

  it('G11 parseRoleOutput: an envelope without params → only that, and no value', () => {
    const read = parseRoleOutput('verdict', JSON.stringify({ ...AROUND, action: 'VERIFY' }));
    expect(read).toMatchObject({
      ok: false,
      value: null,
      errors: ['`params` must be an object, got nothing.'],
    });
  });

  it('C1 parseRoleOutput: action COMPLETE without flow fields → nextAction complete', () => {
    const read = (params: object) =>
      parseRoleOutput('execution', JSON.stringify({ ...AROUND, action: 'COMPLETE', params }));
    expect(read({ summary: '42 files' }).value).toMatchObject({
      nextAction: 'complete',
      taskCompleted: null,
    });
    expect(read({ summary: '42 files', taskCompleted: false }).value).toMatchObject({ nextAction: null });
    expect(read({ summary: '42 files', nextAction: 'retry' }).value).toMatchObject({ nextAction: 'retry' });
  });

  it('F19 parseRoleOutput: an executor calls what nobody offers → says so, instead of a lack of fields', () => {
    const text = JSON.stringify({ ...AROUND, action: 'read_fil', params: { path: 'a' } });
    expect(parseRoleOutput('execution', text)).toMatchObject({
      ok: false,
      value: null,
      errors: ['`action` must be COMPLETE or the exact name of an offered tool, got "read_fil".'],
    });
    const nothing = parseRoleOutput('execution', JSON.stringify({ ...AROUND, action: null, params: {} }));
    expect(JSON.stringify(nothing)).not.toContain('offered tool');
  });

  it('G13 parseRoleOutput: an envelope in prose beside other JSON → the envelope', () => {
    const envelope = JSON.stringify({ ...AROUND, action: 'REPORT', params: { summary: 'found 3' } });
    const text = `I read\n\`\`\`json\n{"name":"x"}\n\`\`\`\nand so: ${envelope} as asked`;
    expect(parseRoleOutput('execution', text).value?.summary).toBe('found 3');
    expect(extractJson(`${envelope} {"type":"component","a":1}`)).toEqual({ type: 'component', a: 1 });
  });

  it('C1 parseRoleOutput: text in an envelope → its answer; of a role that answers in plain text, where the reply is nothing else', () => {
    const text = JSON.stringify({ ...AROUND, action: 'ANSWER', params: { text: ' Hello ' } });
    const answer = { ok: true, value: 'Hello', envelope: { action: 'ANSWER' } };
    const quoting = `As an example:\n${text}`;
    for (const said of [text, `\`\`\`json\n${text}\n\`\`\``])
      expect(parseRoleOutput('text', said)).toMatchObject(answer);
    expect(parseRoleOutput('text', quoting)).toMatchObject({ value: quoting, envelope: NO_ENVELOPE });
    expect(parseRoleOutput('text', quoting, { dialect: 'envelope' })).toMatchObject(answer);
    for (const own of ['{"action":"go","params":{"text":"x"}}', '{"action":"ERROR","text":"Full"}'])
      expect(parseRoleOutput('text', own)).toMatchObject({ value: own, envelope: NO_ENVELOPE });
    expect(parseRoleOutput('text', 'Plain words', { dialect: 'envelope' }).value).toBe('Plain words');
    const asks = '{"action":"CLARIFICATION_REQUIRED","params":{"question":"Which?"}}';
    expect(parseRoleOutput('text', asks, { dialect: 'envelope' }).special).not.toBeNull();
    expect(parseRoleOutput('text', asks).special).not.toBeNull();
  });

  it.each([
    [{ text: 'Hello', summary: 'Other' }, 'Hello'],
    [{ answer: 'Hello' }, 'Hello'],
    [{ content: 'Hello' }, 'Hello'],
    [{ summary: 'Hello' }, 'Hello'],
    [{}, null],
    [{ result: 'Hello' }, null],
  ])(
    'G12 parseRoleOutput: the answer of an envelope with the parameters %j → %j, never JSON',
    (params, value) => {
      const text = JSON.stringify({ ...AROUND, action: 'ANSWER', params });
      const read = parseRoleOutput('text', text, { dialect: 'envelope' });
      expect(read).toMatchObject({ ok: value !== null, value });
      if (!read.ok) expect(read.errors).toEqual([expect.stringContaining('`params.text`')]);
    },
  );

  it('L8 parseRoleOutput: any JSON, under any contract → plain data; no value beside a special reply', () => {
    const key = fc.constantFrom(
      ...['thought', 'action', 'params', 'risk', 'confidence', 'normalizedIntent', 'taskRelation'],
      ...[
        'route',
        'payload',
        'approved',
        'score',
        'to',
        'resource',
        'handling',
        'reason',
        'contextDependency',
      ],
    );
    const word = fc.constantFrom(
      'ERROR',
      'ESCALATE',
      'PHASE_TRANSITION',
      'EXCEPTION_HANDLE',
      'COMPLETE',
      'x',
    );
    const inner = fc.dictionary(key, fc.oneof(fc.jsonValue(), word));
    const json = fc.dictionary(key, fc.oneof(fc.jsonValue(), inner, word));
    const contract = fc.constantFrom(...CASES.map(([name]) => name));
    fc.assert(
      fc.property(contract, json, (which, value) => {
        const read = parseRoleOutput(which, JSON.stringify(value));
        expect(JSON.parse(JSON.stringify(read))).toEqual(read);
        if (!read.ok) expect(read.errors.length).toBeGreaterThan(0);
        if (read.special !== null) expect(read.value).toBeNull();
      }),
    );
  });
});

describe('readers of the steering roles', () => {
  const errorsOf = (contract: 'intent' | 'route' | 'review' | 'orchestration', json: object) => {
    const read = parseRoleOutput(contract, JSON.stringify({ type: 'component', ...json }));
    return { errors: read.ok ? [] : read.errors, value: read.value };
  };

  it('F15 intent: nothing at all → each object named, no value', () => {
    const { errors, value } = errorsOf('intent', {});
    expect(errors.join('\n')).toMatch(/normalizedIntent[\s\S]*taskRelation[\s\S]*contextDependency/);
    expect(value).toBeNull();
  });

  it('F15 intent: only the relation → asked for once, then used with nulls for the rest', () => {
    const { errors, value } = errorsOf('intent', {
      taskRelation: { type: 'DIFFERENT_TASK', confidence: 2000 },
    });
    expect(errors.length).toBeGreaterThan(0);
    expect(value).toEqual({
      normalizedIntent: { goal: '', action: null, scope: null, urgency: null },
      taskRelation: { type: 'different_task', confidence: null, reasoning: '' },
      contextDependency: {
        needsCurrentTaskContext: null,
        needsExecutionHistory: null,
        referencedEntities: [],
      },
    });
  });

  it.each([
    [{}, ['`route` must be one of', '`payload` must be an object'], null],
    [{ route: 'home', payload: {} }, ['`route` must be one of'], null],
    [{ route: 'new_task' }, ['`payload` must be an object'], 'new_task'],
    [
      { route: 'control_action', payload: { control: 'fly' } },
      ['`payload.control` must be one of'],
      'control_action',
    ],
    [{ route: 'Control_Action', payload: { control: 'pause' } }, [], 'control_action'],
  ])('F16 route: %j → errors %j, route %j', (json, parts, route) => {
    const { errors, value } = errorsOf('route', json);
    expect(errors).toHaveLength(parts.length);
    for (const [index, part] of parts.entries()) expect(errors[index]).toContain(part);
    expect(value === null ? null : (value as { route: string }).route).toBe(route);
  });

  it.each([
    [{}, 2, false],
    [{ approved: true }, 1, true],
    [{ approved: true, score: 120 }, 1, true],
    [{ approved: 'true', score: 85, requiredFixes: [] }, 0, true],
    [{ approved: false, score: 10 }, 1, true],
    [{ approved: false, score: 10, requiredFixes: ['a', ' '] }, 0, true],
  ])('F20 review: %j → %d errors, a value: %j', (json, errorCount, readable) => {
    const { errors, value } = errorsOf('review', json);
    expect([errors.length, value !== null]).toEqual([errorCount, readable]);
  });

  it.each([
    [{ reason: 'r' }, false, false],
    [{ action: 'DANCE', reason: 'r' }, false, false],
    [{ action: 'PHASE_TRANSITION', reason: 'r' }, false, false],
    [{ action: 'PHASE_TRANSITION', to: 'lunch', reason: 'r' }, false, false],
    [{ action: 'PHASE_TRANSITION', to: 'planning' }, false, true],
    [{ action: 'PHASE_TRANSITION', to: 'planning', reason: 'r' }, true, true],
    [{ action: 'RESOURCE_ALLOCATE', resource: 'gold', amount: 1, reason: 'r' }, false, false],
    [{ action: 'RESOURCE_ALLOCATE', resource: 'rounds', target: 't', reason: 'r' }, false, true],
    [{ action: 'RESOURCE_ALLOCATE', resource: 'rounds', target: 't', amount: 5, reason: 'r' }, true, true],
    [{ action: 'RESOURCE_ALLOCATE', resource: 'model', target: 'planner', reason: 'r' }, false, true],
    [{ action: 'RESOURCE_ALLOCATE', resource: 'model', model: 'p/m', reason: 'r' }, true, true],
    [
      { action: 'RESOURCE_ALLOCATE', resource: 'model', model: 'p/m', amount: 'none', reason: 'r' },
      true,
      true,
    ],
    [
      { action: 'RESOURCE_ALLOCATE', resource: 'rounds', target: 't', amount: 'more', reason: 'r' },
      false,
      true,
    ],
    [{ action: 'EXCEPTION_HANDLE', handling: 'pray', reason: 'r' }, false, false],
    [{ action: 'EXCEPTION_HANDLE', handling: 'retry', taskId: 't', reason: 'r' }, true, true],
  ])('F21 orchestration: %j → right: %j, readable: %j', (json, right, readable) => {
    const { errors, value } = errorsOf('orchestration', json);
    expect([errors.length === 0, value !== null]).toEqual([right, readable]);
  });
});

describe('forms', () => {
  it.each(CASES)('L8 reaskText: %s → the form of the dialect it is asked in', (contract, action) => {
    expect(reaskText(contract, ['x'], 'component')).toContain('"type": "component"');
    const enveloped = reaskText(contract, ['x'], 'envelope');
    expect(enveloped).toContain('"expectedOutcome"');
    expect(enveloped).not.toContain('"type": "component"');
    if (CONTRACTS[contract].dialect === 'envelope') expect(formOf(contract, 'envelope')).toContain(action);
    expect(reaskText(contract, ['x'])).toBe(reaskText(contract, ['x'], CONTRACTS[contract].dialect));
  });
});
