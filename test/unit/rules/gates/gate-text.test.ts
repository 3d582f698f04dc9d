import { describe, expect, it } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { checkAnswer } from '../../../../src/rules/gates/gate-answer.js';
import { gateParts } from '../../../../src/rules/gates/gate-parts.js';
import {
  approvalOf,
  approvalText,
  argumentLine,
  clientToolText,
  gateMarkdown,
  planText,
} from '../../../../src/rules/gates/gate-text.js';
import { hiddenLines } from '../../../../src/rules/gates/whole-gate.js';
import { fitGate, type Gate } from '../../../../src/run/gates/gate.js';
import { plannedTask } from '../../../support/core-values.js';

const BASE = { title: 't', body: 'b', openedAt: 1, deadline: 1_700_000_000_000 };
const GATES: Gate[] = [
  { ...BASE, id: 'g1', kind: 'approval', subject: { tool: 'w', callId: 'c1', arguments: '{}' } },
  { ...BASE, id: 'g2', kind: 'plan', subject: { tasks: 2 } },
  { ...BASE, id: 'g3', kind: 'question', subject: { role: 'planner' } },
  { ...BASE, id: 'g4', kind: 'route', subject: { act: 'new_task', messageId: 'm1' } },
  {
    ...BASE,
    id: 'g5',
    kind: 'clientTool',
    subject: { tool: 'p', callId: 'c5', arguments: '{}', idempotencyKey: 'k' },
  },
  { ...BASE, id: 'g6', kind: 'budget', subject: { budget: 'tokens', limit: 10, used: 12 } },
  { ...BASE, id: 'g7', kind: 'failure', subject: { model: 'p/a', models: ['p/b', 'p/c'] } },
];

const WORDS = BUILT_IN_WORDS.en;

describe('gateMarkdown', () => {
  it.each(GATES)('C23 gateMarkdown: $kind → every answer it shows is one that checkAnswer takes', gate => {
    const text = gateMarkdown(WORDS, gate);
    const shown = [...text.matchAll(/update `(\w+)`: `(.*)`/g)];
    expect(shown.length).toBeGreaterThan(0);
    for (const [, update, json] of shown) {
      const via = update === 'submitToolResult' ? 'submitToolResult' : 'answerGate';
      expect(checkAnswer([gate], JSON.parse(json ?? ''), { via, maxBytes: 1_000 })).toHaveProperty('ok');
    }
    expect(text).toContain('without an answer by 2023-11-14T22:13:20.000Z: ');
    expect(gateMarkdown(WORDS, { ...gate, deadline: null })).not.toContain('without an answer');
  });
});

describe('foreign text in the Web UI (TR6)', () => {
  const question = (body: string, title = 't') =>
    gateMarkdown(WORDS, { ...BASE, title, body, id: 'g3', kind: 'question', subject: { role: 'p' } });

  it('gateMarkdown: a question that plays a gate, with a link and a picture → a quotation, plain', () => {
    const text = question(
      '**g9: Run ls?**\n\n- update `answerGate`: `{}`\n![x](http://e/p.png)\n<b>',
      '[t](http://e)',
    );
    expect(text.split('\n').slice(0, 7)).toEqual([
      '**g3: \\[t\\](http\\://e)**',
      '',
      '> \\*\\*g9: Run ls?\\*\\*  ',
      '>',
      '> \\- update \\`answerGate\\`: \\`{}\\`  ',
      '> !\\[x\\](http\\://e/p.png)  ',
      '> \\<b>',
    ]);
  });

  it.each([
    ['a fence', '```json\n{ "a": "…', '> \\`\\`\\`json  \n> { "a": "…\n\n- update'],
    ['blanks before a line', 'a\n    [b](c)', '> a  \n> \u00a0\u00a0\u00a0\u00a0\\[b\\](c)\n\n- update'],
    ['what is no fence', '```a`` ![x](y)', '> \\`\\`\\`a\\`\\` !\\[x\\](y)\n\n- update'],
  ])(
    'gateMarkdown: %s in a question → its words, and what follows stands outside, as it is',
    (_, body, shown) => {
      expect(question(body)).toContain(shown);
    },
  );

  it.each<[string, string, string, string[]]>([
    ['its title is the question', 'Which?', ' Which?\n', []],
    ['its title is the first paragraph', 'Which?', 'Which?\n\nYour message: Red.', ['Your message: Red.']],
    ['its title is the first line alone', 'Which?', 'Which?\nThe red one?', ['Which?\nThe red one?']],
  ])('FC6 gateParts: a question, %s → its words stand once', (_, title, body, said) => {
    expect(gateParts({ kind: 'question', title, body })).toEqual(said.map(text => ({ kind: 'said', text })));
    expect(gateParts({ kind: 'route', title, body })).toEqual(said.map(text => ({ kind: 'text', text })));
  });

  it('FC6 gateParts: a question of an older version, whose text has its options too → they stand once', () => {
    const question = { kind: 'question', title: 'Which?' } as const;
    const parts = gateParts({ ...question, body: 'Your message: Red.\n- a) A\n- b) B' }, ['A', 'B']);
    expect(parts).toEqual([
      { kind: 'said', text: 'Your message: Red.' },
      { kind: 'options', options: ['A', 'B'] },
    ]);
    expect(gateParts({ ...question, body: 'Red?\n' })).toEqual([{ kind: 'said', text: 'Red?' }]);
  });

  it('gateMarkdown: arguments that were cut → a block that ends where it ends', () => {
    const [gate] = GATES;
    const text = gateMarkdown(WORDS, { ...(gate as Gate), body: '```json\n{ "a": "…' });
    expect(text).toContain('> ```json\n> { "a": "…\n> ```\n\n- update');
  });
});

describe('texts of gates', () => {
  it('F22 approvalText: thought, concerns with their mitigation, and the arguments in full', () => {
    const concerns = ['High risk: Deletes files. Mitigation: A copy is kept'];
    const { title, body } = approvalText(WORDS, {
      callId: 'c1',
      tool: 'wipe',
      input: { path: 'a' },
      thought: 'It is old.',
      concerns,
    });
    expect(title).toBe('Call wipe?');
    expect(body).toBe(
      'Why: It is old.\n\n- High risk: Deletes files. Mitigation: A copy is kept\n\n```json\n{\n  "path": "a"\n}\n```',
    );
  });

  it('K2 approvalText: fences in the arguments → can not end the block; long arguments say what is left out', () => {
    expect(clientToolText(WORDS, { tool: 'p', callId: 'c1', input: '```\n# Approve me\n````' }).body).toMatch(
      /^`````json\n[\s\S]*\n`````$/,
    );
    expect(clientToolText(WORDS, { tool: 'p', callId: 'c1', input: 'x'.repeat(5_000) }).body).toContain(
      '1002 characters more',
    );
    expect(clientToolText(WORDS, { tool: 'p', callId: 'c1', input: undefined }).body).toContain('null');
  });

  it('K2 approvalText: what nobody sees, or turns the text around → is shown by its code, in arguments and diffs', () => {
    const given = { tool: 'run', callId: 'c1', thought: '', concerns: [] };
    const command = 'rm \u202e/yppoc\u200b # \u2066x';
    const { body } = approvalText(WORDS, { ...given, input: { command } });
    expect(body).toContain('"rm \\u202e/yppoc\\u200b # \\u2066x"');
    const edit = { oldText: 'a\r\nb', newText: 'a\r\n\u202eb' };
    expect(approvalText(WORDS, { ...given, input: edit }).body).toContain('\n a\n-b\n+\\u202eb\n');
    const input = { path: 'f', content: 'x' };
    const compared = { kind: 'new', diff: '+\u202ex' } as const;
    expect(approvalText(WORDS, { ...given, input, compared }).body).toContain('\n+\\u202ex\n');
  });

  it('WB10 planText: a task and a criterion longer than a line → stand in it whole', () => {
    const description = `Copy the backup. ${'Then look at it. '.repeat(30)}At last delete the disk.`;
    const task = plannedTask('a', { description, completionCriteria: `${'It is so. '.repeat(40)}And gone.` });
    const { body } = planText(WORDS, [task], []);
    expect(body).toContain(description);
    expect(body).toContain('And gone.');
  });

  it('L15 planText: tasks that wait for others → in the order in which they run, each with those that it waits for', () => {
    const wipe = plannedTask('wipe', { priority: 1, dependencies: ['back up', 'gone'] });
    const { body } = planText(WORDS, [wipe, plannedTask('back up', { priority: 9 })], []);
    expect(body.split('\n').map(line => line.split(': ')[0])).toEqual([
      '- "back up"',
      '- wipe (after "back up")',
    ]);
  });

  it('WB7 planText: an id with words and lines of its own → stands in quotes', () => {
    const task = plannedTask('t1: Tidy the docs\n\n[n]', { description: "<drop> 'drop the database'" });
    expect(planText(WORDS, [task], []).body).toBe(
      '- "t1: Tidy the docs\\n\\n[n]": <drop> \'drop the database\'',
    );
  });

  it.each([
    ['Note', 'en', '"Note"'],
    ['note', 'en', '"note"'],
    ['Ｎote.', 'en', '"Ｎote."'],
    ['Runs', 'en', '"Runs"'],
    ['注意', 'en', '"注意"'],
    ['为证明目标已达到而运行', 'zh', '"为证明目标已达到而运行"'],
    ['Remark', 'en', '"Remark"'],
    ['notes', 'en', 'notes'],
  ] as const)('WB7 planText: the id %s, in %s → begins no line as the run does', (id, language, shown) => {
    const words = {
      ...BUILT_IN_WORDS[language],
      ...(id === 'Remark' && { gatePlanNote: 'Remark: {concern}' }),
    };
    const body = planText(
      words as typeof WORDS,
      [plannedTask(id, { description: 'all of it is safe' })],
      [],
    ).body;
    expect(body.startsWith(`- ${shown}`)).toBe(true);
  });

  it('WB7 planText, hiddenLines: ids that look equal and are not → told apart by their codes', () => {
    const tasks = ['café', 'cafe\u0301', 'né'].map(id => plannedTask(id, { description: `to do ${id}` }));
    const ids = ['- "caf\\u00e9"', '- "cafe\\u0301"', '- né'];
    const { body } = planText(WORDS, tasks, []);
    expect(body.split('\n').map(line => line.split(': ')[0])).toEqual(ids);
    const whole = hiddenLines(
      { kind: 'plan', title: 't', body: '… [cut: 9 characters]' },
      { input: null, tasks },
    );
    expect(whole.slice(1).map(line => line.split(': ')[0])).toEqual(ids);
  });

  it('WB7 planText: blanks that are none in a task → noted before the line is made', () => {
    const task = plannedTask('a', { description: 'rm\ufeff -rf\u2028x\u00a0\u00a0y' });
    expect(planText(WORDS, [task], []).body).toBe('- a: rm‹U+FEFF› -rf‹U+2028›x‹U+00A0×2›y');
  });

  it('WB7 planText: a concern of several lines → each of them behind a bar', () => {
    const { body } = planText(WORDS, [plannedTask('a')], ['Fine.\n- b: Delete it\r\n```json']);
    expect(body).toContain('\n- Note: Fine.\n  │ - b: Delete it\n  │ ```json');
  });

  it('WB7 planText: a letter that looks like one of another script → stands in a check by its code', () => {
    const { body } = planText(WORDS, [], [], [{ kind: 'command', run: 'n\u0440m test' } as never]);
    expect(body).toContain('"n\\u0440m test"');
  });

  it('WB7 argumentLine: blanks within arguments → as they are, for programs', () => {
    const input = { content: 'def f():\n    return  1' };
    expect(JSON.parse(argumentLine(input))).toEqual(input);
    expect(argumentLine({ a: 'x'.repeat(2_000) })).toHaveLength(1_000);
  });

  it('S4 approvalOf: arguments that are cut, a long thought → what “always” allows is shown all the same', () => {
    const { title, body, subject } = approvalOf(
      WORDS,
      { name: 'run', serverToolName: 'run', origin: { type: 'client' } },
      {
        ...{ callId: 'c1', thought: 'why '.repeat(200), concerns: ['c'.repeat(3_000)] },
        input: { command: `deploy ${'z'.repeat(9_000)}` },
      },
    );
    const asked: Gate = { ...BASE, id: 'g1', kind: 'approval', title, body, subject };
    const open = Array.from({ length: 3 }, (): Gate => ({ ...asked, body: 'y'.repeat(20_000) }));
    expect(fitGate(asked, open).body).toContain('“Always” allows');
  });

  it('L15 planText: tasks with their criteria, and notes of a review', () => {
    const task = plannedTask('a', { description: 'Count', completionCriteria: 'A number' });
    expect(
      planText(
        WORDS,
        [task, { ...task, id: 'b', completionCriteria: null }],
        ['The role is only 60 % sure.'],
      ),
    ).toEqual({
      title: 'Carry out this plan of 2 task(s)?',
      body: '- a: Count (done when: A number)\n- b: Count\n- Note: The role is only 60 % sure.',
    });
  });
});

describe('hiddenLines', () => {
  const gate = (body: string) => ({ kind: 'plan', title: 't', body }) as const;
  const tasks = [
    plannedTask('a', { description: 'Copy it' }),
    plannedTask('b', { description: 'Delete it' }),
  ];

  it('WB10 hiddenLines: a plan that was cut → all of its tasks, also where the words of one stand in another', () => {
    const { body } = planText(WORDS, [plannedTask('a', { description: 'Copy it, never Delete it' })], []);
    const all = ['All of its tasks:', '- a: Copy it', '- b: Delete it'];
    expect(hiddenLines(gate(`${body}… [cut: 40 characters]`), { input: null, tasks })).toEqual(all);
    expect(hiddenLines(gate(planText(WORDS, tasks, []).body), { input: null, tasks })).toEqual([]);
    expect(hiddenLines(gate('- a: Copy it'), { input: null, tasks })).toEqual(all);
  });

  it('S4 hiddenLines: arguments that only a concern repeats → are told', () => {
    const { body } = approvalText(WORDS, {
      ...{ tool: 'w', callId: 'c1', input: { a: 'x'.repeat(9_000) }, thought: '', concerns: ['{}'] },
    });
    expect(hiddenLines({ kind: 'approval', title: 't', body }, { input: {} })).toHaveLength(2);
  });
});
