import { describe, expect, test } from 'vitest';
import { PlainView } from '../../../packages/print/plain-view.js';
import type { RunEvent } from '../../../src/client/watch/run-event.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import type { JournalEvent } from '../../../src/run/state/journal.js';
import { noColors, textSink } from '../../../src/shared/process/output.js';

function view(options: { brief?: boolean; runId?: string } = {}) {
  let printed = '';
  const plain = new PlainView(
    textSink(text => {
      printed += text;
    }, noColors),
    options,
  );
  return { show: plain.show.bind(plain), printed: () => printed };
}

const started: JournalEvent = {
  seq: 1,
  at: 0,
  type: 'model_call_started',
  callId: 'c1',
  role: 'planner',
  model: 'openai/a',
  turn: 1,
  round: 1,
  taskId: null,
  form: 'words',
};
const ended: JournalEvent = {
  seq: 2,
  at: 1_000,
  type: 'model_call_ended',
  callId: 'c1',
  taskId: null,
  role: 'planner',
  model: 'openai/a',
  turn: 1,
  messageId: 'm1',
  stopReason: 'end_turn',
  toolCalls: 0,
  usage: NO_USAGE,
  durationMs: 900,
  text: 'Hello, you',
};
const said = { callId: 'c1', role: 'planner', taskId: null, form: 'words' } as const;
const beat = (offset: number, tail: string, attempt = 1) =>
  ({ type: 'text', ...said, attempt, channel: 'text', offset, text: tail }) as const;

const of = (path: string, event: RunEvent): RunEvent => ({ ...event, agent: 'search', path });
const subagent = (type: 'subagent_started' | 'subagent_ended', id: string): RunEvent =>
  ({
    seq: 1,
    at: 0,
    type,
    id,
    role: 'search',
    callId: id,
    outcome: 'answered',
    cause: 'direct_answer',
  }) as JournalEvent;

describe('the plain view', () => {
  test('view: two sub-agents write at once → whole lines, each with whose it is; what the run says of them once (A11)', () => {
    const { show, printed } = view();
    const begins: RunEvent = { ...started, role: 'search' };
    show(subagent('subagent_started', 'search/1') as RunEvent);
    for (const child of ['search/1', 'editor/2/search/1']) {
      const run: JournalEvent = { seq: 1, at: 0, type: 'run_started', mode: 'react', goal: 'Find it' };
      show(of(child, run));
      show(of(child, begins));
      show(of(child, { ...beat(0, 'I think'), channel: 'reasoning' }));
      show(of(child, beat(0, 'One bo')));
    }
    show(of('search/1', beat(6, 'at.\nTwo bo')));
    show(of('editor/2/search/1', beat(6, `at ${'or more '.repeat(14)}`)));
    show(of('editor/2', subagent('subagent_ended', 'search/1')));
    show(subagent('subagent_ended', 'search/1') as RunEvent);
    expect(printed().split('\n')).toEqual([
      ' 0:00 sub-agent search/1 started',
      ' 0:00 search/1 › search · round 1 · openai/a',
      ' 0:00 editor/2/search/1 › search · round 1 · openai/a',
      '      search/1 › One boat.',
      `      editor/2/search/1 › One boat ${'or more '.repeat(11)}or`,
      '      editor/2/search/1 › more or more or more',
      ' 0:00 editor/2 › sub-agent search/1 ended · answered',
      '      search/1 › Two bo',
      ' 0:00 sub-agent search/1 ended · answered',
      '',
    ]);
  });

  test('view: an event of a sub-agent is heard late → its line is not told as earlier than the one before', () => {
    const { show, printed } = view();
    const warning = (at: number): RunEvent => ({ seq: 1, at, type: 'warning', text: 'x' });
    for (const item of [
      warning(0),
      of('search/1', warning(9_000)),
      warning(7_000),
      of('search/1', warning(10_000)),
    ])
      show(item as RunEvent);
    expect(printed().match(/\d:\d\d/g)).toEqual(['0:00', '0:09', '0:09', '0:10']);
  });

  test('view: live text and the final message → the text once, events on lines of their own', () => {
    const { show, printed } = view();
    show(started);
    show(beat(0, 'Hel'));
    show(beat(0, 'Hello'));
    show(ended);
    expect(printed()).toBe(
      ' 0:00 planner · round 1 · openai/a\nHello, you\n 0:01 planner replied · 900 ms · 0 + 0 tokens\n',
    );
  });

  test.each([
    ['one call', {}, '(--always [workspace], --arguments JSON)'],
    ['several', { changes: 3 }, `(--always [workspace], --except '{"2": "why"}')`],
  ])('view: a gate that asks about %s → the hint names what its approval takes (SE9)', (_, more, wanted) => {
    const { show, printed } = view({ runId: 'tea' });
    const asked = { gateId: 'g1', kind: 'approval', title: 'Make it?', body: '', deadline: null } as const;
    show({ seq: 1, at: 0, type: 'gate_opened', ...asked, choices: ['approve', 'deny'], ...more });
    expect(printed()).toContain(`approve tea g1   ${wanted}`);
  });

  test('view: a plan that changes → whole once, then its changes; the next goal begins anew', () => {
    const { show, printed } = view();
    const task = { id: 't1', description: 'Read', status: 'pending' };
    const plan = (ids: string[]): JournalEvent => {
      const tasks = ids.map(id => ({ ...task, id }));
      return { seq: 1, at: 0, type: 'plan_updated', changed: true, cut: [], tasks };
    };
    show(plan(['t1']));
    show(plan(['t1', 't2']));
    show({ seq: 2, at: 0, type: 'goal_started', number: 2, text: 'More' });
    show(plan(['t1']));
    expect(printed().match(/[+ ] \[ \] t\d/g)).toEqual(['  [ ] t1', '+ [ ] t2', '  [ ] t1']);
  });

  test.each([
    ['seen while it came', ['{"type":"compo', '{"type":"component","summary":"A plan of \\"two\\" tasks."']],
    ['not seen before its end', []],
  ])('view: a reply in JSON, %s → its words for people, once', (_, tails) => {
    const { show, printed } = view();
    const text = '{"type":"component","summary":"A plan of \\"two\\" tasks.","todos":[]}';
    show(started);
    for (const tail of tails) show(beat(0, tail));
    show({ ...ended, text });
    expect(printed()).toBe(
      ' 0:00 planner · round 1 · openai/a\nA plan of "two" tasks.\n 0:01 planner replied · 900 ms · 0 + 0 tokens\n',
    );
  });

  test('view: a heartbeat that comes after the end of its call → not printed again', () => {
    const { show, printed } = view();
    show(started);
    show(ended);
    const before = printed();
    show(beat(0, 'Hello, you'));
    expect(printed()).toBe(before);
  });

  test('view: text outran the tail → a gap, and the whole reply at the end', () => {
    const { show, printed } = view();
    show(started);
    show(beat(7, 'you'));
    show(ended);
    expect(printed()).toContain('[… 7 characters not seen …]you\n      the whole reply:\nHello, you\n');
  });

  test('view: a second attempt → said, on a line of its own', () => {
    const { show, printed } = view();
    show(started);
    show(beat(0, 'Hel'));
    show(beat(0, 'Hello', 2));
    expect(printed()).toContain('Hel\n      attempt 2: the reply starts again\nHello');
  });

  test('view: reasoning, arguments, then text → reasoning on lines of its own, no arguments', () => {
    const { show, printed } = view();
    const live = { ...said, attempt: 1, offset: 0 } as const;
    show(started);
    show({ type: 'text', ...live, channel: 'reasoning', text: 'Hmm' });
    show({ type: 'text', ...live, channel: 'tool_input', text: '{"path"' });
    show({ type: 'text', ...live, channel: 'text', text: 'Hello' });
    expect(printed()).toBe(' 0:00 planner · round 1 · openai/a\nHmm\nHello');
  });

  test('view: an activity that is tried again → attempt and reason', () => {
    const { show, printed } = view();
    const retry = { activityId: '5', activityType: 'steersmanCallModel', attempt: 2, maximumAttempts: 4 };
    show({ type: 'retry', ...retry, message: 'rate limited' });
    expect(printed()).toBe('      model call: attempt 2 of 4, since: rate limited\n');
  });

  const JSON_REPLY = '{"type":"component","userMessage":"Two tasks.","todos":["a"]}';

  test.each([
    ['in a fence', `\`\`\`json\n${JSON_REPLY}\n\`\`\``, 'Two tasks.'],
    ['in a fence after words', `Here it is:\n\`\`\`json\n${JSON_REPLY}\n\`\`\``, 'Here it is:\nTwo tasks.'],
    ['without words for a person, after words', 'Here it is: {"todos":["a"]}', 'Here it is:'],
    ['that is words against its form', 'I have a question.', 'I have a question.'],
  ])('view: a role that replies in JSON, %s → its words, however it is seen (TE6)', (_name, text, words) => {
    for (const beats of [[], [beat(0, text.slice(0, 2)), beat(0, text)], [beat(20, text.slice(20))]]) {
      const { show, printed } = view();
      show({ ...started, form: 'json' });
      for (const item of beats) show(item);
      show({ ...ended, text });
      expect(printed()).toBe(
        ` 0:00 planner · round 1 · openai/a\n${words}\n 0:01 planner replied · 900 ms · 0 + 0 tokens\n`,
      );
    }
  });

  test.each([
    ['a link first', '[Docs](x) are here'],
    ['a fence that holds code', '```ts\nlet a;\n```'],
  ])('view: a role that replies in words, %s → as it is', (_name, text) => {
    const { show, printed } = view();
    show(started);
    for (const end of [1, 2, 4, 9, text.length]) show(beat(0, text.slice(0, end)));
    show({ ...ended, text });
    expect(printed()).toContain(`openai/a\n${text}\n`);
  });

  test('view: JSON in a fence from a role that replies in words, joined half-way → no JSON (TE6)', () => {
    const { show, printed } = view();
    const text = `\`\`\`json\n${JSON_REPLY}\n\`\`\``;
    show(started);
    show(beat(0, '```'));
    show(beat(0, text.slice(0, 40)));
    show({ ...ended, text });
    expect(printed()).not.toContain('component');
    expect(printed()).toContain('Two tasks.');
  });

  test('view: a tool that tells how far it is → a line for each thing it says, and each tenth (TE6)', () => {
    const { show, printed } = view();
    const at = (progress: number, message?: string) =>
      show({
        type: 'tool_progress',
        ...{ callId: 'c2', tool: 'build', progress, total: 100, ...(message ? { message } : {}) },
      });
    for (const progress of [1, 2, 11, 12]) at(progress);
    at(12, 'linking');
    at(13, 'linking');
    expect(printed()).toBe(
      '      tool build · 1 of 100\n      tool build · 11 of 100\n      tool build · 12 of 100 · linking\n',
    );
  });
});

describe('tasks side by side', () => {
  const begun = (taskId: string): RunEvent => ({
    seq: 1,
    at: 0,
    type: 'task_started',
    taskId,
    description: '',
  });
  const call = (callId: string, taskId: string): RunEvent => ({ ...started, callId, taskId });
  const says = (callId: string, offset: number, text: string): RunEvent => ({
    ...beat(offset, text),
    callId,
  });
  const reply = (callId: string, text: string): RunEvent => ({ ...ended, callId, text });

  test('texts of two of them, piece by piece in turns → whole lines, each with its task, none mixed', () => {
    const { show, printed } = view();
    for (const item of [begun('a'), begun('b'), call('c1', 'a'), call('c2', 'b')]) show(item);
    const before = printed().length;
    show(says('c1', 0, 'One of '));
    show(says('c2', 0, 'Two of '));
    show(says('c1', 7, 'the boats\nis red'));
    show(says('c2', 7, 'the boats'));
    show(reply('c2', 'Two of the boats sail'));
    show(reply('c1', 'One of the boats\nis red.'));
    const lines = printed().slice(before).split('\n');
    expect(lines.filter(line => line.includes('›'))).toEqual([
      '      a › One of the boats',
      '      b › Two of the boats sail',
      '      a › is red.',
    ]);
  });

  test('a second begins while the first speaks → the rest of that names its task; one alone names none', () => {
    const { show, printed } = view();
    for (const item of [begun('a'), call('c1', 'a'), says('c1', 0, 'One of ')]) show(item);
    expect(printed()).toMatch(/\nOne of $/);
    for (const item of [begun('b'), call('c2', 'b'), says('c1', 7, 'the boats')]) show(item);
    show(reply('c1', 'One of the boats'));
    expect(printed()).toMatch(/\n {6}a › the boats\n/);
  });

  test('tool calls and replies of two of them → lines that name the task, where they do not anyway', () => {
    const { show, printed } = view();
    for (const item of [begun('a'), begun('b'), call('c1', 'a')]) show(item);
    const of = (taskId: string, event: JournalEvent): RunEvent => ({ ...event, taskId }) as JournalEvent;
    const tool = {
      seq: 3,
      at: 0,
      callId: 'c3',
      taskId: 'a',
      turn: 1,
      tool: 'read',
      arguments: '{}',
    } as const;
    show(of('a', { ...ended, text: '' }));
    show(of('a', { type: 'tool_call_started', ...tool }));
    show({ type: 'tool_progress', callId: 'c3', tool: 'read', progress: 1, total: 2 });
    show(of('b', { seq: 4, at: 0, type: 'task_ended', taskId: 'b', status: 'completed', reason: null }));
    show(of('a', { type: 'tool_call_started', ...tool }));
    expect(printed().split('\n').slice(3)).toEqual([
      ' 0:01 a › planner replied · 900 ms · 0 + 0 tokens',
      ' 0:01 a › tool read {}',
      '      a › tool read · 1 of 2',
      ' 0:01 task b completed',
      ' 0:01 tool read {}',
      '',
    ]);
  });
});

test('plain view, brief: a goal of which nothing is planned → no plan (FC2, FC9)', () => {
  const { show, printed } = view({ brief: true });
  show({ seq: 1, at: 0, type: 'plan_updated', tasks: [], changed: false, cut: [] });
  expect(printed()).toBe('');
});

test('plain view, brief: a run → its plan, a line a task, a gate; no calls, no replies (FC9)', () => {
  const { show, printed } = view({ brief: true });
  const event = (at: number, type: string, fields: object) => show({ seq: 1, at, type, ...fields } as never);
  event(0, 'run_started', { mode: 'team', goal: 'Count' });
  event(1_000, 'run_loaded', { tools: 3, models: ['openai/a'], warnings: [] });
  show(started);
  show(beat(0, 'Hello'));
  show(ended);
  event(2_000, 'plan_updated', {
    tasks: [{ id: 't1', description: 'Count the boats', status: 'pending' }],
    changed: true,
    cut: [],
  });
  event(3_000, 'tool_call_started', { callId: 'c2', tool: 'list', arguments: {} });
  show(of('search/1', started));
  event(4_000, 'task_ended', { taskId: 't1', status: 'completed', reason: null });
  event(4_000, 'verdict', { done: true, feedback: '', improvements: [], contradictions: [] });
  event(5_000, 'run_ended', { outcome: 'completed', cause: 'verified' });
  expect(printed()).toBe(
    " 0:01 loaded 3 tools, the run's own included · openai/a\n 0:02 plan · 1 task\n      [ ] t1 · Count the boats\n 0:04 task t1 completed\n",
  );
});
