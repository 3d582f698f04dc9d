/** Hooks of a worker's program, on a real server: what is called when, and what follows from what they say. */
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { beforeEach, describe, expect, test } from 'vitest';
import type {
  EndedRun,
  EndedTurn,
  FailedModel,
  HookMessage,
  RunHooks,
} from '../../src/activities/run-hooks.js';
import { textOf } from '../../src/run/messages/message.js';
import type { Note } from '../../src/run/state/note.js';
import { joinUpdate, noteUpdate, type RunResult } from '../../src/workflows/run/definitions.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, journalOf, transcriptOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';

/** What was called, in order, in words; a test says what each does. */
const calls: string[] = [];
const turns: EndedTurn[] = [];
let does: RunHooks = {};
beforeEach(() => {
  calls.length = 0;
  turns.length = 0;
  does = {};
});

const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note') },
  workspace: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' },
  hooks: {
    onTurnEnd(turn: EndedTurn) {
      calls.push(`turn ${turn.turn}`);
      turns.push(turn);
      return does.onTurnEnd?.(turn);
    },
    onMessage(said: HookMessage) {
      calls.push(said.message.kind);
      return does.onMessage?.(said);
    },
    onError(failed: FailedModel) {
      calls.push(`error ${failed.isRetryable}`);
      return does.onError?.(failed);
    },
    onRunEnd(ended: EndedRun) {
      calls.push(`end ${ended.outcome}`);
      return does.onRunEnd?.(ended);
    },
  },
});

const reads = {
  toolCalls: ['a.txt', 'b.txt'].map(path => ({ name: 'read_text_file', arguments: { path } })),
};
const says = { text: 'Both were read.' };
const mode = 'react' as const;

async function failedResult(handle: WorkflowHandle): Promise<RunResult> {
  const error = await handle.result().catch((reason: unknown) => reason);
  if (!(error instanceof WorkflowFailedError)) throw new Error(`expected a failed run, got ${String(error)}`);
  const { details } = error.cause as { details?: unknown[] };
  return details?.[0] as RunResult;
}

describe('onTurnEnd', () => {
  test('a hook at the end of a turn: true → called once a turn with turn, usage, model and provider, before the tools, and the goal goes on (H1, J4)', async () => {
    rig.play([reads, says]);
    const { handle, result } = await rig.run('Read both.', { mode, context: { tenant: 'ann' } });
    expect(result).toMatchObject({ outcome: 'answered', text: 'Both were read.' });
    expect(calls).toEqual([
      'assistant',
      'turn 1',
      'tool_result',
      'tool_result',
      'assistant',
      'turn 2',
      'end answered',
    ]);
    expect(turns[0]).toMatchObject({
      runId: handle.workflowId,
      goal: 1,
      turn: 1,
      role: 'react',
      model: 'openai/gpt-5-mini',
      provider: 'openai',
      context: { tenant: 'ann' },
      usage: { inputTokens: expect.any(Number) },
    });
    expect(turns.map(({ key }) => key.replace(/^.*-turn/, 'turn'))).toEqual(['turn-1', 'turn-2']);
  });

  test('a hook at the end of a turn: false beside calls → no tool runs, each call is closed as skipped, hook_stop (H2, C35, J4)', async () => {
    does = { onTurnEnd: () => false };
    rig.play([reads]);
    const { handle, result } = await rig.run('Read both.', { mode });
    expect(result).toMatchObject({ outcome: 'stopped', cause: 'hook_stop' });
    const ended = await eventsOf(handle, 'tool_call_ended');
    expect(ended.map(({ ending }) => ending)).toEqual(['skipped', 'skipped']);
    const said = (await transcriptOf(handle)).filter(({ kind }) => kind === 'tool_result');
    expect(said).toHaveLength(2);
    expect(calls).toEqual(['assistant', 'turn 1', 'tool_result', 'tool_result', 'end stopped']);
  });

  test('notes of a hook, and of a program meanwhile → events of the run in order; no request has them (G17)', async () => {
    let begun: (handle: WorkflowHandle) => void = () => {};
    const started = new Promise<WorkflowHandle>(resolve => {
      begun = resolve;
    });
    does = {
      onTurnEnd: async ({ turn, note }) => {
        const args: [Note] = [{ type: 'SYSTEM_EVENT', text: 'The queue is long.' }];
        if (turn === 1) await (await started).executeUpdate(noteUpdate, { args });
        note({ type: 'TOOL_LOG', text: `Charged turn ${turn}.` });
        return true;
      },
    };
    const script = rig.play([reads, says]);
    const handle = await rig.start('Read both.', { mode });
    begun(handle);
    await handle.result();
    const told = (await journalOf(handle)).filter(({ type }) => ['system_event', 'tool_log'].includes(type));
    expect(told).toMatchObject([
      { type: 'system_event', text: 'The queue is long.' },
      { type: 'tool_log', text: 'Charged turn 1.' },
      { type: 'tool_log', text: 'Charged turn 2.' },
    ]);
    expect(JSON.stringify(script.requests.map(({ sent }) => sent))).not.toMatch(/Charged|queue is long/);
  });

  test('a hook at the end of a turn: false beside an answer → the answer stays, hook_stop (H2)', async () => {
    does = { onTurnEnd: () => false };
    rig.play([says]);
    const { result } = await rig.run('Read both.', { mode });
    expect(result).toMatchObject({ outcome: 'stopped', cause: 'hook_stop', text: 'Both were read.' });
  });

  test('a hook at the end of a turn: throws in every try → the run fails, and its calls are closed (E4, J4)', async () => {
    does = {
      onTurnEnd: () => {
        throw new Error('the till is shut');
      },
    };
    rig.play([reads]);
    const handle = await rig.start('Read both.', { mode });
    expect(await failedResult(handle)).toMatchObject({ outcome: 'failed', cause: 'failed:hook' });
    expect(turns.map(({ turn }) => turn)).toEqual([1, 1, 1]);
    expect(new Set(turns.map(({ key }) => key)).size).toBe(1);
    const ended = await eventsOf(handle, 'tool_call_ended');
    expect(ended.map(({ ending }) => ending)).toEqual(['skipped', 'skipped']);
  });

  test('a hook at the end of a turn: throws once → called again with the same key, and the goal goes on (E4)', async () => {
    does = {
      onTurnEnd: () => {
        if (turns.length === 1) throw new Error('the till is shut');
        return true;
      },
    };
    rig.play([says]);
    const { result } = await rig.run('Read both.', { mode });
    expect([result.outcome, turns.map(({ turn }) => turn)]).toEqual(['answered', [1, 1]]);
  });
});

test('a hook for messages: replies and results of tools → each with its text, nobody else is told (H3, J4)', async () => {
  const texts: string[] = [];
  does = {
    onMessage: ({ message, key }) => {
      texts.push(
        `${key.split('-').at(-1)} ${message.id} ${message.kind === 'assistant' ? textOf(message) : message.kind}`,
      );
    },
  };
  rig.play([says]);
  const { handle } = await rig.run('Read both.', { mode });
  const answer = (await transcriptOf(handle)).at(-1);
  expect(texts).toEqual([`${answer?.id} ${answer?.id} Both were read.`]);
});

test('a hook for messages: throws each time → one warning, and the goal goes on (E4, J4)', async () => {
  does = {
    onMessage: () => {
      throw new Error('no disk');
    },
  };
  rig.play([reads, says]);
  const { handle, result } = await rig.run('Read both.', { mode });
  expect(result.outcome).toBe('answered');
  expect(await eventsOf(handle, 'warning')).toMatchObject([
    { text: expect.stringContaining('onMessage failed: no disk') },
  ]);
});

test.each<[string, RunHooks]>([
  ['is told', {}],
  [
    'throws',
    {
      onError: () => {
        throw new Error('no pager');
      },
    },
  ],
])(
  'a hook for errors: a model fails for good, and it %s → the model failure is what ends the run (E3, E4, J4)',
  async (_how, hooks) => {
    does = hooks;
    rig.play(() => ({ error: { status: 401, message: 'Incorrect API key provided.' } }));
    const result = await failedResult(await rig.start('Read both.', { mode }));
    expect(result).toMatchObject({ outcome: 'failed', cause: 'failed:model.auth' });
    expect(calls).toEqual(['error false', 'end failed']);
  },
);

test('a hook for the end of a run: throws → one warning, and the run ends as it was to (E4)', async () => {
  does = {
    onRunEnd: () => {
      throw new Error('no mail');
    },
  };
  rig.play([says]);
  const { handle, result } = await rig.run('Read both.', { mode });
  expect([result.outcome, calls.at(-1)]).toEqual(['answered', 'end answered']);
  expect(await eventsOf(handle, 'warning')).toMatchObject([
    { text: expect.stringContaining('onRunEnd failed: no mail') },
  ]);
});

test('a run that can not begin: an unknown role → its failure and its end are told (E3)', async () => {
  const handle = await rig.start('Read both.', { mode, role: 'nobody' });
  await expect(handle.result()).rejects.toThrow();
  expect(calls).toEqual(['error false', 'end failed']);
});

test('a run that is cancelled: while the hook of its last turn works → it ends as cancelled, and that is told (H4)', async () => {
  let handle: WorkflowHandle | null = null;
  does = {
    async onTurnEnd() {
      await handle?.cancel();
      // The worker hears of it with its next heartbeat.
      await new Promise(resolve => Context.current().cancellationSignal.addEventListener('abort', resolve));
      return true;
    },
  };
  rig.play([says]);
  handle = await rig.start('Read both.', { mode });
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect((await handle.describe()).status.name).toBe('CANCELLED');
  expect(calls.at(-1)).toBe('end cancelled');
});

test('a message while the hook at the end of a run works: → refused, for that run has ended (E7)', async () => {
  let told: unknown = null;
  does = {
    async onRunEnd({ runId }) {
      const at = rig.env.client.workflow.getHandle(runId);
      told = await at.executeUpdate(joinUpdate, { args: [{ id: 'late', text: 'And more?' }] }).catch(String);
    },
  };
  rig.play([says, says]);
  const { result } = await rig.run('Read both.', { mode });
  expect(told).toMatch(/has ended|Update/);
  expect([result.goals.length, calls.filter(call => call.startsWith('end'))]).toEqual([1, ['end answered']]);
});

test('a turn: its events and its hooks → in the order that is promised: call, reply, hooks, tools, results (H4)', async () => {
  const order: string[] = [];
  does = {
    onMessage: ({ message }) => void order.push(`onMessage ${message.kind}`),
    onTurnEnd: () => {
      order.push('onTurnEnd');
      return true;
    },
  };
  rig.play((_request, index) => {
    order.push('model');
    return index === 0 ? reads : says;
  });
  const { handle } = await rig.run('Read both.', { mode });
  const oneTurn = ['model', 'onMessage assistant', 'onTurnEnd'];
  expect(order).toEqual([...oneTurn, 'onMessage tool_result', 'onMessage tool_result', ...oneTurn]);
  const types = (await journalOf(handle))
    .map(({ type }) => type)
    .filter(type => /^(model|tool)_call/.test(type));
  const call = ['model_call_started', 'model_call_ended'];
  expect(types.slice(0, 2)).toEqual(call);
  expect(types.slice(2, -2).sort()).toEqual(
    ['tool_call_ended', 'tool_call_ended', 'tool_call_started', 'tool_call_started'].sort(),
  );
  expect(types.slice(-2)).toEqual(call);
  const { events } = await handle.fetchHistory();
  const activities = (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: it }) => it?.activityType?.name ?? [],
  );
  const ours = activities.filter(name => /CallModel|CallTool|Hook/.test(name));
  expect(ours.slice(0, 2)).toEqual(['steersmanCallModel', 'steersmanHook']);
  expect(ours.slice(2, 4)).toEqual(['steersmanCallTool', 'steersmanCallTool']);
  expect(ours.slice(4)).toEqual(['steersmanHook', 'steersmanCallModel', 'steersmanHook', 'steersmanHook']);
});
