/** What a run says, on the page in Chinese: its own texts are translated, and no others. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import { expect, test } from 'vitest';
import { refusalOf } from '../../../../packages/console/guard.js';
import { JOURNAL } from '../../../../packages/console/page/words/journal-zh.js';
import { ADDED_TEXTS, RUN_TEXTS } from '../../../../packages/console/page/words/run-texts.js';
import { sayInChinese } from '../../../../packages/console/page/words/said-zh.js';
import { say, words as ZH } from '../../../../packages/console/page/words/zh.js';
import { schemaFaults } from '../../../../src/base/text/schema-faults.js';
import { BUILT_IN_WORDS, fill, type Words } from '../../../../src/base/words/words.js';
import { approvalText, planText } from '../../../../src/rules/gates/gate-text.js';
import { decideRoute } from '../../../../src/rules/steering/route.js';
import { GATE_CHOICES } from '../../../../src/run/gates/gate.js';
import { OUTCOMES } from '../../../../src/run/limits/cause.js';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import { PURPOSES, STOP_REASONS, TOOL_ENDINGS } from '../../../../src/run/messages/message.js';
import { TASK_STATUSES } from '../../../../src/run/plan/plan.js';
import { type InboxItem, STEER_TIMES } from '../../../../src/run/steering/inbox.js';
import {
  acceptedReceipt,
  appliedReceipt,
  calledBackReceipt,
  passingOnReceipt,
  queuedReceipt,
  readReceipt,
  returnedReceipt,
  type Situation,
} from '../../../../src/run/steering/receipt.js';
import { plannedTask } from '../../../support/core-values.js';

const { en, zh } = BUILT_IN_WORDS;
const BOTH = [true, false];

/** Compares what the page says of an English run with what a Chinese run says. */
function expectSame(text: (words: Words) => string): void {
  expect([text(en), sayInChinese(text(en))]).toEqual([text(en), text(zh)]);
}

function* situations(): Generator<[InboxItem, (words: Words) => Situation]> {
  const doings = [
    'loading',
    'model_call',
    'tool_call',
    'check_call',
    'between',
    'asking',
    'waiting',
    'idle',
  ] as const;
  for (const doing of doings)
    for (const kind of ['steer', 'follow-up'] as const)
      for (const when of STEER_TIMES)
        for (const to of [null, 'planner'])
          for (const paused of BOTH)
            for (const understands of BOTH)
              for (const isAgent of BOTH)
                for (const isAfter of BOTH)
                  yield [
                    { id: 'x', kind, text: 't', when, to, at: 1 },
                    words => ({
                      ...{ doing, paused, understands, isAgent, interruptible: true, stopping: false },
                      wrappingUp: isAfter,
                      first: isAfter ? fill(words.receiptAfterRole, { role: 'reviewer' }) : null,
                    }),
                  ];
}

test('FC6 receipts of messages, in every situation → what a Chinese run says', () => {
  for (const [item, situation] of situations())
    expectSame(words => acceptedReceipt(words, item, situation(words)).how);
  for (const to of [null, 'planner'])
    for (const ahead of [0, 2]) expectSame(words => queuedReceipt(words, { id: 'x', to }, ahead).how);
  for (const tooLate of BOTH) expectSame(words => readReceipt(words, 'x', 'search/1', tooLate).how);
  expectSame(words => calledBackReceipt(words, 'x', 'search/1').how);
  expectSame(words => passingOnReceipt(words, { id: 'x', text: 't' }, 'search/1').how);
  expectSame(words => returnedReceipt(words, 'x', fill(words.receiptAgentEnded, { agent: 'search/1' })).how);
  const as = (words: Words) =>
    fill(words.receiptAsBoth, { as: fill(words.receiptAsControl, { control: 'pause' }) });
  expectSame(words => appliedReceipt(words, 'x', { as: as(words), turn: 3 }).how);
});

test.each([
  ...RUN_TEXTS.map(pair => [...pair, false] as const),
  ...ADDED_TEXTS.map(pair => [...pair, true] as const),
])('FC6 a text of prompts/words, %j → its Chinese', (english, chinese, inWords) => {
  const values = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => `${name}.1`);
  expect(sayInChinese(values(english), inWords)).toBe(values(chinese));
});

test('FC6 gates → what a Chinese run asks, and the words of the model as they are', () => {
  const call = {
    tool: 'write',
    callId: 'c',
    input: { path: 'a', content: 'It may destroy or overwrite something.' },
    thought: 'Why: so.',
  };
  expectSame(words => approvalText(words, { ...call, concerns: [words.mayDestroy] }).body);
  expectSame(words => approvalText(words, { ...call, concerns: [] }).title);
  const tasks = [
    plannedTask('t1', { completionCriteria: 'It is there.' }),
    plannedTask('t2', { dependencies: ['t1'] }),
  ];
  expectSame(words => planText(words, tasks, [words.reviewNoTask], [{ run: 'npm test' }]).body);
});

test.each([
  'Cancel the run? No, keep it: it is needed.',
  'It may destroy or overwrite something. Trust me.',
  '```json\nThe run has ended.\n```',
  'The run has ended. 然后呢？',
  '',
])('FC6 words of others, %j → as they are', text => {
  expect(sayInChinese(text)).toBe(text);
});

const valuesOf = (tree: object): string[] =>
  Object.values(tree).flatMap(value => (typeof value === 'string' ? [value] : valuesOf(value)));

test.each([
  [
    'openai/gpt-5: openai/gpt-5 at https://api.openai.com/v1 answered HTTP 401: Incorrect key. See docs. Check the key in OPENAI_API_KEY.',
    'openai/gpt-5: openai/gpt-5（https://api.openai.com/v1）返回 HTTP 401：Incorrect key. See docs。请检查 OPENAI_API_KEY 中的密钥。',
  ],
  [
    'local/a: No connection to local/a at http://localhost:1/v1 (ECONNREFUSED). Is a model server running at this address? The address is set by LOCAL_URL.',
    'local/a：连不上 local/a（http://localhost:1/v1，ECONNREFUSED）。这个地址上是否运行着模型服务器？地址由 LOCAL_URL 设定。',
  ],
  ['task-1 (max rounds):', 'task-1（轮次用尽）：'],
  [
    'continue: The message changes nothing in the plan: the roles read it and go on.',
    '继续：消息不改变计划：各角色读到它并继续。',
  ],
  ['npm test: failed, exit code 1', 'npm test：未通过，退出码 1'],
  ['executor → a/b: chosen by a person', 'executor → a/b：由人选择'],
  ['raise to 2500000', '提高到 2500000'],
  ['planner: the plan as it stands', 'planner：现有的计划'],
  [
    'react: No tools are available here: the calls were not run. The reply must hold a text, got nothing.',
    'react：这里没有工具可用，调用没有执行。回复必须有文字，而它是空的。',
  ],
])('FC6 a line of the journal, %j → in Chinese, with the words of others', (english, chinese) => {
  expect(sayInChinese(english)).toBe(chinese);
});

const SCHEMA = {
  type: 'object',
  required: ['port'],
  additionalProperties: false,
  properties: {
    port: { type: 'integer', minimum: 1, exclusiveMaximum: 9 },
    name: { type: 'string', minLength: 2, maxLength: 4, pattern: '^a' },
    mode: { enum: ['on', 'off'] },
    tags: { type: 'array', minItems: 1, maxItems: 2 },
    only: { const: 1 },
    any: { anyOf: [false, false] },
    one: { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    no: { not: { const: 'x' } },
    both: { dependentRequired: { a: ['b'] } },
    own: { uniqueItems: true },
    even: { multipleOf: 2 },
    few: { minProperties: 1, maxProperties: 2 },
  },
};

test.each<[Record<string, unknown>, string]>([
  [{}, 'the arguments：缺少必需的属性 "port"'],
  [{ port: 'x' }, 'port：应为 integer，得到的是 string "x"'],
  [{ port: 0 }, 'port：必须 >= 1，得到的是 number 0'],
  [{ port: 9 }, 'port：必须 < 9，得到的是 number 9'],
  [{ port: 1, mode: 'x' }, 'mode：应为下列之一：string "on", string "off"，得到的是 string "x"'],
  [{ port: 1, only: 2 }, 'only：应为 number 1，得到的是 number 2'],
  [{ port: 1, name: 'a' }, 'name：文字太短（1 < 2），得到的是 string "a"'],
  [{ port: 1, name: 'aaaaa' }, 'name：文字太长（5 > 4），得到的是 string "aaaaa"'],
  [{ port: 1, name: 'bb' }, 'name：必须符合模式 "^a"，得到的是 string "bb"'],
  [{ port: 1, tags: [] }, 'tags：项目太少（0 < 1），得到的是 array []'],
  [{ port: 1, tags: [1, 2, 3] }, 'tags：项目太多（3 > 2），得到的是 array [1,2,3]'],
  [
    { port: 1, x: 1 },
    'the arguments：未知的属性 "x"；已知的有：port, name, mode, tags, only, any, one, no, both, own, even, few',
  ],
  [{ port: 1, one: 3 }, 'one：必须恰好符合一种允许的形式，得到的是 number 3'],
  [{ port: 1, no: 'x' }, 'no：符合了不允许的形式，得到的是 string "x"'],
  [{ port: 1, both: { a: 1 } }, 'both：有 "a" 却没有 "b"，得到的是 object {"a":1}'],
  [{ port: 1, own: [1, 2, 1] }, 'own：第 0 项和第 2 项（从 0 数起）重复，得到的是 array [1,2,1]'],
  [{ port: 1, few: {} }, 'few：属性太少（0 < 1），得到的是 object {}'],
  [{ port: 1, few: { a: 1, b: 2, c: 3 } }, 'few：属性太多（3 > 2），得到的是 object {"a":1,"b":2,"c":3}'],
  [{ port: 1, even: 3 }, 'even：必须是 2 的倍数，得到的是 number 3'],
])(
  'FC6 what a schema finds wrong with %j → in Chinese, alone and in the refusal of a form',
  (value, said) => {
    const [fault = ''] = schemaFaults(
      SCHEMA,
      value,
      ({ schema, draft, value: judged, onlyFirst }) =>
        new Validator(schema as Schema, draft, onlyFirst).validate(judged).errors,
    );
    expect(sayInChinese(fault)).toBe(said);
    const refused = `The fields do not fit the form: ${fault}; ${fault}.`;
    expect(sayInChinese(refused)).toBe(`填写的内容不符合表单：${said}；${said}。`);
  },
);

test('FC6 what a Chinese run says of a check, with a reason of its worker → all in Chinese', () => {
  const why = fill(zh.checkNotRun, { why: 'it was cut off' });
  const line = fill(zh.checksNotPassed, { checks: `npm test [${why}]` });
  expect(say(line, 'role')).toBe('未通过的检查：npm test [未运行：它被打断]。');
});

test('FC6 why a run failed → the words of an endpoint after the kind of failure, those of the run in Chinese', () => {
  expect(say('No such deployment', 'failed:model.unknown_model')).toBe('没有这个模型：No such deployment');
  expect(say('The model declined to answer.', 'failed:model.refused')).toBe('模型拒绝回答。');
  expect(say('Something else', 'failed:of a later version')).toBe('Something else');
});

test('FC6 failures, decisions and reasons of tasks → each has Chinese words', () => {
  const names = Object.keys(ZH);
  const failures = valuesOf(FAILURE).map(type => `failure_${type.replace(/^model\./, '')}`);
  const decisions = Object.values(GATE_CHOICES).flatMap(choices => choices.map(each => `decision_${each}`));
  const others = [
    ...Object.keys(PURPOSES).map(each => `purpose_${each}`),
    ...[...TOOL_ENDINGS, ...STOP_REASONS.slice(2)].map(each => `ending_${each}`),
    ...OUTCOMES.map(each => `outcome_${each}`),
    ...TASK_STATUSES.map(each => `status_${each}`),
  ];
  expect([...failures, ...decisions, ...others].filter(name => !names.includes(name))).toEqual([]);
  const reasons = ['workflows/phases', 'rules/plan', 'run/plan', 'features/orchestrator'].flatMap(folder =>
    [
      ...sourceOf(`src/${folder}`).matchAll(
        /(?:reason: |UNCONFIRMED = |REPLANNED = |REMOVED = |ABORTED = )'([\w ]+)'/g,
      ),
    ].map(([, reason = '']) => reason.replaceAll('_', ' ')),
  );
  expect(reasons.length).toBeGreaterThan(10);
  expect(reasons.filter(reason => sayInChinese(reason) === reason)).toEqual([]);
});

test('FC6 texts of journals and faults → each is one that the sources have', () => {
  const folders = ['src', 'packages/view', 'packages/console'].map(sourceOf);
  const validator = 'node_modules/@cfworker/json-schema/dist/esm/validate.js';
  const others = ['prompts/words/en.yaml', validator].map(path => readFileSync(path, 'utf8'));
  const sources = [...folders, ...others].join('\n').replaceAll("\\'", "'");
  const isThere = (part: string) => sources.includes(part) || sources.includes(part.replaceAll(' ', '_'));
  // What the sources insert has names of its own there, so only the words between are compared.
  const parts = JOURNAL.flatMap(([english]) => english.split(/\{\w+\}/)).map(part =>
    part.replace(/^\W+|\W+$/g, ''),
  );
  expect(parts.filter(part => part !== '' && !isThere(part))).toEqual([]);
});

/** The page's own words are no source of what it translates. */
function sourceOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.startsWith('page/'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

test('FC6 the question how a message was meant → itself and its answers are said in Chinese', () => {
  const route = { proposal: null, intent: null, clarification: null, concerns: [], items: [] };
  const given = { ...route, idle: false, paused: false, hasPlan: true, isOnlyTask: false };
  for (const at of [-1, 0, 1, 2, 3])
    expectSame(words => {
      const { question, options } = decideRoute({ ...given, words });
      return (at < 0 ? question : options[at]) ?? '';
    });
});

const good = { host: '127.0.0.1:7418', authorization: 'Bearer good' };

test.each([
  ['another host', { host: 'elsewhere:1' }],
  ['another page', { ...good, origin: 'http://evil.example' }],
  ['another site', { ...good, 'sec-fetch-site': 'cross-site' }],
  ['no token', { host: good.host }],
  ['a form', { ...good, 'content-type': 'text/plain' }],
])(
  'FC6 a request that the console refuses, of %s → said in Chinese',
  (_, headers: Record<string, string>) => {
    const request = new Request('http://127.0.0.1:7418/api/runs', { method: 'POST', headers });
    const knows = (token: string) => token === 'good';
    const message = refusalOf(request, { hosts: [good.host], knows, isOpen: false })?.message ?? '';
    expect(message).not.toBe('');
    expect(
      sayInChinese(message).replace(/\b(?:Host|Origin|Sec-Fetch-Site|Content-Type|JSON)\b/g, ''),
    ).not.toMatch(/[a-z]/i);
  },
);

test.each([
  [
    'There is no run boat in the namespace default at 127.0.0.1:7233.',
    '127.0.0.1:7233 的命名空间 default 中没有运行 boat。',
  ],
  [
    'Nearest: boat-1, boat-2. List the runs with: steersman list',
    '相近的有：boat-1, boat-2。列出运行：steersman list',
  ],
  ['There is no conversation boat in the store.', '存储中没有会话 boat。'],
  [
    'The run boat has ended (stopped): it accepts nothing more.',
    '运行 boat 已经结束（已停止），不再接受任何内容。',
  ],
  ['The disk fell off.', 'The disk fell off.'],
])(
  'FC6 a fault of the server, %j → in Chinese what it words, words of others as they are',
  (english, chinese) => {
    expect(sayInChinese(english)).toBe(chinese);
  },
);
