import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAnswer } from '../../../../src/rules/gates/gate-answer.js';
import { answerFromWords, wordsHint } from '../../../../src/rules/gates/gate-words.js';
import {
  autoAnswer,
  choicesOf,
  fitGate,
  GATE_CHOICES,
  type Gate,
  type GateAnswer,
  type GateKind,
  hasWholeForm,
  safeAnswer,
} from '../../../../src/run/gates/gate.js';
import { limitsFault } from '../../../../src/run/limits/limits.js';
import { plannedTask } from '../../../support/core-values.js';

const BASE = { title: 't', body: 'b', openedAt: 1, deadline: 2 };
const GATES: Record<GateKind, Gate> = {
  approval: {
    ...BASE,
    id: 'g1',
    kind: 'approval',
    subject: { tool: 'write_file', callId: 'c1', arguments: '{}' },
  },
  plan: { ...BASE, id: 'g2', kind: 'plan', subject: { tasks: 2 } },
  question: { ...BASE, id: 'g3', kind: 'question', subject: { role: 'planner' } },
  route: { ...BASE, id: 'g4', kind: 'route', subject: { act: 'new_task', messageId: 'm1' } },
  clientTool: {
    ...BASE,
    id: 'g5',
    kind: 'clientTool',
    subject: { tool: 'pick_colour', callId: 'c5', arguments: '{}', idempotencyKey: 'k' },
  },
  budget: { ...BASE, id: 'g6', kind: 'budget', subject: { budget: 'tokens', limit: 1_000, used: 1_200 } },
  failure: { ...BASE, id: 'g7', kind: 'failure', subject: { model: 'p/a', models: ['p/b', 'p/c'] } },
  form: {
    ...BASE,
    id: 'g10',
    kind: 'form',
    subject: {
      server: 'shop',
      tool: 'order',
      callId: 'c9',
      schema: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
    },
  },
  step: { ...BASE, id: 'g8', kind: 'step', subject: { taskId: 't2', canReplan: true } },
};
const ALL = Object.values(GATES);
const KINDS = ALL.map(({ kind }) => kind);

const viaFor = (kind: GateKind) => (kind === 'clientTool' ? 'submitToolResult' : 'answerGate');

function answer(kind: GateKind, input: object, maxBytes = 1_000): GateAnswer | string {
  const checked = checkAnswer(ALL, { gateId: GATES[kind].id, ...input }, { via: viaFor(kind), maxBytes });
  return 'ok' in checked ? checked.ok.answer : checked.error;
}

/** An answer that is right for each kind, as the Web UI's form would send it. */
const RIGHT: Record<GateKind, object> = {
  approval: { decision: 'approve' },
  plan: { decision: 'approve' },
  question: { text: 'the second' },
  route: { decision: 'approve' },
  clientTool: { content: 'red' },
  budget: { decision: 'raise', to: 5_000 },
  failure: { decision: 'retry' },
  form: { decision: 'accept', content: { size: 4 } },
  step: { decision: 'replan' },
};

describe('checkAnswer', () => {
  it('L17 checkAnswer: an edited plan → its texts whole; of a task that is there only what is given, null too', () => {
    const whole = { id: 'a', description: 'x'.repeat(9_000) };
    const part = { id: 'b', completionCriteria: null, dependencies: [] };
    const rules = { via: 'answerGate', maxBytes: 20_000, knownTaskIds: ['b'] } as const;
    const input = { gateId: 'g2', decision: 'edit', tasks: [whole, part] };
    const checked = checkAnswer([GATES.plan], input, rules);
    expect('ok' in checked && checked.ok.answer).toEqual({
      ...{ kind: 'plan', decision: 'edit' },
      tasks: [plannedTask('a', whole), part],
    });
  });

  it.each([
    ['approval', { decision: 'approve' }, { decision: 'approve', reason: null, arguments: null }],
    [
      'approval',
      { decision: 'always', arguments: { path: 'b' } },
      { decision: 'always', arguments: { path: 'b' } },
    ],
    ['approval', { decision: 'deny', reason: ' no ' }, { decision: 'deny', reason: 'no' }],
    ['plan', { decision: 'reject', reason: 'Too long' }, { decision: 'reject', reason: 'Too long' }],
    [
      'plan',
      { decision: 'edit', tasks: [{ id: 'a', description: 'Do' }] },
      { decision: 'edit', tasks: [{ id: 'a', description: 'Do', priority: 1 }] },
    ],
    ['question', { text: ' 42 ' }, { text: '42' }],
    ['route', { decision: 'deny' }, { decision: 'deny', reason: null }],
    ['clientTool', { content: 'red' }, { content: [{ type: 'text', text: 'red' }], isError: false }],
    ['clientTool', { content: '', isError: true }, { content: [{ type: 'text', text: '' }], isError: true }],
    [
      'clientTool',
      {
        content: [
          { type: 'text', text: 'a', extra: 1 },
          { type: 'json', value: 1 },
        ],
      },
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'json', value: 1 },
        ],
      },
    ],
    [
      'clientTool',
      { content: [{ type: 'image' }] },
      { content: [{ type: 'json', value: [{ type: 'image' }] }] },
    ],
    ['clientTool', { content: [] }, { content: [{ type: 'json', value: [] }] }],
    ['clientTool', { content: { hex: 'f00' } }, { content: [{ type: 'json', value: { hex: 'f00' } }] }],
    ['budget', { decision: 'raise', to: '1201' }, { decision: 'raise', to: 1_201 }],
    ['budget', { decision: 'wrap_up' }, { decision: 'wrap_up' }],
    ['failure', { decision: 'stop' }, { decision: 'stop' }],
    ['step', { decision: 'abort' }, { decision: 'abort' }],
    ['step', { decision: 'replan' }, { decision: 'replan' }],
    ['step', { decision: 'skip', reason: ' Not now. ' }, { decision: 'skip', reason: 'Not now.' }],
    ['failure', { decision: 'other_model', model: 'p/c' }, { decision: 'other_model', model: 'p/c' }],
  ] as const)('C23 T11 checkAnswer: %s %j → %j', (kind, input, expected) => {
    expect(answer(kind, input)).toMatchObject({ kind, ...expected });
  });

  it.each([
    ['approval', {}, '`decision` must be one of approve, deny, always, got nothing.'],
    ['approval', { decision: 'yes' }, '`decision` must be one of approve, deny, always, got "yes".'],
    ['approval', { text: 'fine' }, '`decision` must be one of'],
    ['approval', { decision: 'approve', arguments: '{}' }, '`arguments` must be an object, got "{}".'],
    ['approval', { decision: 'deny', arguments: {} }, '`arguments` go with approve or always'],
    ['approval', { decision: 'approve', kind: 'plan' }, 'Gate g1 is of kind approval, not plan.'],
    ['approval', { decision: 'deny', reason: 'x'.repeat(2_000) }, 'bytes, and at most 1000 are taken'],
    ['plan', { decision: 'reject' }, '`reason` must be a text that tells the planner what to change'],
    ['plan', { decision: 'edit' }, '`tasks` must be an array of at least one task'],
    ['plan', { decision: 'edit', tasks: [] }, '`tasks` must be an array of at least one task'],
    ['plan', { decision: 'edit', tasks: [{ id: 'a' }] }, '`tasks[0].description` must be a non-empty text'],
    ['question', { text: ' ' }, '`text` must be the answer as a non-empty text'],
    ['question', { decision: 'approve' }, '`text` must be the answer'],
    ['route', { decision: 'always' }, '`decision` must be one of approve, deny, got "always".'],
    ['clientTool', {}, '`content` must be the result'],
    ['clientTool', { content: 'x', isError: 'maybe' }, '`isError` must be a boolean'],
    ['budget', { decision: 'raise' }, '`to` must be a limit of tokens above 1200, got nothing.'],
    ['budget', { decision: 'raise', to: 1_200 }, '`to` must be a limit of tokens above 1200, got 1200.'],
    ['step', { decision: 'ask' }, '`decision` must be one of skip, replan, abort, got "ask".'],
    ['failure', { decision: 'other_model' }, '`model` must be one of p/b, p/c, got nothing.'],
    ['failure', { decision: 'other_model', model: 'p/a' }, '`model` must be one of p/b, p/c, got "p/a".'],
  ] as const)('C23 checkAnswer: %s %j → refused: %s', (kind, input, error) => {
    expect(answer(kind, input)).toContain(error);
  });

  it.each([
    ['turns', 2.5],
    ['tokens', 1e21],
    ['totalTurns', 11.0000001],
    ['wallTimeMs', 1e308],
  ] as const)('C23 checkAnswer: %s raised to %d → refused as setBudget refuses it', (budget, to) => {
    const gate: Gate = { ...BASE, id: 'g', kind: 'budget', subject: { budget, limit: 1, used: 1 } };
    const rules = { via: 'answerGate', maxBytes: 1_000 } as const;
    expect(checkAnswer([gate], { gateId: 'g', decision: 'raise', to }, rules)).toEqual({
      error: limitsFault({ [budget]: to }),
    });
  });

  it('C23 K4 checkAnswer: the answer of every kind at the gate of every kind, by either update → right only at its own', () => {
    for (const at of KINDS) {
      for (const of of KINDS) {
        for (const via of ['answerGate', 'submitToolResult'] as const) {
          // The fields of a form would do as the result of a client's tool too.
          if (at === 'clientTool' && of === 'form') continue;
          const input = { gateId: GATES[at].id, ...RIGHT[of] };
          const checked = checkAnswer(ALL, input, { via, maxBytes: 1_000 });
          const decision = 'decision' in RIGHT[of] ? String(RIGHT[of].decision) : null;
          const fits =
            at === of || (decision !== null && decision !== 'raise' && GATE_CHOICES[at].includes(decision));
          expect([at, of, via, 'ok' in checked]).toEqual([at, of, via, via === viaFor(at) && fits]);
          if ('error' in checked && via !== viaFor(at)) expect(checked.error).toContain(viaFor(at));
        }
      }
    }
  });

  it.each([
    [{ gateId: 'g9' }, 'There is no gate g9. Open: g1 (approval), g2 (plan)'],
    [{ gateId: 'g0' }, 'Gate g0 is closed: it has its answer already.'],
    [{ decision: 'approve' }, '`gateId` must be the id of a gate, got nothing. Open: g1 (approval)'],
    [{ gateId: 1 }, '`gateId` must be the id of a gate, got 1.'],
    ['approve', '`answer` must be an object with gateId, got "approve".'],
    [undefined, '`answer` must be an object with gateId, got nothing.'],
  ])('C23 checkAnswer: %j → refused: %s', (input, error) => {
    const checked = checkAnswer(ALL, input, {
      via: 'answerGate',
      maxBytes: 1_000,
      closedHow: id => (id === 'g0' ? 'it has its answer already' : null),
    });
    expect('error' in checked && checked.error).toContain(error);
  });

  it('C23 checkAnswer: no gate is open → says so', () => {
    const checked = checkAnswer([], { gateId: 'g1' }, { via: 'answerGate', maxBytes: 1_000 });
    expect(checked).toEqual({ error: 'There is no gate g1. No gate is open.' });
  });

  it('T11 K4 checkAnswer: a tool result by its call → only for a client call that waits', () => {
    const rules = { via: 'submitToolResult', maxBytes: 1_000 } as const;
    expect(checkAnswer(ALL, { callId: 'c5', content: 'red' }, rules)).toMatchObject({
      ok: { gateId: 'g5' },
    });
    const error = 'No call c1 waits for a result.';
    const stranger = checkAnswer(ALL, { callId: 'c1', content: 'red' }, rules);
    expect('error' in stranger && stranger.error).toContain(error);
    const asGate = checkAnswer(ALL, { callId: 'c5', decision: 'approve' }, { ...rules, via: 'answerGate' });
    expect('error' in asGate && asGate.error).toContain('`gateId` must be');
  });

  it('C23 checkAnswer: one other model, not named → that one; none → no such choice', () => {
    const rules = { via: 'answerGate', maxBytes: 1_000 } as const;
    const withModels = (models: string[]): Gate => ({
      ...BASE,
      id: 'g',
      kind: 'failure',
      subject: { model: 'p/a', models },
    });
    const input = { gateId: 'g', decision: 'other_model' };
    expect(checkAnswer([withModels(['p/b'])], input, rules)).toMatchObject({
      ok: { answer: { model: 'p/b' } },
    });
    expect(choicesOf(withModels([]))).toEqual(['retry', 'stop']);
    expect(checkAnswer([withModels([])], input, rules)).toHaveProperty('error');
  });

  it('C23 checkAnswer: any JSON → an answer or a sentence, never an exception', () => {
    const key = fc.constantFrom(
      'gateId',
      'callId',
      'decision',
      'text',
      'content',
      'to',
      'tasks',
      'arguments',
      'isError',
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(...ALL.map(({ id }) => id), ...Object.values(GATE_CHOICES).flat()),
    );
    const via = fc.constantFrom('answerGate' as const, 'submitToolResult' as const);
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(key, value)), via, (input, by) => {
        const checked = checkAnswer(ALL, input, { via: by, maxBytes: 1_000 });
        if ('error' in checked) expect(checked.error).toMatch(/\.$/);
        else expect(checked.ok.answer.kind).toBe(ALL.find(gate => gate.id === checked.ok.gateId)?.kind);
      }),
    );
  });
});

describe('answers without a person', () => {
  const SAFE: Record<GateKind, object> = {
    approval: { decision: 'deny', arguments: null },
    plan: { decision: 'reject' },
    question: { text: null },
    route: { decision: 'deny' },
    clientTool: { isError: true },
    budget: { decision: 'wrap_up' },
    failure: { decision: 'stop' },
    form: { decision: 'decline' },
    step: { decision: 'skip' },
  };
  const APPROVED: readonly GateKind[] = ['approval', 'plan', 'route'];

  it.each(KINDS)('C23 C34 safeAnswer: %s → deny, best effort or stop', kind => {
    expect(safeAnswer(GATES[kind])).toMatchObject({ kind, ...SAFE[kind] });
  });

  it('C23 autoAnswer: every kind, with and without --yes, attended or not → never a hang, never money or retries by itself', () => {
    for (const kind of KINDS) {
      for (const yes of [true, false]) {
        for (const attended of [true, false]) {
          const got = autoAnswer(GATES[kind], { yes, attended });
          const approves = yes && APPROVED.includes(kind);
          if (approves) expect(got).toMatchObject({ kind, decision: 'approve' });
          else if (attended || kind === 'clientTool') expect(got).toBeNull();
          else expect(got).toMatchObject({ kind, ...SAFE[kind] });
        }
      }
    }
  });
});

it('autoAnswer: a route that changes a limit, with --yes → a person is asked, and where there is none it is denied (TR2)', () => {
  const gate = { ...GATES.route, subject: { act: 'orchestration', messageId: 'm', enlarges: true } } as Gate;
  expect(autoAnswer(gate, { yes: true, attended: true })).toBeNull();
  expect(autoAnswer(gate, { yes: true, attended: false })).toMatchObject({ kind: 'route', decision: 'deny' });
});

describe('answerFromWords', () => {
  it.each([
    ['approval', 'y', { decision: 'approve' }],
    ['approval', ' YES ', { decision: 'approve' }],
    ['approval', 'n too risky', { decision: 'deny', reason: 'too risky' }],
    ['approval', 'n', { decision: 'deny' }],
    ['approval', 'a', { decision: 'always' }],
    ['approval', 'w', { decision: 'always', alwaysFor: 'workspace' }],
    ['approval', 'e {"path": "b"}', { decision: 'approve', arguments: { path: 'b' } }],
    ['plan', 'ok', { decision: 'approve' }],
    ['plan', 'n fewer tasks', { decision: 'reject', reason: 'fewer tasks' }],
    [
      'plan',
      'e [{"id":"a","description":"d"}]',
      { decision: 'edit', tasks: [{ id: 'a', description: 'd' }] },
    ],
    ['question', 'no, the second one', { text: 'no, the second one' }],
    ['route', 'no', { decision: 'deny' }],
    ['clientTool', 'red', { content: 'red' }],
    ['clientTool', '{"content":"x","isError":true}', { content: 'x', isError: true }],
    ['clientTool', '{"hex":"f00"}', { content: { hex: 'f00' } }],
    ['clientTool', '[1,2]', { content: [1, 2] }],
    ['clientTool', 'null', { content: 'null' }],
    ['budget', '2,000,000', { decision: 'raise', to: 2_000_000 }],
    ['budget', 'raise 2000', { decision: 'raise', to: 2_000 }],
    ['budget', 'w', { decision: 'wrap_up' }],
    ['failure', 'r', { decision: 'retry' }],
    ['step', 's', { decision: 'skip' }],
    ['step', 'R', { decision: 'replan' }],
    ['step', 'r: Use the other file.', { decision: 'replan', reason: 'Use the other file.' }],
    ['step', 'abort', { decision: 'abort' }],
    ['failure', 'm p/c', { decision: 'other_model', model: 'p/c' }],
    ['failure', 'p/b', { decision: 'other_model', model: 'p/b' }],
    ['failure', 's', { decision: 'stop' }],
  ] as const)('S4 answerFromWords: %s "%s" → %j, which checkAnswer takes', (kind, words, input) => {
    expect(answerFromWords(GATES[kind], words)).toEqual({ input });
    if (!(kind === 'approval' && words === 'n')) expect(typeof answer(kind, input)).toBe('object');
  });

  it.each([
    ['approval', 'maybe'],
    ['approval', 'e {broken'],
    ['plan', 'e'],
    ['route', 'always'],
    ['budget', 'lots'],
    ['failure', 'p/x'],
    ['question', '  '],
  ] as const)('S4 answerFromWords: %s "%s" → an error that says what may be typed', (kind, words) => {
    const read = answerFromWords(GATES[kind], words);
    expect('error' in read && read.error).toContain(wordsHint(GATES[kind]));
  });
});

describe('a line at a gate', () => {
  const changes = (reason: string) => ({ decision: 'reject', reason });
  const LINES: readonly [GateKind, string, object | null][] = [
    // A word that grants or decides is the whole line: what stands behind it would be lost.
    ['approval', 'always ask me first, do not write anything yet', null],
    ['approval', 'workspace is wrong, do not', null],
    ['approval', 'a line is missing', null],
    ['approval', 'wait', null],
    ['approval', 'yes but only once', null],
    ['approval', 'ok: only once', null],
    ['approval', 'approve?', null],
    ['approval', 'e the path', null],
    ['approval', ' Yes! ', { decision: 'approve' }],
    ['approval', '好。', { decision: 'approve' }],
    ['approval', 'Always.', { decision: 'always' }],
    ['approval', 'workspace', { decision: 'always', alwaysFor: 'workspace' }],
    // A no may say why.
    ['approval', 'no, use b.txt', { decision: 'deny', reason: 'use b.txt' }],
    ['approval', 'No. The other one', { decision: 'deny', reason: 'The other one' }],
    ['approval', '不，太多', { decision: 'deny', reason: '太多' }],
    ['approval', 'n .env stays', { decision: 'deny', reason: '.env stays' }],
    ['approval', 'n.b. the path', null],
    ['approval', 'nothing', null],
    ['plan', 'ok but drop t2, do not delete anything', changes('ok but drop t2, do not delete anything')],
    ['plan', 'y: but drop t2', changes('y: but drop t2')],
    ['plan', 'edit the second task', changes('edit the second task')],
    ['plan', 'ok.', { decision: 'approve' }],
    ['route', 'yes but keep task 3', null],
    ['route', 'yes: but keep task 3', { decision: 'approve', reason: 'but keep task 3' }],
    ['route', 'no keep task 3', { decision: 'deny', reason: 'keep task 3' }],
    ['step', 'a retry would help', null],
    ['step', 'skip to the end', null],
    ['step', 'abort： too late', { decision: 'abort', reason: 'too late' }],
    ['step', 'A', { decision: 'abort' }],
    ['failure', 'stop retrying and use gpt-5', null],
    ['failure', 'retry with p/b', null],
    ['failure', 'm: p/b', { decision: 'other_model', model: 'p/b' }],
    ['budget', 'no limit, go on', null],
    ['budget', 'w of course not', null],
    ['budget', 'raise 2.5', { decision: 'raise', to: 2.5 }],
    ['budget', 'raise to 5000', null],
    ['form', 'no, the size is 5', null],
    ['form', 'yes of course', null],
    ['form', 'cancel the old one', null],
    ['form', 'y 5', { decision: 'accept', content: { size: 5 } }],
    ['form', 'accept {"size": 5}', { decision: 'accept', content: { size: 5 } }],
    ['form', 'decline', { decision: 'decline' }],
    ['question', 'yes but later', { text: 'yes but later' }],
    ['clientTool', 'ok then', { content: 'ok then' }],
  ];

  it.each(LINES)('WB3 answerFromWords: %s, %j → %j', (kind, line, input) => {
    const read = answerFromWords(GATES[kind], line);
    if (input) expect(read).toEqual({ input });
    else
      expect(read).toEqual({
        error: `"${line}" is none of these, so nothing is decided: ${wordsHint(GATES[kind])}`,
      });
  });
});

it.each(['2', 'a', 'Cadiz', 'none of them'])(
  'WB3 answers: %j to a question with options → that (F17)',
  text => {
    const subject = { role: 'react', options: ['Lagos', 'Cadiz'] };
    const gate: Gate = { ...BASE, id: 'g3', kind: 'question', subject };
    expect(wordsHint(gate)).toContain('letter');
    const rules = { via: 'answerGate', maxBytes: 1_000 } as const;
    expect(checkAnswer([gate], { gateId: 'g3', text }, rules)).toEqual({
      ok: { gateId: 'g3', answer: { kind: 'question', text } },
    });
  },
);

it('WB7 fitGate: title, text and options that hide something → show it, and the option that is chosen says what is shown', () => {
  const hidden = [...'delete it'].map(each => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');
  const asked: Gate = {
    ...BASE,
    id: 'g1',
    kind: 'question',
    title: 'What\u202eshall I do?',
    body: `Say.\n\n- a) Keep the backup${hidden}`,
    subject: { role: 'react', options: [`Keep the backup${hidden}`] },
  };
  const shown = fitGate(asked, []);
  expect(shown).toMatchObject({
    title: 'What‹U+202E›shall I do?',
    body: 'Say.\n\n- a) Keep the backup‹hidden: delete it›',
    subject: { options: ['Keep the backup‹hidden: delete it›'] },
  });
  expect(fitGate(shown, [])).toEqual(shown);
});

it('WB3 fitGate: a long question where others wait → it is cut, the options are whole', () => {
  const options = Array.from({ length: 9 }, (_, at) => `${'保'.repeat(190)} ${at}`);
  const asked: Gate = {
    ...{ ...BASE, id: 'g1', kind: 'question', title: 'Which?', body: 'Q '.repeat(3_900) },
    subject: { role: 'react', options },
  };
  const open = [{ ...asked, body: 'y'.repeat(46_700) }];
  const shown = fitGate(asked, open);
  expect(shown.body).toMatch(/… \[cut: \d+ characters\]$/);
  expect(choicesOf(shown)).toEqual(options);
});

it('WB10 hasWholeForm: options that the room left would cut → the question of an agent waits', () => {
  const subject = { role: 'react', options: ['x'.repeat(3_000), 'none'] };
  const asked: Gate = { ...BASE, id: 'g1', kind: 'question', subject };
  const full = Array.from({ length: 3 }, () => ({ ...asked, body: 'y'.repeat(17_000) }));
  expect(hasWholeForm(fitGate(asked, []), asked)).toBe(true);
  expect(hasWholeForm(fitGate(asked, full), asked)).toBe(false);
});

it('WB7 fitGate: an option with a letter of another script among Latin ones → the letter stands by its code', () => {
  const options = ['y\u0435s', 'yes', 'да', 'Ελλάδα', '10 \u03bcm'];
  const subject = { role: 'react', options };
  const shown = fitGate({ ...BASE, id: 'g1', kind: 'question', subject }, []);
  expect(choicesOf(shown)).toEqual(['y‹U+0435›s', 'yes', 'да', 'Ελλάδα', '10 \u03bcm']);
});

describe('SE9: a gate of several changes', () => {
  const calls = ['c1', 'c2'].map(callId => ({ tool: 'edit', callId, path: `${callId}.ts` }));
  const gate: Gate = {
    ...{ ...BASE, id: 'g1', kind: 'approval' },
    subject: { tool: 'edit', callId: 'c1', arguments: '{}', calls },
  };
  const via = { via: 'answerGate', maxBytes: 1_000 } as const;

  it.each([
    ['y', { decision: 'approve' }],
    ['y except 2: keep it', { decision: 'approve', except: { 2: 'keep it' } }],
    ['ja, except 2: keep it', null],
    ['y except 1: a; 2: b', { decision: 'approve', except: { 1: 'a', 2: 'b' } }],
    ['y except 2', null],
    ['y but not 2', null],
    ['n later', { decision: 'deny', reason: 'later' }],
    ['e {"path": "x"}', null],
  ])('typed: %s → %j', (line, input) => {
    const read = answerFromWords(gate, line);
    expect('input' in read ? read.input : null).toEqual(input);
  });

  it('numbers and ids mean its calls; arguments and reasons that are none are refused', () => {
    const check = (input: object) =>
      checkAnswer([gate], { gateId: 'g1', decision: 'approve', ...input }, via);
    for (const name of ['2', 'c2'])
      expect(check({ except: { [name]: 'keep it' } })).toMatchObject({
        ok: { answer: { except: { c2: 'keep it' } } },
      });
    for (const input of [{ arguments: {} }, { except: { 3: 'x' } }, { except: { 2: '' } }])
      expect(check(input)).toHaveProperty('error');
    expect(check({ decision: 'deny', except: { 2: 'x' } })).toHaveProperty('error');
  });
});
