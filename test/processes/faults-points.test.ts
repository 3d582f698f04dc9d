import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAILURE } from '../../src/run/limits/failure.js';
import type { ScriptedToolCall } from '../support/endpoint/model.js';
import type { FaultStage, StagedRun } from '../support/fault-stage.js';
import { onStage } from '../support/fault-stage.js';
import { killWorkers } from '../support/processes.js';
import { sharedTemporal } from '../support/rig.js';
import { eventsOf } from '../support/run-views.js';

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  env = await sharedTemporal();
});
afterAll(async () => {
  killWorkers();
  await env?.teardown();
});

const UNKNOWN = /^Outcome unknown: It may or may not have taken effect/;
/** Arguments over 1 KB are read from the workflow, not sent along. */
const LONG_LINE = 'x'.repeat(2_000);

interface Case {
  /** As STEERSMAN_FAILPOINTS takes it. */
  plan: string;
  outcome: string;
  /** Default `append_line`, which is not idempotent. */
  tool?: 'echo' | 'append_line';
  line?: string;
  /** Workers that are needed: one more than die. Default 1. */
  lives?: number;
  /** Passages that fire. Default the first. */
  fires?: number[];
  /** Model calls that reach the endpoint twice. Default 0. */
  repeated?: number;
  /** Calls that reach the tool; for `append_line` each is an effect. Default 1. */
  reached?: number;
  /** What workflows offer their worker is lost: model calls ask the query. */
  asks?: true;
  /** How often the run schedules the tool call. Default 1. */
  scheduled?: number;
  /** What the model is told. Default: the tool's own answer. */
  told?: RegExp;
}

const NO_OFFERS = 'request.offer=fail@1-99';

const CASES: Case[] = [
  // The longest first: it waits for three heartbeat timeouts, while the others go on.
  {
    plan: 'tool.completion=hang@1-3',
    outcome: 'all three attempts of a read are lost, and the run makes it again',
    tool: 'echo',
    fires: [1, 2, 3],
    scheduled: 2,
    reached: 4,
  },
  { plan: 'worker.before-run=kill', outcome: 'the next worker takes the run', lives: 2 },
  { plan: 'run.loaded=kill', outcome: 'the run is loaded again', lives: 2 },
  { plan: 'run.loaded=hang', outcome: 'the run is loaded again' },
  { plan: 'state.read=kill', asks: true, outcome: 'nothing reached the model twice', lives: 2 },
  { plan: 'model.before-send=kill', outcome: 'nothing reached the model twice', lives: 2 },
  { plan: 'model.mid-stream=kill@2', outcome: 'the call in flight is repeated', lives: 2, repeated: 1 },
  { plan: 'model.after-reply=kill@2', outcome: 'the call in flight is repeated', lives: 2, repeated: 1 },
  { plan: 'model.completion=hang@2', outcome: 'the call is repeated by the same worker', repeated: 1 },
  { plan: 'tool.before-send=kill', outcome: 'no effect, and unknown', lives: 2, reached: 0, told: UNKNOWN },
  { plan: 'tool.before-send=fail', outcome: 'sent again, one effect' },
  { plan: 'tool.after-effect=kill', outcome: 'one effect, and unknown', lives: 2, told: UNKNOWN },
  { plan: 'tool.after-effect=fail', outcome: 'one effect, and unknown', told: UNKNOWN },
  { plan: 'tool.completion=hang', outcome: 'one effect, and unknown', told: UNKNOWN },
  { plan: 'tool.after-effect=kill', outcome: 'the read is made again', tool: 'echo', lives: 2, reached: 2 },
  { plan: 'tool.after-effect=fail', outcome: 'the read is made again', tool: 'echo', reached: 2 },
  {
    plan: 'state.read=fail',
    outcome: 'large arguments of an effect could not be read, and the run makes the call again',
    line: LONG_LINE,
    scheduled: 2,
  },
];

const server = () => ({ client: env.client, address: env.address });

async function passFault(stage: FaultStage, given: Case): Promise<void> {
  const { tool = 'append_line', line = 'a line', lives = 1, reached = 1, repeated = 0 } = given;
  const { scheduled = 1 } = given;
  const file = join(stage.project.dir, 'lines.txt');
  const call: ScriptedToolCall =
    tool === 'echo' ? { name: 'echo', arguments: { text: line } } : { name: tool, arguments: { file, line } };
  const kept = stage.keepWorker();
  const run = await stage.start('one call', { calls: [call] });
  expect(await run.result()).toMatchObject({ outcome: 'completed', counters: { turns: 4, toolCalls: 1 } });

  const [point = '', , passage = '1'] = given.plan.split(/[=@]/);
  expect(stage.fired(point)).toEqual(given.fires ?? [Number(passage)]);
  expect(kept.lives).toBe(lives);
  expect(run.requests().filter(({ nth }) => nth > 1)).toHaveLength(repeated);
  expect(stage.fake.events().filter(({ event }) => event === 'call')).toHaveLength(reached);
  if (tool === 'append_line') expect(stage.fake.effects()).toHaveLength(reached);
  expect(await scheduledTools(run)).toBe(scheduled);
  const answer = tool === 'echo' ? line : 'appended';
  expect(run.seen()).toEqual([given.told ? expect.stringMatching(given.told) : answer]);
  expect(await eventsOf(run.handle, 'provider_switch')).toEqual([]);
}

async function scheduledTools({ handle }: StagedRun): Promise<number> {
  const { events } = await handle.fetchHistory();
  const types = (events ?? []).map(event => event.activityTaskScheduledEventAttributes?.activityType?.name);
  return types.filter(type => type === 'steersmanCallTool').length;
}

describe.concurrent('failpoints (E1)', () => {
  for (const given of CASES) {
    test(`${given.plan}, ${given.tool ?? 'append_line'} → ${given.outcome}; the run completes`, () =>
      onStage({ ...server(), failpoints: given.asks ? `${given.plan}, ${NO_OFFERS}` : given.plan }, stage =>
        passFault(stage, given),
      ));
  }

  test('state.read=fail in all four attempts → the run makes the model call again, with the same model', () =>
    onStage({ ...server(), failpoints: `state.read=fail@1-4, ${NO_OFFERS}` }, async stage => {
      stage.keepWorker();
      const run = await stage.start('no calls', { calls: [] });
      expect(await run.result()).toMatchObject({ outcome: 'completed', counters: { turns: 3 } });
      expect(stage.fired('state.read')).toEqual([1, 2, 3, 4]);
      expect(await eventsOf(run.handle, 'model_call_failed')).toMatchObject([
        { failure: FAILURE.stateUnavailable, next: 'reschedule' },
      ]);
      expect(run.requests()).toHaveLength(3);
    }));
});
