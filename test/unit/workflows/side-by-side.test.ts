import { describe, expect, test } from 'vitest';
import { execution, plan, verdict } from '../../../packages/test-kit/role-outputs.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { textOf } from '../../../src/run/messages/message.js';
import { pairingFaults } from '../../support/pairing.js';
import { runTeam, type TeamReply, type TeamRun } from '../../support/scripted-team.js';
import { fileTool } from '../../support/small-run.js';

const limits = { ...DEFAULT_LIMITS, parallelTasks: 2 };
const PLAN = { text: plan({ todos: ['Measure one.', 'Measure two.'] }) };
const VERDICT = {
  text: verdict({
    summary: 'Three metres and four.',
    tasks: ['task-1', 'task-2'].map(id => ({ id, completed: true })),
  }),
};
const done = (summary: string) => ({ text: execution({ summary, taskCompleted: true }) });

function textsOf({ requests }: TeamRun, request: number): string[] {
  return requests[request]?.messages.map(textOf) ?? [];
}

function indexOf(texts: readonly string[], part: string): number[] {
  return texts.flatMap((text, index) => (text.includes(part) ? [index] : []));
}

describe('tasks side by side', () => {
  test('two of them → requests that begin alike, each without what the other said, joined in plan order (C21)', async () => {
    const team = await runTeam(
      [PLAN, { calls: ['read'] }, done('Four metres.'), done('Three metres.'), VERDICT],
      {
        pinned: { limits },
      },
    );
    expect(team.requests.map(({ thread }) => thread)).toEqual([
      ...['main', 'main/task-1', 'main/task-2', 'main/task-1', 'main'],
    ]);
    const [, one, two] = team.requests;
    expect(one?.messages.slice(0, -1)).toEqual(two?.messages.slice(0, -1));
    expect(indexOf(textsOf(team, 3), 'Four metres.')).toEqual([]);
    const [three] = indexOf(textsOf(team, 4), 'Three metres.');
    const [four] = indexOf(textsOf(team, 4), 'Four metres.');
    expect((three ?? 0) < (four ?? 0)).toBe(true);
    expect(Object.keys(team.run.state.threads)).toEqual(['main']);
    expect(team.end.cause).toBe('verified');
  });

  test('what happens in the work on each → events that name its task, and those of the run none (C21)', async () => {
    const team = await runTeam([PLAN, { calls: ['read'] }, done('Four.'), done('Three.'), VERDICT], {
      pinned: { limits },
    });
    const calls = team.run.state.log.journal.events.filter(({ type }) => type.includes('_call_'));
    const told = calls.map(event => `${event.type} ${'taskId' in event ? event.taskId : 'none'}`);
    const begun = (taskId: string) => told.filter(line => line.endsWith(taskId));
    expect(begun('task-1')).toEqual([
      ...['model_call_started task-1', 'model_call_ended task-1'],
      ...['tool_call_started task-1', 'tool_call_ended task-1'],
      ...['model_call_started task-1', 'model_call_ended task-1'],
    ]);
    expect(begun('task-2')).toEqual(['model_call_started task-2', 'model_call_ended task-2']);
    expect(told).toHaveLength(12);
  });

  test('a tool that is called while another task has its reply → the turn of the reply that called it (C21)', async () => {
    const team = await runTeam([PLAN, { calls: ['read'] }, done('Four.'), done('Three.'), VERDICT], {
      pinned: { limits },
    });
    const turns = team.run.state.log.journal.events.flatMap(event =>
      event.type === 'model_call_ended' || event.type === 'tool_call_ended' ? [[event.type, event.turn]] : [],
    );
    expect(turns).toEqual([
      ['model_call_ended', 1],
      ['model_call_ended', 2],
      ['model_call_ended', 3],
      ['tool_call_ended', 2],
      ['model_call_ended', 4],
      ['model_call_ended', 5],
    ]);
  });

  test('a message meanwhile → both read it before they go on, and it stands in the conversation once (C21, S1)', async () => {
    const goOn = execution({ summary: 'Begun.', taskCompleted: false });
    const team = await runTeam(
      [
        PLAN,
        { text: goOn, said: 'In metres.' },
        { text: goOn },
        done('Three metres.'),
        done('Four metres.'),
        VERDICT,
      ],
      { pinned: { limits } },
    );
    expect(
      [3, 4, 5].map(request => textsOf(team, request).filter(text => text === 'In metres.').length),
    ).toEqual([1, 1, 1]);
    expect(team.end.cause).toBe('verified');
  });

  test.each<[string, TeamReply[], string, Partial<typeof limits>]>([
    [
      'the model of one fails for good',
      [{ fails: 'model.auth' }, { calls: ['read', 'put'] }],
      'failed:model.auth',
      {},
    ],
    [
      'the last turn is taken',
      [{ calls: ['read'] }, done('Four metres.'), { text: 'Three metres and four.' }],
      'turn_cap',
      { turns: 3 },
    ],
  ])(
    '%s → the other ends with it, each call has its result, and each task its end (C21)',
    async (_name, replies, cause, more) => {
      const team = await runTeam([PLAN, ...replies], { pinned: { limits: { ...limits, ...more } } });
      expect(team.end.cause).toBe(cause);
      const { threads, tasks, log } = team.run.state;
      expect(pairingFaults(threads.main?.messages ?? [])).toEqual({ open: [], stray: [] });
      expect(Object.keys(threads)).toEqual(['main']);
      expect(tasks.filter(({ status }) => status === 'executing')).toEqual([]);
      const ended = log.journal.events.flatMap(event => (event.type === 'task_ended' ? [event.taskId] : []));
      expect(ended.sort()).toEqual(['task-1', 'task-2']);
    },
  );

  test('a stateful server → a session for each of those at work, in which the next task goes on (C21, T18)', async () => {
    const browser = {
      ...fileTool('look', { readOnly: true, cache: 'none' }),
      origin: { type: 'mcp' as const, server: 'browser', stateful: true as const },
    };
    const sessions: (string | null | undefined)[] = [];
    const look = { calls: ['look'] };
    await runTeam(
      [
        ...[{ text: plan({ todos: ['One.', 'Two.', 'Three.'] }) }, look, look],
        ...[done('One.'), done('Two.'), look, done('Three.'), VERDICT, VERDICT],
      ],
      {
        pinned: { limits, tools: [browser] },
        callTool: async ({ session }) => {
          sessions.push(session);
          const opened = session === null && { session: { id: `s${sessions.length}`, queue: 'q' } };
          const value = {
            ending: 'executed' as const,
            content: [],
            isError: false,
            durationMs: 1,
            ...opened,
          };
          return { ok: true, value };
        },
      },
    );
    expect(sessions).toEqual([null, null, 's1']);
  });
});
