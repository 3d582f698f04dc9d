import { describe, expect, test } from 'vitest';
import { parseRoleOutput, reaskText } from '../../../src/core/outputs/parse-output.js';
import type { Task } from '../../../src/core/plan/plan.js';
import { answerBrief, choiceBrief, stepBrief } from '../../../src/core/prompts/answer-briefs.js';
import {
  continueTaskBrief,
  morePlanningBrief,
  overdueBrief,
  planningBrief,
  retryTaskBrief,
  reviewFixesBrief,
  taskBrief,
  taskCapBrief,
  verificationBrief,
  wrapUpBrief,
} from '../../../src/core/prompts/briefs.js';
import { BUILT_IN_WORDS } from '../../../src/core/prompts/words.js';
import { planningAt } from '../../../src/core/state/place.js';
import type { RunState } from '../../../src/core/state/run-state.js';
import { newRunState } from '../../../src/core/state/run-state.js';
import type { WireBody, WireMessage } from '../../../src/protocol-server/request.js';
import { readBrief, tasksOf } from '../../../src/rehearsal/briefs.js';
import { readConversation } from '../../../src/rehearsal/conversation.js';
import { replyFor } from '../../../src/rehearsal/roles.js';
import { task as newTask, pinnedRun } from '../../support/core-values.js';
import { testRole } from '../../support/small-run.js';

const GOAL = 'Count the lines by language. Was sagt notes.md?';

function task(id: string, status: Task['status'] = 'pending'): Task {
  return newTask(id, { description: `Do ${id} — well`, completionCriteria: 'it is done', status });
}

function state(tasks: Task[] = [], wanted: string[] = [], language = 'en') {
  const run = newRunState(GOAL, { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  run.pinned = pinnedRun({ language });
  run.tasks = tasks;
  if (wanted.length > 0) run.cursor.place = planningAt(2, { from: 'verification', wanted, reading: null });
  return run;
}

function briefOfPlan(run: RunState): string {
  const { place } = run.cursor;
  if (place.phase !== 'planning') throw new Error('the run does not plan');
  return planningBrief(run, place);
}

const WHY = 'the tokens are used up';
const LATE = { estimatedMs: 10_000, takenMs: 11_000 };

describe('rehearsal: the words of the run are understood', () => {
  test.each(Object.keys(BUILT_IN_WORDS))(
    'briefs (%s): each one that the run writes → what it says',
    language => {
      const at = (...given: [Task[]?, string[]?]) => state(given[0], given[1], language);
      const tasks = [task('survey', 'completed'), task('source-2', 'failed')];
      const read = (text: string) => readBrief(text) ?? { kind: null, text, slots: {} };
      expect(read(briefOfPlan(at())).kind).toBe('plan');
      const again = read(briefOfPlan(at(tasks, ['Read a.ts.', 'Read <b>'])));
      expect(again.kind).toBe('replan');
      const verify = read(verificationBrief(at(tasks)));
      expect(verify.kind).toBe('verify');
      for (const brief of [again, verify])
        if (brief.kind !== null)
          expect(tasksOf(brief)).toMatchObject([
            { id: 'survey', description: expect.stringContaining('Do survey — well') },
            { id: 'source-2' },
          ]);
      const begun = readBrief(taskBrief(at(tasks), task('read'), testRole('executor'), 7));
      expect(begun).toMatchObject({ kind: 'task', slots: { id: 'read', description: 'Do read — well' } });
      expect(read(continueTaskBrief(at(), 'read', 1)).kind).toBe('go_on');
      expect(read(retryTaskBrief(at(), 'read', 1)).kind).toBe('go_on');
      expect(read(reviewFixesBrief(at(), 'read', ['More'], 1)).kind).toBe('go_on');
      expect(read(overdueBrief(at(), 'read', LATE)).kind).toBe('go_on');
      expect(read(taskCapBrief(at(), task('read'))).kind).toBe('report');
      expect(read(answerBrief(at(), { memory: 'private', tools: ['*'], agents: [] }, 7)).kind).toBe('work');
      const turn = { number: 1, of: 2, rounds: 7, next: 'editor' };
      expect(read(stepBrief(at(), testRole('auditor'), turn)).kind).toBe('work');
      expect(read(choiceBrief(at(), { memory: 'shared' })).kind).toBe('choose');
      const end = read(wrapUpBrief(at(), WHY, { memory: 'shared' }));
      expect(end).toMatchObject({ kind: 'wrap_up', slots: { why: 'the tokens are used up' } });
      expect(read(morePlanningBrief(at(), 2)).kind).toBe('other');
      expect(read(GOAL).kind).toBeNull();
    },
  );
});

const TOOLS = ['list_directory_with_sizes', 'read_multiple_files', 'read_text_file', 'read_result'];
const user = (content: string): WireMessage => ({ role: 'user', content });

function body(messages: WireMessage[], options: { tools?: string[]; schema?: string } = {}): WireBody {
  const { tools = [], schema } = options;
  const overview = `<tools>\n${TOOLS.map(name => `- ${name}: Does it.`).join('\n')}\n</tools>`;
  return {
    model: 'rules',
    messages: [{ role: 'system', content: overview }, ...messages],
    tools: tools.map(name => ({ type: 'function', function: { name } })),
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: schema, schema: {} } } }),
  };
}

let callCount = 0;
/** A reply that calls tools, with their results as the run gives them. */
function called(...calls: [name: string, args: object, result: string | { error: string }][]): WireMessage[] {
  const made = calls.map(([name, args, result]) => ({ id: `c${callCount++}`, name, args, result }));
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: made.map(({ id, name, args }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      })),
    },
    ...made.map(({ id, name, result }): WireMessage => {
      const text = typeof result === 'string' ? result : result.error;
      const note = typeof result === 'string' ? '' : 'The call failed.\n';
      return {
        role: 'tool',
        tool_call_id: id,
        content: `${note}<tool_output tool="${name}">\n${text}\n</tool_output>`,
      };
    }),
  ];
}

const LISTED = called([
  'list_directory_with_sizes',
  { path: '.' },
  '[FILE] a.ts 10 B\n[FILE] notes.md 20 B\n[DIR] node_modules ',
]);
const READ_NOTES = called([
  'read_text_file',
  { path: 'notes.md' },
  '# Notes\n\nThese are notes of all kinds.\n',
]);
const READ_ALL = called(['read_text_file', { path: 'a.ts' }, 'one\ntwo // TODO x\n']);

const start = [user(GOAL), user(briefOfPlan(state()))];
const doTask = (id: string) => user(taskBrief(state(), task(id), testRole('executor'), 10));
const verify = (...ids: string[]) => user(verificationBrief(state(ids.map(id => task(id, 'completed')))));
const answer = (messages: WireMessage[], options = {}) => replyFor(readConversation(body(messages, options)));

describe('rehearsal: roles', () => {
  test.each([
    ['the form that is wanted', { schema: 'verdict' }, 'verdict'],
    ['the brief, where none is', {}, 'execution'],
  ])('role: known by %s', (_, options, form) => {
    const goesOn = user(continueTaskBrief(state(), 'survey', 1));
    for (const brief of [doTask('survey'), goesOn])
      expect(readConversation(body([user(GOAL), brief], options)).form).toBe(form);
  });

  test('planner: a goal about lines and a file → tasks with criteria that depend on the survey', () => {
    const reply = answer(start, { schema: 'plan' });
    const plan = parseRoleOutput('plan', reply.text);
    expect(plan).toMatchObject({ ok: true });
    expect(plan.value?.tasks.map(({ id, dependencies }) => [id, dependencies])).toEqual([
      ['survey', []],
      ['read', ['survey']],
      ['source', ['survey']],
    ]);
    expect(plan.value?.tasks.every(({ completionCriteria }) => completionCriteria)).toBe(true);
  });

  test('planner: no file tools → one task that says so, and the answer is not called served', () => {
    const request = body(start, { schema: 'plan' });
    request.messages[0] = { role: 'system', content: '(No tools are connected.)' };
    const plan = parseRoleOutput('plan', replyFor(readConversation(request)).text);
    expect(plan.value?.tasks.map(({ id }) => id)).toEqual(['explain']);
    const verdict = parseRoleOutput(
      'verdict',
      answer([...start, verify('explain')], { schema: 'verdict' }).text,
    );
    expect(verdict.value).toMatchObject({
      userNeedsSatisfied: false,
      summary: expect.stringContaining('No tools'),
    });
    request.messages.push(user(briefOfPlan(state([task('explain', 'completed')], ['More.']))));
    const again = parseRoleOutput('plan', replyFor(readConversation(request)).text);
    expect(again.value?.tasks.map(({ id }) => id)).toEqual(['explain']);
  });

  test('executor: a survey → the folder, then the folders in it, those of dependencies left out', () => {
    const folder = ['list_directory_with_sizes', { path: '.' }, '[DIR] src\n[DIR] node_modules'] as const;
    const messages = [...start, doTask('survey')];
    const asked = (more: WireMessage[]) => answer([...messages, ...more], { tools: TOOLS }).calls;
    expect(asked([])).toEqual([{ name: 'list_directory_with_sizes', arguments: { path: '.' } }]);
    expect(asked(called([...folder])).map(call => call.arguments)).toEqual([{ path: 'src' }]);
  });

  test('executor: everything there → a report with the data, completed', () => {
    const reply = answer([...start, doTask('source'), ...LISTED, ...READ_NOTES, ...READ_ALL], {
      tools: TOOLS,
    });
    const report = parseRoleOutput('execution', reply.text);
    expect(report).toMatchObject({
      ok: true,
      value: { taskCompleted: true, summary: expect.stringContaining('5 lines') },
    });
  });

  test('executor: rounds used up → an honest report, not completed', () => {
    const messages = [...start, doTask('source'), ...LISTED, user(taskCapBrief(state(), task('source')))];
    const report = parseRoleOutput('execution', answer(messages).text);
    expect(report.value).toMatchObject({ taskCompleted: false, summary: expect.stringContaining('0 of 2') });
  });

  test('verifier: a text file was not read → sent back with its name (F9), and planned as a new task (F13)', () => {
    const messages = [
      ...start,
      { role: 'assistant' as const, content: answer(start, { schema: 'plan' }).text },
      ...LISTED,
      ...READ_NOTES,
    ];
    const verdict = parseRoleOutput(
      'verdict',
      answer([...messages, verify('survey', 'read', 'source')], { schema: 'verdict' }).text,
    );
    expect(verdict).toMatchObject({
      ok: true,
      value: { allCompleted: false, improvements: [expect.stringContaining('a.ts')] },
    });
    expect(verdict.value?.tasks.filter(one => !one.completed).map(one => one.id)).toEqual(['source']);
    const again = briefOfPlan(state([task('source', 'failed')], verdict.value?.improvements));
    const plan = parseRoleOutput('plan', answer([...messages, user(again)], { schema: 'plan' }).text, {
      known: ['source'],
    });
    expect(plan.value?.tasks.map(({ id }) => id)).toEqual(['source-2']);
  });

  test('verifier: everything was read → the answer with label, counts and what the file says', () => {
    const messages = [...start, ...LISTED, ...READ_NOTES, ...READ_ALL, verify('survey', 'read', 'source')];
    const verdict = parseRoleOutput('verdict', answer(messages, { schema: 'verdict' }).text);
    expect(verdict).toMatchObject({ ok: true, value: { allCompleted: true, userNeedsSatisfied: true } });
    const summary = verdict.value?.summary ?? '';
    expect(summary.split('\n')[0]).toContain('Rehearsal model: rules, not intelligence.');
    expect(summary).toContain('**5 lines** in all 2 text files');
    expect(summary).toContain('These are notes of all kinds.');
  });

  test('verifier: a file of the goal does not exist → the answer says so, and is not asked for for ever', () => {
    const error = { error: 'ENOENT: no such file or directory' };
    const messages = [
      user('What does gone.md say?'),
      user(briefOfPlan(state())),
      ...called(['read_text_file', { path: 'gone.md' }, error]),
      ...LISTED,
      verify('read'),
    ];
    const verdict = parseRoleOutput('verdict', answer(messages, { schema: 'verdict' }).text);
    expect(verdict.value).toMatchObject({
      allCompleted: true,
      summary: expect.stringMatching(/## gone\.md\n\nThere is no such file.*ENOENT/s),
    });
  });

  test('verifier: a wish said during the run → asks for what it needs', () => {
    const messages = [
      user('What does notes.md say?'),
      user(briefOfPlan(state())),
      ...LISTED,
      ...READ_NOTES,
      user('Also count the lines'),
      verify('read'),
    ];
    const verdict = parseRoleOutput('verdict', answer(messages, { schema: 'verdict' }).text);
    expect(verdict.value).toMatchObject({
      allCompleted: false,
      improvements: [expect.stringContaining('a.ts')],
    });
  });

  test('verifier: a goal that rules can not serve → an honest answer, not satisfied', () => {
    const messages = [
      user('Write a web server'),
      user(briefOfPlan(state())),
      ...LISTED,
      ...READ_NOTES,
      ...READ_ALL,
      verify('survey'),
    ];
    const verdict = parseRoleOutput('verdict', answer(messages, { schema: 'verdict' }).text);
    expect(verdict.value).toMatchObject({
      allCompleted: true,
      userNeedsSatisfied: false,
      summary: expect.stringContaining('cannot do what the goal asks with “write”'),
    });
  });

  test('follow-up goal: results of the goal before do not count', () => {
    const messages = [
      ...start,
      ...LISTED,
      ...READ_ALL,
      verify('survey'),
      user('Find all TODOs'),
      user(briefOfPlan(state())),
    ];
    expect(readConversation(body([...messages, doTask('survey')]))).toMatchObject({
      goal: 'Find all TODOs',
      calls: [],
    });
  });

  test('follow-up goal after a conversation that is full → its own calls still have room', () => {
    const messages = [
      ...start,
      user('x'.repeat(1_000_000)),
      verify('survey'),
      user('List the largest files'),
      user(briefOfPlan(state())),
    ];
    const reply = answer([...messages, doTask('survey')], { tools: TOOLS });
    expect(reply.calls.map(call => call.name)).toEqual(['list_directory_with_sizes']);
  });

  test('a goal whose results fill the conversation → no more calls, and the report says what was not read', () => {
    const large = called(['read_text_file', { path: 'notes.md' }, 'x'.repeat(1_000_000)]);
    const reply = answer([...start, ...LISTED, ...large, doTask('source')], { tools: TOOLS });
    expect(reply.calls).toEqual([]);
    expect(parseRoleOutput('execution', reply.text).value?.summary).toContain(
      '`a.ts`: not reached within the limits of the run',
    );
  });

  test('reply sent back for its form: the same place again', () => {
    const messages = [
      ...start,
      doTask('survey'),
      { role: 'assistant' as const, content: '?' },
      user(reaskText('execution', ['bad'])),
    ];
    expect(readConversation(body(messages))).toMatchObject({
      goal: GOAL,
      brief: { kind: 'task', slots: { id: 'survey' } },
    });
  });

  test('direct mode: calls what the goal needs, then answers in text', () => {
    const begun = [
      user('What does notes.md say?'),
      user(answerBrief(state(), { memory: 'shared', tools: ['*'], agents: [] }, 10)),
    ];
    const first = answer(begun, { tools: TOOLS });
    expect(first.calls.map(call => call.name)).toContain('read_text_file');
    const last = answer([...begun, ...LISTED, ...READ_NOTES], { tools: TOOLS });
    expect(last.calls).toEqual([]);
    expect(last.text).toContain('These are notes of all kinds.');
    expect(answer(begun).text).toContain('No tools that list and read files');
  });

  test('auto mode: a shared opening, so no schema → the smallest mode that can do it, as JSON (L18)', () => {
    const asked = [user('What does notes.md say?'), user(choiceBrief(state(), { memory: 'shared' }))];
    expect(answer(asked).text).toContain('"mode":"react"');
  });

  test('wrap-up: plain text with why the work ended', () => {
    const reply = answer([...start, ...LISTED, user(wrapUpBrief(state(), WHY, { memory: 'shared' }))]);
    expect(reply.text).toContain('The work ended early: the tokens are used up');
  });

  test('a plan that was carried out → its answer does not say that the work ended early', () => {
    const why = BUILT_IN_WORDS.en.whyCarriedOut;
    const reply = answer([...start, ...LISTED, user(wrapUpBrief(state(), why, { memory: 'shared' }))]);
    expect(reply.text).not.toContain('early');
  });

  test('a plan that was carried out in part → its answer says that, and of no early end', () => {
    const why = BUILT_IN_WORDS.en.whyCarriedOutPartly;
    const reply = answer([...start, ...LISTED, user(wrapUpBrief(state(), why, { memory: 'shared' }))]);
    expect(reply.text).toContain('Not all of the plan was carried out. What is missing below');
    expect(reply.text).not.toContain('early');
  });

  test('request of no role → a short text that is labelled', () => {
    const { calls, text } = answer([user('Hello')]);
    expect(calls).toEqual([]);
    expect(text).toMatch(/^\*Rehearsal model: rules.*\n\nNo tools/);
  });

  test('Chinese goal → Chinese plan, report and answer', () => {
    const messages = [user('统计代码行数'), user(briefOfPlan(state()))];
    expect(answer(messages, { schema: 'plan' }).text).toContain('读取文本文件');
    const verdict = parseRoleOutput(
      'verdict',
      answer([...messages, ...LISTED, ...READ_NOTES, ...READ_ALL, verify('source')], { schema: 'verdict' })
        .text,
    );
    expect(verdict.value?.summary).toMatch(/^\*演练模型[\s\S]*全部 2 个文本文件中共 \*\*5 行\*\*/);
  });
});
