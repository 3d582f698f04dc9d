import { describe, expect, test } from 'vitest';
import { liveArea } from '../../../../src/client/session/live-area.js';
import { newProgress, takeEvent, takeLive, takeProgress } from '../../../../src/client/session/run-view.js';
import { NEW_TALK } from '../../../../src/client/session/talk-state.js';
import type { JournalEvent, JournalPayloads, JournalType } from '../../../../src/core/journal.js';
import { widthOf } from '../../../../src/print/layout.js';
import { noColors } from '../../../../src/print/output.js';
import { spokenText } from '../../../../src/print/reply-text.js';

const event = <T extends JournalType>(type: T, payload: JournalPayloads[T]) =>
  ({ seq: 1, at: 1_000, type, ...payload }) as unknown as JournalEvent;

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
  takeEvent(view, event('phase_started', { phase: 'execution', cycle: 1 }));
  takeEvent(view, event('plan_updated', { tasks, changed: true, cut: [] }));
  takeEvent(
    view,
    event('tool_call_started', {
      callId: 't',
      turn: 1,
      tool: 'read',
      arguments: `{"path":"${'x'.repeat(300)}"}`,
    }),
  );
  takeEvent(view, event('model_call_started', call));
  const text = `{"component":"executor-response","summary":"${'船は三隻ある。 '.repeat(40)}`;
  takeLive(view, { callId: 'c1', attempt: 1, channel: 'text', offset: 0, text });
  return view;
}

describe.each([
  [40, 24],
  [80, 24],
  [140, 50],
  [80, 10],
])('the live area at %i columns and %i rows', (columns, rows) => {
  const line = { ...NEW_TALK.line, text: '長い行 and words '.repeat(20), cursor: 3 };
  const screen = {
    columns,
    rows,
    colors: noColors,
    now: 61_000,
    webUi: `http://127.0.0.1/${'w'.repeat(90)}`,
  };
  const lines = liveArea(progress(), { ...NEW_TALK, line }, screen);

  test('a full view → no line is as wide as the screen, and all fit its rows', () => {
    for (const shown of lines) expect(widthOf(shown)).toBeLessThan(columns);
    expect(lines.length).toBeLessThan(rows);
  });

  test('a JSON reply on its way → its summary, not its JSON', () => {
    expect(lines.join('\n')).not.toContain('executor-response');
  });
});

describe('what is at work', () => {
  const lines = (view: ReturnType<typeof progress>) =>
    liveArea(view, NEW_TALK, { columns: 90, rows: 50, colors: noColors, now: 61_000, webUi: null }).join(
      '\n',
    );

  test('a JSON reply that was joined half-way → no JSON (TE6)', () => {
    const view = progress();
    view.calls.clear();
    const call = { callId: 'c2', role: 'executor', model: 'openai/a', turn: 1, round: 2, taskId: null };
    takeEvent(view, event('model_call_started', { ...call, form: 'json' }));
    const text = 'of","status":"done"}],"todos":[';
    takeLive(view, { callId: 'c2', attempt: 1, channel: 'text', offset: 900, text });
    expect(lines(view)).toContain('is writing … 931 characters');
    expect(lines(view)).not.toContain('todos');
  });

  test('a tool that tells how far it is → what it says (TE6)', () => {
    const view = progress();
    takeProgress(view, {
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
