import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../src/base/json/json.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import { record } from '../../../src/run/state/journal.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import { isStoredTail, REST_BYTES } from '../../../src/run/state/stored-tail.js';
import { toolArguments } from '../../../src/workflows/run/requests.js';
import { eventsPage, keepPage, resultOf, traceView, viewOf } from '../../../src/workflows/run/views.js';
import { pinnedRun, task } from '../../support/core-values.js';

function stateWithReplies(...texts: string[]) {
  const state = newRunState('The goal', { mode: 'team', workspace: '/w', autoApprove: false }, 1);
  const messages = texts.map((text, at) => ({
    id: `m${at}`,
    at: 1,
    kind: 'assistant' as const,
    role: 'planner',
    content: [{ type: 'text' as const, text }],
    stopReason: 'end_turn' as const,
    model: 'openai/a',
    usage: NO_USAGE,
    action: 'planning' as const,
  }));
  state.threads.main = { id: 'main', epoch: 0, messages, tokens: 0, dropped: 0 };
  for (const { id } of messages) {
    const ended = {
      callId: id,
      taskId: null,
      role: 'planner',
      model: 'openai/a',
      turn: 1,
      messageId: id,
      stopReason: 'end_turn' as const,
    };
    record(state.log.journal, 1, 'model_call_ended', {
      ...ended,
      toolCalls: 0,
      usage: NO_USAGE,
      durationMs: 1,
    });
  }
  return state;
}

describe('what queries give', () => {
  test('events: a long reply → whole, and a page that is full says that there is more (TE6)', () => {
    const texts = Array.from({ length: 9 }, (_, at) => `${at} ${'船'.repeat(20_000)}.`);
    const state = stateWithReplies(...texts);
    const seen: string[] = [];
    for (let since = 0; ; ) {
      const { events, more } = eventsPage(state, since);
      for (const event of events) if (event.type === 'model_call_ended') seen.push(event.text ?? '');
      since = events.at(-1)?.seq ?? since;
      if (!more) break;
    }
    expect(seen).toEqual(texts);
    expect(eventsPage(state, 0).more).toBe(true);
  });

  test('events: a reply with thinking and calls → all of both, as it was said, where the run has the reply (V1, M12)', () => {
    const state = stateWithReplies('I look.');
    const [reply] = state.threads.main?.messages ?? [];
    const odd = `"a  b"\n${'x'.repeat(9_000)}`;
    const block = (id: string, more: object = {}) => ({
      ...{ type: 'tool_use' as const, id, name: 'grep', input: { pattern: odd } },
      ...more,
    });
    if (reply?.kind === 'assistant')
      reply.content = [
        { type: 'reasoning', text: 'First.  Then' },
        { type: 'text', text: 'I look.' },
        { type: 'reasoning', text: 'second.' },
        block('c1_1'),
        block('c1_2', { raw: "{'pattern':  'a'}" }),
      ];
    const began = { callId: 'c2', taskId: null, turn: 1, tool: 'grep', arguments: '{"pattern":"…' };
    record(state.log.journal, 1, 'tool_call_started', { ...began, toolUseId: 'c1_1' });
    record(state.log.journal, 1, 'tool_call_started', { ...began, toolUseId: 'c1_1', edited: true });
    record(state.log.journal, 1, 'tool_call_started', { ...began, toolUseId: 'c9_1' });
    const [ended, ...started] = eventsPage(state, 0).events;
    const whole = JSON.stringify({ pattern: odd });
    expect(ended).toMatchObject({
      text: 'I look.',
      reasoning: 'First.  Then\nsecond.',
      calls: [
        { id: 'c1_1', name: 'grep', arguments: whole },
        { id: 'c1_2', name: 'grep', arguments: "{'pattern':  'a'}" },
      ],
    });
    expect(started.map(event => event.type === 'tool_call_started' && event.arguments)).toEqual([
      whole,
      began.arguments,
      began.arguments,
    ]);
    expect(state.log.journal.events[0]).not.toHaveProperty('reasoning');
  });

  test('toolRequest: a call that waits at a gate, by the model’s id → all of its arguments (PR8)', () => {
    const state = stateWithReplies('');
    const call = (id: string, content: string) => ({
      type: 'tool_use' as const,
      id,
      name: 'write_file',
      input: { content },
    });
    const [reply] = state.threads.main?.messages ?? [];
    const large = 'x'.repeat(9_000);
    if (reply?.kind === 'assistant') reply.content = [call('c1_1', 'a'), call('c1_2', large)];
    const batch = { thread: 'main', messageId: 'm0', turn: 1, toolsOffered: true, next: 0, edited: {} };
    state.cursor.position.turns.batch = batch;
    expect(toolArguments(state, 'c1_2')).toEqual({ content: large });
    expect(() => toolArguments(state, 'c1_3')).toThrow('no tool call c1_3');
  });

  test('state, trace, result: what was used by role and model → each tells it, the result once (M9)', () => {
    const state = stateWithReplies();
    const usageBy = [{ role: 'planner', model: 'openai/a', calls: 1, inputTokens: 9 }];
    state.total.usageBy = usageBy;
    const end = { outcome: 'completed', cause: 'verified', answer: 'It is so.' } as const;
    expect(viewOf(state, { workflowId: 'w', runId: 'r' }).usageBy).toEqual(usageBy);
    expect(traceView(state, 2).usageBy).toEqual(usageBy);
    const result = resultOf(state, { ...end, id: 'w', now: 2 });
    expect(result.usageBy).toEqual(usageBy);
    expect(result.trace.usageBy).toBeUndefined();
  });

  test('state, result: a plan that is not released → its tasks, without what they were before it', () => {
    const state = stateWithReplies();
    state.tasks = [task('a', { before: null }), task('b', { before: { description: 'b' } })];
    const end = { outcome: 'stopped', cause: 'stopped', answer: '', id: 'w', now: 2 } as const;
    for (const { tasks } of [viewOf(state, { workflowId: 'w', runId: 'r' }), resultOf(state, end)])
      expect(tasks).toStrictEqual([task('a'), task('b')]);
  });

  test('state: what a person asks stands first, internals last (TE7)', () => {
    const keys = Object.keys(viewOf(stateWithReplies(), { workflowId: 'w', runId: 'r' }));
    expect(keys[0]).toBe('phase');
    expect(keys.at(-1)).toBe('internals');
    expect(keys.indexOf('gates')).toBeLessThan(keys.indexOf('counters'));
  });

  test('what is kept of a run: while a goal is pursued → no rest; between goals → all of it, of a large state within its bound (O2)', () => {
    const info = { workflowId: 'w', runId: 'r', firstExecutionRunId: 'f' };
    const from = { id: 0, seq: 0 };
    const state = newRunState('The goal', { mode: 'team', workspace: '/w', autoApprove: false }, 1);
    expect(keepPage(state, info, from).run.rest).toBeUndefined();
    state.idleSince = 2;
    state.goals.push({
      number: 1,
      text: 'The goal',
      outcome: 'answered',
      cause: 'answered',
      answer: 'Yes.',
    } as never);
    state.tasks.push(task('task-1', {}));
    const small = keepPage(state, info, from).run;
    expect(small.rest).toMatchObject({ tasks: [{ id: 'task-1' }], goals: [{ answer: 'Yes.' }] });
    for (let n = 0; n < 400; n++)
      state.goals.push({
        number: n,
        text: '船'.repeat(500),
        outcome: 'answered',
        cause: 'answered',
        answer: '船'.repeat(500),
      } as never);
    const large = keepPage(state, info, from).run;
    expect(jsonBytes(large.rest)).toBeLessThanOrEqual(REST_BYTES);
    expect(isStoredTail(large.rest)).toBe(true);
  });
});

test.each([
  ['react', {}, ['react']],
  ['review', { review: { does: '', steps: ['writer', 'critic'] } }, ['writer', 'critic']],
])('view: the mode %s → its roles that read messages', (mode, modes, readers) => {
  const state = newRunState('The goal', { mode, workspace: '/w', autoApprove: false }, 1);
  state.pinned = pinnedRun({ modes });
  expect(viewOf(state, { workflowId: 'w', runId: 'r' }).readers).toEqual(readers);
});
