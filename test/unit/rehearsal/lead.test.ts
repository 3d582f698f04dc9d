import { expect, test } from 'vitest';
import type { Conversation, MadeCall } from '../../../src/rehearsal/conversation.js';
import { replyFor } from '../../../src/rehearsal/roles.js';

const PLAN_TOOLS = ['create_artifact', 'rewrite_artifact'];
const BRIEF = 'Work on the goal.\n\nAgents:\n- search: Searches.\n- crawl: Reads pages.';

function conversation(given: Partial<Conversation> = {}): Conversation {
  return {
    form: 'text',
    brief: { kind: 'work', text: BRIEF, slots: {} },
    task: null,
    lastWords: '',
    goal: 'Give me an overview of this project',
    offered: [],
    tools: ['list_directory', 'read_file', 'call_subagent', ...PLAN_TOOLS],
    system: '',
    calls: [],
    chars: 0,
    newChars: 0,
    ...given,
  };
}

const made = (name: string, args: Record<string, unknown>, text = ''): MadeCall => {
  return { name, args, ending: 'ok', text, cut: null, pageEnd: null };
};

/** The names of the calls of each reply to its answer, as if each call were answered. */
function led(given: Partial<Conversation>, note = '') {
  const calls: MadeCall[] = [];
  const steps: string[][] = [];
  for (;;) {
    const reply = replyFor(conversation({ ...given, calls: [...calls] }));
    if (reply.calls.length === 0) return { steps, calls, answer: reply.text };
    steps.push(reply.calls.map(({ name }) => name));
    for (const call of reply.calls)
      calls.push(made(call.name, call.arguments, `*Rules.*\n\n${note}Found: ${call.arguments.instruction}`));
  }
}

test('rehearsal, lead: a goal of several kinds of work → a plan, an agent for each at once, the plan again, one answer of their texts', () => {
  const { steps, calls, answer } = led({});
  const agents = ['call_subagent', 'call_subagent', 'call_subagent'];
  expect(steps).toEqual([['create_artifact'], agents, ['rewrite_artifact']]);
  expect(calls[0]?.args.id).toBe('task_plan');
  expect(calls.at(-1)?.args.content).toMatch(/^- \[x\] search: Report the structure/);
  expect(answer.match(/^Found: Report .*$/gm)).toHaveLength(3);
  expect(answer.match(/Rules\./g)).toBeNull();
});

test.each([
  'The work ended early: its 3 rounds are used up. What is missing below was not looked at.',
  '工作提前结束：它的 3 轮已用完。下文没有的内容没有查看。',
])('rehearsal, lead: each agent says %j → said once, before their texts', note => {
  const { answer } = led({}, `${note}\n\n`);
  expect(answer.split(note)).toHaveLength(2);
  expect(answer.indexOf(note)).toBeLessThan(answer.indexOf('Found: '));
  expect(answer.match(/^Found: Report .*$/gm)).toHaveLength(3);
});

test.each<[string, Partial<Conversation>]>([
  ['one kind of work', { goal: 'What is the structure here?' }],
  ['no agent', { brief: { kind: 'work', text: 'Work on the goal.', slots: {} } }],
  ['no tool that calls one', { tools: ['list_directory', 'read_file'] }],
])('rehearsal, lead: %s → does it itself', (_, given) => {
  expect(replyFor(conversation(given)).calls.map(({ name }) => name)).toEqual(['list_directory']);
});

test('rehearsal, an agent: folders below what is listed → they are listed and what is known is read with one reply, for it has few rounds', () => {
  const tools = ['list_directory', 'read_multiple_files', 'read_text_file'];
  const listed = made('list_directory', { path: '.' }, '[FILE] README.md\n[DIR] docs');
  const { calls } = replyFor(conversation({ tools, calls: [listed] }));
  expect(calls.map(({ name, arguments: args }) => [name, args.path ?? args.paths])).toEqual([
    ['list_directory', 'docs'],
    ['read_text_file', 'README.md'],
  ]);
});
