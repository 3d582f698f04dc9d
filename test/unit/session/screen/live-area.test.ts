import { describe, expect, test } from 'vitest';
import { fitLine, widthOf } from '../../../../packages/print/layout.js';
import { NEW_SESSION } from '../../../../packages/session/input/session-state.js';
import { sessionWords } from '../../../../packages/session/input/words.js';
import { lookLines } from '../../../../packages/session/look.js';
import { liveArea } from '../../../../packages/session/screen/live-area.js';
import { scrollLines } from '../../../../packages/session/screen/scroll-lines.js';
import { type Known, newProgress, take, takeState, wordsOf } from '../../../../packages/view/run-progress.js';
import { spokenText } from '../../../../packages/view/spoken-text.js';
import type { Gate } from '../../../../src/run/gates/gate.js';
import { NO_USAGE } from '../../../../src/run/messages/message.js';
import type { JournalEvent, JournalPayloads, JournalType } from '../../../../src/run/state/journal.js';
import { noColors } from '../../../../src/shared/process/output.js';

const event = <T extends JournalType>(type: T, payload: JournalPayloads[T]) =>
  ({ seq: 1, at: 1_000, type, ...payload }) as unknown as JournalEvent;

const by = { role: 'executor', taskId: null, form: 'json' } as const;

function progress() {
  const view = newProgress('船の一覧を作る: make a list of all the boats that lie in the harbour 🚢');
  const tasks = Array.from({ length: 12 }, (_, at) => ({
    id: `task-${at + 1}`,
    description: at % 2 ? '三隻の船について説明を書き、年も入れる。'.repeat(4) : 'Read it all',
    status: at < 5 ? 'completed' : at === 5 ? 'executing' : 'pending',
  }));
  const call = {
    callId: 'c1',
    role: 'executor',
    model: 'openai/a',
    turn: 1,
    round: 2,
    taskId: 'task-6',
    form: 'json' as const,
  };
  take(view, event('phase_started', { phase: 'execution', cycle: 1 }));
  take(view, event('plan_updated', { tasks, changed: true, cut: [] }));
  take(
    view,
    event('tool_call_started', {
      callId: 't',
      taskId: null,
      turn: 1,
      tool: 'read',
      arguments: `{"path":"${'x'.repeat(300)}"}`,
    }),
  );
  take(view, event('model_call_started', call));
  const text = `{"component":"executor-response","summary":"${'船は三隻ある。 '.repeat(40)}`;
  take(view, { type: 'text', ...by, callId: 'c1', attempt: 1, channel: 'text', offset: 0, text });
  return view;
}

test('the live area: a call that thinks → how much, and the last line of it, until there are words (M12)', () => {
  const view = newProgress('Goal');
  const began = { callId: 'c1', role: 'executor', model: 'openai/a', turn: 1, round: 1, taskId: null };
  take(view, event('model_call_started', { ...began, form: 'words' }));
  const thinks = (offset: number, text: string, attempt = 1) =>
    take(view, { type: 'text', ...by, callId: 'c1', attempt, channel: 'reasoning', offset, text });
  const screen = { columns: 60, rows: 24, colors: noColors, now: 2_000 };
  const shown = () => liveArea(view, NEW_SESSION, screen).join('\n');
  thinks(0, 'The list is long.\nI should re');
  thinks(29, 'ad it\u001b[2J first.');
  expect(shown()).toContain('is thinking … 45 characters');
  expect(shown()).toMatch(/\n {3}I should read it\S* first\.\n/);
  expect(shown()).not.toContain('The list');
  thinks(0, 'Once more', 2);
  expect(shown()).toMatch(/is thinking … 9 characters.*\n {3}Once more\n/);
  take(view, {
    type: 'text',
    ...by,
    callId: 'c1',
    attempt: 2,
    channel: 'text',
    offset: 0,
    text: 'It is 42.',
  });
  expect(shown()).not.toContain('Once more');
});

describe.each([
  [40, 24],
  [80, 24],
  [140, 50],
  [80, 10],
])('the live area at %i columns and %i rows', (columns, rows) => {
  const line = { ...NEW_SESSION.line, text: '長い行 and words '.repeat(20), cursor: 3 };
  const screen = {
    columns,
    rows,
    colors: noColors,
    now: 61_000,
  };
  const lines = liveArea(progress(), { ...NEW_SESSION, line }, screen);

  test('a full view → no line is as wide as the screen, and all fit its rows', () => {
    for (const shown of lines) expect(widthOf(shown)).toBeLessThan(columns);
    expect(lines.length).toBeLessThan(rows);
  });

  test('a JSON reply on its way → its summary, not its JSON', () => {
    expect(lines.join('\n')).not.toContain('executor-response');
  });
});

test('a session in Chinese → phases, keys, the line at the bottom and the help are', () => {
  const screen = { columns: 100, rows: 24, colors: noColors, now: 61_000 };
  const session = { ...NEW_SESSION, words: sessionWords('zh') };
  const view = progress();
  const area = liveArea(view, session, screen);
  expect(area[0]).toContain('执行 · 任务 5/12');
  expect(area.at(-1)).toContain('Enter 发送消息');
  const gate = { id: 'g1', title: '计划', body: '', openedAt: 0, deadline: null } as const;
  const gates: Gate[] = [{ ...gate, kind: 'plan', subject: { tasks: 1 } }];
  expect(liveArea(view, { ...session, gates }, screen).join('\n')).toContain('y 批准');
  const help = lookLines('help', null, session, { width: 99, colors: noColors }).join('\n');
  expect(help.match(/^\/pause .*$/m)?.[0]).toContain('暂停');
  expect(sessionWords('de')).toBe(sessionWords('en'));
});

test('a run that is paused → the line at the bottom says how it goes on', () => {
  const view = progress();
  take(view, event('paused', { reason: '' }));
  const screen = { columns: 100, rows: 24, colors: noColors, now: 61_000 };
  expect(liveArea(view, NEW_SESSION, screen).at(-1)).toMatch(/^\/resume goes on/);
});

test.each([
  ['words', 'half a sentence', '…'],
  ['json', 'half", "summary": "All is', null],
] as const)('a reply whose beginning was missed → %s: what is known of its words', (form, text, words) => {
  const view = newProgress('Count the boats');
  const began = { callId: 'c1', role: 'planner', model: 'openai/a', turn: 1, round: 1, taskId: null };
  take(view, event('model_call_started', { ...began, form }));
  const piece = { ...by, form, callId: 'c1', attempt: 1, channel: 'text' } as const;
  take(view, { type: 'text', ...piece, offset: 0, text: 'Gone' });
  take(view, { type: 'text', ...piece, offset: 900, text });
  const [call] = [...view.calls.values()];
  expect(call && wordsOf(call)).toBe(words && text);
});

test('sub-agents at work → whose each line is, and their last words; of one that has ended nothing (A11)', () => {
  const view = newProgress('Count the boats');
  take(view, event('run_started', { mode: 'lead', goal: '' }));
  const call = { role: 'search', model: 'openai/a', turn: 1, round: 1, taskId: null, form: 'words' as const };
  const begun = event('model_call_started', { callId: 'c1', ...call });
  for (const child of ['search/1', 'search/2', 'search/1/crawl/1']) take(view, { ...begun, path: child });
  const text = { type: 'text', ...call, callId: 'c1', attempt: 1, channel: 'text', offset: 0 } as const;
  take(view, { ...text, text: 'Three boats.', path: 'search/1' });
  const ended = (id: string) =>
    event('subagent_ended', {
      id,
      role: 'search',
      callId: 'x',
      outcome: 'unverified',
      cause: 'direct_answer',
    });
  take(view, { ...ended('crawl/1'), path: 'search/1' });
  take(view, ended('search/2'));
  const screen = { columns: 90, rows: 50, colors: noColors, now: 61_000 };
  expect(liveArea(view, NEW_SESSION, screen).slice(1, 4)).toEqual([
    ' > search/1 › search is writing … 12 characters · round 1 · openai/a',
    '   Three boats.',
    expect.stringContaining('turns 0'),
  ]);
  const path = 'search/1';
  const said = { ...event('warning', { text: 'No index' }), path };
  const begin = { ...event('run_started', { mode: 'react', goal: '' }), path };
  const page = { width: 80, colors: noColors };
  expect(scrollLines(said, view, page)).toEqual([' 0:00 search/1 › warning: No index']);
  expect(scrollLines(begin, view, page)).toEqual([]);
});

test('replies of sub-agents → counted with those of the run, as its limits do (A11)', () => {
  const view = newProgress('Count the boats');
  const usage = {
    inputTokens: 700,
    outputTokens: 20,
    cachedInputTokens: 0,
    reasoningTokens: 0,
    costUsd: 0.5,
  };
  const replied = event('model_call_ended', {
    callId: 'c1',
    taskId: null,
    role: 'search',
    model: 'openai/a',
    turn: 1,
    messageId: 'm1',
    stopReason: 'end_turn',
    toolCalls: 0,
    usage,
    durationMs: 1,
  });
  take(view, replied);
  take(view, { ...replied, path: 'search/1' });
  take(
    view,
    event('subagent_ended', {
      id: 'search/1',
      role: 'search',
      callId: 'x',
      outcome: 'unverified',
      cause: 'direct_answer',
    }),
  );
  const screen = { columns: 90, rows: 50, colors: noColors, now: 61_000 };
  expect(liveArea(view, NEW_SESSION, screen).join('\n')).toContain(
    'turns 2 · tool calls 0 · 1,400 + 40 tokens · $1.0000',
  );
});

describe('what is at work', () => {
  const lines = (view: ReturnType<typeof progress>) =>
    liveArea(view, NEW_SESSION, { columns: 90, rows: 50, colors: noColors, now: 61_000 }).join('\n');

  test('a JSON reply that was joined half-way → no JSON (TE6)', () => {
    const view = progress();
    view.calls.clear();
    const call = { callId: 'c2', role: 'executor', model: 'openai/a', turn: 1, round: 2, taskId: null };
    take(view, event('model_call_started', { ...call, form: 'json' }));
    const text = 'of","status":"done"}],"todos":[';
    take(view, { type: 'text', ...by, callId: 'c2', attempt: 1, channel: 'text', offset: 900, text });
    expect(lines(view)).toContain('is writing … 931 characters');
    expect(lines(view)).not.toContain('todos');
  });

  test('a tool that tells how far it is → what it says (TE6)', () => {
    const view = progress();
    take(view, {
      type: 'tool_progress',
      callId: 't',
      tool: 'read',
      progress: 3,
      total: 10,
      message: 'half\u001b[2J',
    });
    expect(lines(view)).toContain('3 of 10 · half');
  });
});

describe('words of a reply', () => {
  test.each([
    ['plain text', 'Half a plan', 'Half a plan'],
    ['JSON with a summary', '{"a":1,"summary":"Three \\"boats\\"."}', 'Three "boats".'],
    ['JSON that is cut in the summary', '{"summary":"Three bo', 'Three bo'],
    ['JSON that is cut in an escape', '{"summary":"Three \\u00', 'Three'],
    ['JSON in a fence', '```json\n{"summary":"Yes"', 'Yes'],
    ['JSON before its words', '{"type":"component","todos":[', null],
    ['nothing', '', null],
  ])('%s → what a person reads', (_name, reply, words) => {
    expect(spokenText(reply)).toBe(words);
  });
});

test('a session that joins late → figures of its run, as `show` has them; of a next goal, its own', () => {
  const view = newProgress('Boats');
  const screen = { columns: 90, rows: 24, colors: noColors, now: 1_000 };
  const shown = () => liveArea(view, NEW_SESSION, screen).join('\n');
  const usage = { ...NO_USAGE, inputTokens: 5_000, outputTokens: 40 };
  const known = { usage, tasks: [], paused: false, stopping: false, phase: 'execution' };
  const at = (lastEventSeq: number, toolCalls: number) =>
    ({ ...known, counters: { turns: 7, toolCalls }, lastEventSeq }) as unknown as Known;
  const tool = {
    callId: 't',
    taskId: null,
    turn: 7,
    messageId: 'm',
    tool: 'read',
    ending: 'executed',
  } as const;
  const ended = event('tool_call_ended', { ...tool, isError: false, durationMs: 7, text: '' });
  take(view, { ...event('warning', { text: '' }), seq: 600 });
  takeState(view, at(600, 9));
  expect(shown()).toMatch(/turns 7 · tool calls 9 · 5,000 \+ 40 tokens/);
  take(view, { ...ended, seq: 601 });
  takeState(view, at(600, 9));
  expect(shown()).toContain('tool calls 10');
  takeState(view, at(603, 12));
  take(view, { ...ended, seq: 602 });
  expect(shown()).toContain('tool calls 11');
  take(view, { ...ended, seq: 603 });
  expect(shown()).toContain('tool calls 12');
  take(view, { ...event('goal_started', { number: 2, text: 'Next' }), seq: 604 });
  expect(shown()).toContain('turns 0 · tool calls 0 · 5,000');
});

test('the turns: a reply in the wrap-up → is none of them, of the run or of a sub-agent, as its limits count', () => {
  const view = newProgress('Boats');
  const ended = event('model_call_ended', {
    ...{ callId: 'c1', taskId: null, role: 'summary', model: 'p/a', turn: 1, messageId: 'm1' },
    ...{ stopReason: 'end_turn', toolCalls: 0, usage: NO_USAGE, durationMs: 5, about: null },
  } as unknown as JournalPayloads['model_call_ended']);
  const turnsAfter = (phase: 'execution' | 'wrap_up', path?: string) => {
    for (const each of [event('phase_started', { phase, cycle: 1 }), ended])
      take(view, { ...each, ...(path !== undefined && { path }) });
    return view.turns;
  };
  expect([turnsAfter('execution'), turnsAfter('wrap_up')]).toEqual([1, 1]);
  expect([turnsAfter('execution', 'a'), turnsAfter('wrap_up', 'a')]).toEqual([2, 2]);
});

test('tasks side by side: calls of two in flight → each names its task; of one alone → none is named', () => {
  const view = newProgress('Boats');
  const screen = { columns: 80, rows: 24, colors: noColors, now: 1_000 };
  const begin = (callId: string, taskId: string) =>
    take(
      view,
      event('model_call_started', {
        ...{ callId, taskId, role: 'executor', model: 'p/a', turn: 1, round: 1, form: 'words' },
      }),
    );
  const shown = () => liveArea(view, NEW_SESSION, screen).join('\n');
  begin('c1', 'a');
  expect(shown()).toContain('> executor is asked');
  begin('c2', 'b');
  expect(shown()).toContain('> a › executor is asked');
  expect(shown()).toContain('> b › executor is asked');
});

test('a session that joins after the plan → each line of two tasks names its own, as in plain lines', () => {
  const view = newProgress('Measure');
  for (const taskId of ['a', 'b']) {
    const call = {
      callId: taskId,
      role: 'executor',
      model: 'p/a',
      turn: 1,
      round: 1,
      form: 'words',
    } as const;
    take(view, event('model_call_started', { ...call, taskId }));
  }
  const reask = { ...event('reask', { role: 'executor', errors: ['No.'] }), taskId: 'a' } as JournalEvent;
  expect(scrollLines(reask, view, { width: 80, colors: noColors })).toEqual([
    ' 0:00 a › executor is asked again: No.',
  ]);
});

test('a session: tools of two tasks at work → each line names its task; of one alone none does', () => {
  const view = newProgress('Measure');
  const tasks = ['a', 'b'].map(id => ({ id, description: '', status: 'executing' }));
  take(view, event('plan_updated', { tasks, changed: true, cut: [] }));
  const page = { width: 80, colors: noColors };
  const call = {
    callId: 't',
    taskId: 'a',
    turn: 1,
    messageId: 'm',
    tool: 'read',
    ending: 'executed',
    isError: false,
  } as const;
  const ended = {
    ...event('tool_call_ended', { ...call, durationMs: 7, text: '' }),
    taskId: 'a',
  } as JournalEvent;
  expect(scrollLines(ended, view, page)).toEqual([' 0:00 a › read · 7 ms']);
  take(view, event('task_ended', { taskId: 'b', status: 'completed', reason: null }));
  expect(scrollLines(ended, view, page)).toEqual([' 0:00 read · 7 ms']);
});

test.each(['en', 'zh'])(
  'the hint line at 80 columns, in %s, also with /yes on → it still says how to leave',
  language => {
    const { hints, yesIsOn } = sessionWords(language);
    for (const hint of [hints.leave, hints.gate, hints.idle, hints.held, hints.paused, hints.compose]) {
      expect(fitLine(`${yesIsOn} · ${hint}`, 79)).toMatch(/Ctrl-C[：: ]/);
    }
    for (const hint of [hints.early, hints.lone]) expect(widthOf(hint)).toBeLessThan(80);
  },
);

test('a session: a gate comes up → its title and its text, cut where it is long', () => {
  const of = (body: string) =>
    event('gate_opened', {
      ...{ gateId: 'g1', kind: 'failure', title: 'Go on?', body, deadline: null, choices: [] },
    });
  const lines = (body: string) =>
    scrollLines(of(body), newProgress('Measure'), { width: 80, colors: noColors }).join('\n');
  expect(lines('One.\n\nTwo.')).toMatch(/g1 · Go on\?.*One\..*Two\./s);
  expect(lines('One.\n\nTwo.')).not.toContain('more line');
  expect(lines('Line.\n\n'.repeat(200))).toMatch(/… \d+ more lines: Ctrl-O/);
});

test.each([
  ['end_turn', ''],
  ['tool_use', ''],
  ['max_tokens', ' · max_tokens'],
] as const)(
  'a session: a reply that ended by %s → its figures say so, if it is not whole',
  (stopReason, said) => {
    const usage = {
      inputTokens: 700,
      outputTokens: 20,
      cachedInputTokens: 0,
      reasoningTokens: 0,
      costUsd: null,
    };
    const replied = event('model_call_ended', {
      ...{ callId: 'c1', taskId: null, role: 'react', model: 'openai/a', turn: 1, messageId: 'm1' },
      ...{ stopReason, toolCalls: 0, usage, durationMs: 1, text: 'It is done.' },
    });
    const shown = scrollLines(replied, newProgress('Measure'), { width: 80, colors: noColors }).join('\n');
    expect(shown).toContain(`700 + 20 tokens${said}`);
    expect(/tokens( ·)?/.exec(shown)?.[1]).toBe(said === '' ? undefined : ' ·');
  },
);

test('the live area: a run that nobody has told of → neither paused nor stopping', () => {
  const screen = { columns: 80, rows: 24, colors: noColors, now: 0 };
  const lines = liveArea(newProgress('Measure'), NEW_SESSION, screen).join('\n');
  expect(lines).toContain('Measure');
  expect(lines).not.toMatch(/paused|stopping/i);
});
