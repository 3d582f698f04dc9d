/** What the loop makes of model calls that fail, take too long, are lost or come back cut. */
import { describe, expect, test } from 'vitest';
import type { CallModelResult } from '../../../src/activities/types.js';
import { MODEL_RESCHEDULES } from '../../../src/rules/limits/model-failure.js';
import type { PinnedRun } from '../../../src/run/agents/run-config.js';
import { type CallFailure, FAILURE } from '../../../src/run/limits/failure.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { NO_USAGE, textOf } from '../../../src/run/messages/message.js';
import type { OutputContract } from '../../../src/run/outputs/contracts.js';
import { executionAt, wrapUpAt } from '../../../src/run/position/position.js';
import { here } from '../../../src/run/state/cursor.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import { receive } from '../../../src/workflows/inbox/inbox-handlers.js';
import { wrapUp } from '../../../src/workflows/phases/conclude.js';
import type { Called, CallOptions } from '../../../src/workflows/run/ports.js';
import { Run } from '../../../src/workflows/run/run.js';
import { runTurns } from '../../../src/workflows/turn/turn-loop.js';
import { pinnedRun } from '../../support/core-values.js';
import { quietPorts, testRole } from '../../support/small-run.js';

type ModelCall = (call: number, options: CallOptions) => Called<CallModelResult>;

/** A run whose executor, with this output, is about to be asked; `model` answers and may move the clock. */
function runAtCall(output: OutputContract, model: ModelCall, pinned: Partial<PinnedRun> = {}) {
  const settings = { mode: 'team', workspace: '/w', autoApprove: false } as const;
  const state = newRunState('Do it.', settings, 0);
  state.pinned = pinnedRun({
    roles: { executor: testRole('executor', { output, tools: [] }) },
    models: ['p/a', 'p/b'],
    modelTimeoutMs: 600_000,
    ...pinned,
  });
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  const clock = { now: 0 };
  const calls: CallOptions[] = [];
  const models: string[] = [];
  let looks = 0;
  const run = new Run(state, {
    ...quietPorts([]),
    now: () => clock.now,
    throwIfCancelled: () => {
      looks += 1;
    },
    callModel: async (input, options) => {
      calls.push(options);
      models.push(input.model);
      return model(calls.length, options);
    },
  });
  const spec = { role: 'executor', output, maxRounds: 3, tools: false, instruction: () => 'Do task-1.' };
  const turn = () => runTurns(run, spec);
  return { run, state, clock, calls, models, turn, safePoints: () => looks };
}

function reply(text: string, more: Partial<CallModelResult> = {}): Called<CallModelResult> {
  const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5 };
  const content = [{ type: 'text' as const, text }];
  return {
    ok: true,
    value: { content, stopReason: 'end_turn', usage, durationMs: 1, ...more },
  };
}

function failed(kind: CallFailure['kind'], type = '', more: Partial<CallFailure> = {}): Called<never> {
  return { ok: false, failure: { kind, type, message: 'it broke', ...more } };
}

describe('the time of a goal', () => {
  test('model call: little time is left → bound by it, with all its tries, and the budget ends the turn (LI3)', async () => {
    const limits = { ...DEFAULT_LIMITS, wallTimeMs: 30_000 };
    const world = runAtCall(
      'text',
      (_call, { wholeMs = 0 }) => {
        world.clock.now += wholeMs;
        return failed('timedOut');
      },
      { limits },
    );
    world.clock.now = 10_000;
    expect(await world.turn()).toEqual({ kind: 'budget_used', budgets: ['wallTimeMs'] });
    expect(world.calls).toMatchObject([{ timeoutMs: 20_000, wholeMs: 20_000 }]);
    expect(world.state.goal.counters.failedCalls).toBe(1);
  });

  test('model call: the goal got more time while the call ran into its end → it is made again (LI3)', async () => {
    const limits = { ...DEFAULT_LIMITS, wallTimeMs: 30_000 };
    const world = runAtCall(
      'text',
      (call, { wholeMs = 0 }) => {
        if (call > 1) return reply('Done.');
        world.clock.now += wholeMs;
        world.state.limits = { wallTimeMs: 90_000 };
        return failed('application', FAILURE.model.timeout);
      },
      { limits },
    );
    expect(await world.turn()).toMatchObject({ kind: 'reply', output: 'Done.' });
    expect(world.calls[1]).toMatchObject({ wholeMs: 60_000 });
    expect(world.state.models.failed).toEqual({});
  });

  test('model call: plenty of time → the limit of a call, and of a slow model the next one is asked', async () => {
    const world = runAtCall('text', call => (call === 1 ? failed('timedOut') : reply('Done.')));
    expect(await world.turn()).toMatchObject({ kind: 'reply' });
    expect(world.calls[0]).toMatchObject({ timeoutMs: 600_000, wholeMs: 3_600_000 });
    expect(world.state.models.failed).toEqual({ executor: ['p/a'] });
  });

  test('model call: no time left, in the wrap-up → two minutes of its own', async () => {
    const world = runAtCall('text', () => reply('Done.'));
    world.state.cursor.position = wrapUpAt(1, { cause: 'budget:wallTimeMs', why: '' });
    world.clock.now = 9_000_000;
    await world.turn();
    expect(world.calls).toMatchObject([{ timeoutMs: 120_000, wholeMs: 120_000 }]);
  });
});

describe('calls that bring nothing', () => {
  test.each([
    [{}, { attempts: 4 }],
    [{ maxRetries: 0 }, { attempts: 1 }],
    [
      { maxRetries: 2, retryDelayMs: 250 },
      { attempts: 3, retryDelayMs: 250 },
    ],
  ])('model call: its role says %j of retries → %j (A3)', async (said, expected) => {
    const roles = { executor: testRole('executor', { output: 'text', tools: [], ...said }) };
    const world = runAtCall('text', () => reply('Done.'), { roles });
    await world.turn();
    const [{ attempts, retryDelayMs } = { attempts: 0 }] = world.calls;
    expect(retryDelayMs === undefined ? { attempts } : { attempts, retryDelayMs }).toEqual(expected);
  });

  test('model call: failed attempts used tokens → they count for goal and run (LI3)', async () => {
    const usage = { ...NO_USAGE, inputTokens: 600, outputTokens: 500, estimated: true };
    const limits = { ...DEFAULT_LIMITS, tokens: 1_000 };
    const fails = () => failed('application', FAILURE.model.server, { usage });
    const world = runAtCall('text', fails, { limits });
    expect(await world.turn()).toEqual({ kind: 'budget_used', budgets: ['tokens'] });
    expect(world.calls).toHaveLength(1);
    expect(world.state.total.usage).toMatchObject({ inputTokens: 600, outputTokens: 500, estimated: true });
    expect(world.state.goal.usage).toEqual(world.state.total.usage);
  });

  test('model call: lost again and again → a safe point before each, and an end that says so (ST7)', async () => {
    const world = runAtCall('text', () => failed('lost'));
    const end = await world.turn();
    expect(end).toMatchObject({ kind: 'failed', failure: { type: FAILURE.workerLost } });
    expect(world.calls).toHaveLength(MODEL_RESCHEDULES + 1);
    expect(world.safePoints()).toBeGreaterThan(MODEL_RESCHEDULES);
    expect(world.state.goal.counters).toMatchObject({ failedCalls: MODEL_RESCHEDULES + 1, turns: 0 });
  });

  test('model call: lost, with the time of the goal running → the budget ends it (ST7)', async () => {
    const limits = { ...DEFAULT_LIMITS, wallTimeMs: 3_000 };
    const world = runAtCall(
      'text',
      () => {
        world.clock.now += 2_000;
        return failed('lost');
      },
      { limits },
    );
    expect(await world.turn()).toEqual({ kind: 'budget_used', budgets: ['wallTimeMs'] });
    expect(world.calls).toHaveLength(2);
  });

  test('model call: a reply in between → losses are counted anew', async () => {
    const world = runAtCall('execution', call =>
      call === MODEL_RESCHEDULES ? reply('What?') : failed('lost'),
    );
    await world.turn();
    expect(world.calls).toHaveLength(MODEL_RESCHEDULES + MODEL_RESCHEDULES + 1);
  });
});

describe('replies that were cut at the output limit', () => {
  const cut = { stopReason: 'max_tokens' } as const;
  const reasks = ({ state }: ReturnType<typeof runAtCall>) =>
    Object.values(state.threads).flatMap(({ messages }) =>
      messages.flatMap(said => (said.kind === 'user' && said.purpose === 'reask' ? [textOf(said)] : [])),
    );

  test('text: cut → goes on where it was cut, and both parts are the text (OU4, M13)', async () => {
    const world = runAtCall('text', call =>
      call === 1 ? reply('Once upon a ti', cut) : reply('time. The end.'),
    );
    expect(await world.turn()).toMatchObject({ kind: 'reply', output: 'Once upon a time. The end.' });
    expect(reasks(world)).toEqual([expect.stringMatching(/cut off at the output limit.*\nOnce upon a$/)]);
    expect(world.calls).toHaveLength(2);
  });

  test.each([
    ['is cut again', reply('time', cut), 'Once upon a time'],
    ['brings nothing more', reply(' '), 'Once upon a'],
  ])('text: cut, and the rest %s → taken, and it says so (OU4)', async (_, rest, text) => {
    const world = runAtCall('text', call => (call === 1 ? reply('Once upon a ', cut) : rest));
    const output = `${text}\n\n[This text was cut off at the output limit.]`;
    expect(await world.turn()).toMatchObject({ kind: 'reply', output });
    expect(world.calls).toHaveLength(2);
  });

  test('text: cut before a word was said → asked for again, shorter (OU4)', async () => {
    const world = runAtCall('text', call => (call === 1 ? reply('', cut) : reply('The end.')));
    expect(await world.turn()).toMatchObject({ kind: 'reply', output: 'The end.' });
    expect(reasks(world)).toEqual([expect.stringMatching(/shorter/)]);
  });

  test('text: cut where it is the answer, and the model fails at the rest → the answer so far (OU4)', async () => {
    const world = runAtCall('text', call =>
      call === 1 ? reply('The total is 42, and', cut) : failed('application', FAILURE.model.auth),
    );
    expect(await world.turn()).toMatchObject({ kind: 'failed' });
    world.state.cursor.position = {
      ...wrapUpAt(1, { cause: 'turn_cap', why: 'so' }),
      turns: here(world.state.cursor).turns,
    };
    world.run.pinned.roles.summary = testRole('summary', { output: 'text', tools: [] });
    const end = await wrapUp(world.run, world.state.cursor.position);
    expect(end).toMatchObject({
      cause: 'turn_cap',
      answer: expect.stringMatching(/^The total is 42,.*was cut off/s),
    });
  });

  test('JSON: cut → the reason is what is said, not that the JSON is bad (OU4)', async () => {
    const world = runAtCall('execution', () => reply('{"summary": "I did', cut));
    expect(await world.turn()).toMatchObject({ kind: 'unusable' });
    expect(reasks(world)).toEqual([expect.stringMatching(/cut off at the output limit/)]);
    expect(reasks(world)[0]).not.toMatch(/valid JSON object, got/);
  });

  test('JSON: whole, and cut in what follows it → taken as it is', async () => {
    const world = runAtCall('execution', () =>
      reply('{"summary":"Did it.","taskCompleted":true} And so', cut),
    );
    expect(await world.turn()).toMatchObject({ kind: 'reply', output: { summary: 'Did it.' } });
  });
});

test('usage: an endpoint reports what can not be right, reply after reply → one warning (LI4)', async () => {
  const warning = 'The token counts of p/a cannot be right.';
  const world = runAtCall('execution', () => reply('What?', { warning }));
  await world.turn();
  const warnings = world.state.log.journal.events.filter(({ type }) => type === 'warning');
  expect(warnings).toMatchObject([{ text: warning }]);
});

describe('replies that are no answer', () => {
  const refusal = { stopReason: 'refusal' } as const;

  test('refusal: another model in the chain → it is asked the same, and reads nothing of the refusal (M13)', async () => {
    const world = runAtCall('execution', call =>
      call === 1 ? reply('I will not.', refusal) : reply('{"summary":"Did it.","taskCompleted":true}'),
    );
    expect(await world.turn()).toMatchObject({ kind: 'reply', output: { summary: 'Did it.' } });
    expect(world.models).toEqual(['p/a', 'p/b']);
    const messages = Object.values(world.state.threads).flatMap(thread => thread.messages);
    expect(messages.flatMap(said => (said.kind === 'assistant' ? [textOf(said)] : []))).toEqual([
      '{"summary":"Did it.","taskCompleted":true}',
    ]);
    expect(world.state.log.journal.events.filter(({ type }) => type === 'provider_switch')).toMatchObject([
      {
        fromModel: 'p/a',
        toModel: 'p/b',
        why: expect.stringContaining('p/a declined to answer: "I will not."'),
      },
    ]);
    expect(world.state.goal.counters).toMatchObject({ turns: 1, failedCalls: 1, reasks: 0 });
    expect(world.state.goal.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  test.each([
    ['refusal', FAILURE.model.refused],
    ['content_filter', FAILURE.model.contentFilter],
  ] as const)(
    '%s: of every model → a typed failure, and nobody is asked to mend it (M13)',
    async (stopReason, type) => {
      const world = runAtCall('execution', () => reply('I will not.', { stopReason }));
      expect(await world.turn()).toMatchObject({ kind: 'failed', failure: { type } });
      expect(world.calls).toHaveLength(2);
    },
  );

  test('refusal: beside a call of a tool → the call does not run (M13)', async () => {
    const call = { type: 'tool_use', id: 't1', name: 'put', input: {} } as const;
    const world = runAtCall('execution', () => reply('', { ...refusal, content: [call] }));
    expect(await world.turn()).toMatchObject({ kind: 'failed', failure: { type: FAILURE.model.refused } });
    const messages = Object.values(world.state.threads).flatMap(thread => thread.messages);
    expect(messages.filter(({ kind }) => kind !== 'user')).toEqual([]);
  });
});

describe('a text that goes on, and a person who speaks meanwhile', () => {
  const cut = { stopReason: 'max_tokens' } as const;
  const interrupted = { stopReason: 'interrupted' } as const;

  test('text: cut, and interrupted in its rest → what came of the rest is in it (OU4)', async () => {
    const replies = [reply('One. Two. ', cut), reply('Three. Fo', interrupted), reply('Four. Five.')];
    const world = runAtCall('text', call => replies[call - 1] ?? reply(''));
    expect(await world.turn()).toMatchObject({ kind: 'reply', output: 'One. Two. Three. Four. Five.' });
  });

  test('text: interrupted, and nothing was said to it → goes on, and both parts are the text (OU4)', async () => {
    const world = runAtCall('text', call =>
      call === 1 ? reply('One. Tw', interrupted) : reply('Two. Three.'),
    );
    expect(await world.turn()).toMatchObject({ kind: 'reply', output: 'One. Two. Three.' });
    const said = Object.values(world.state.threads).flatMap(({ messages }) => messages.map(textOf));
    // No message follows, so none is announced.
    expect(said).toContainEqual(expect.stringContaining('was interrupted, and nothing new is asked of you.'));
  });

  test('text: cut, and a person says what else is wanted → the reply to that is the text, alone', async () => {
    const world = runAtCall('text', call => {
      if (call > 1) return reply('Un. Deux.');
      receive(world.run, { text: 'In French, please.' }, 'steer');
      return reply('One. Two. ', cut);
    });
    expect(await world.turn()).toMatchObject({ kind: 'reply', output: 'Un. Deux.' });
  });
});
