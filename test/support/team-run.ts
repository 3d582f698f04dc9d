/** A run of the whole team in memory: a test says what each role answers, and acts at any call. */

import type { CallModelInput } from '../../src/activities/types.js';
import { FEATURES } from '../../src/compose.js';
import { fitForHandover, resumedState } from '../../src/conversation/handover.js';
import { BEHAVIOUR, type RunSettings } from '../../src/run/agents/run-config.js';
import type { Limits } from '../../src/run/limits/limits.js';
import { DEFAULT_LIMITS } from '../../src/run/limits/limits.js';
import { NO_USAGE, textOf } from '../../src/run/messages/message.js';
import type { OutputContract } from '../../src/run/outputs/contracts.js';
import type { StepFailurePolicy } from '../../src/run/plan/plan.js';
import type { GoalEnd } from '../../src/run/state/goal.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { newRunState } from '../../src/run/state/run-state.js';
import { adopted } from '../../src/workflows/beside/moments.js';
import { beginRun, endRun, goOn, pursue, waitForFollowUp } from '../../src/workflows/goals.js';
import type { Ports } from '../../src/workflows/run/ports.js';
import { Run } from '../../src/workflows/run/run.js';
import { pinnedRun } from './core-values.js';
import { quietPorts, testRole } from './small-run.js';

const CONTRACTS: Record<string, OutputContract> = {
  planner: 'plan',
  executor: 'execution',
  verifier: 'verdict',
  summary: 'text',
  understanding: 'intent',
  router: 'route',
};

/** The answers of a team that does one task and is content with it. */
export const CONTENT: Record<string, unknown> = {
  planner: { summary: 'A plan.', needsMorePlanning: false, todos: [{ id: 't1', description: 'Do t1' }] },
  executor: { summary: 'The file says 42.', taskCompleted: true },
  verifier: {
    allCompleted: true,
    userNeedsSatisfied: true,
    overallFeedback: 'Well.',
    summary: 'It says 42.',
    tasks: ['t1', 'p1'].map(id => ({ id, completed: true, feedback: 'Seen.' })),
  },
  summary: 'What was found.',
};

/** What the understanding role says of a message: its relation, and for an instruction which; `names`: tasks. */
export function intentOf(
  type: string,
  action = 'modify',
  { scope, names = [] }: { scope?: string; names?: string[] } = {},
): Record<string, unknown> {
  const meant = scope ?? (type === 'control_instruction' ? 'meta_control' : 'full_task');
  return {
    normalizedIntent: { goal: 'As it was read', action, scope: meant, urgency: 'low' },
    taskRelation: { type, confidence: 0.95, reasoning: 'It says so.' },
    contextDependency: {
      needsCurrentTaskContext: true,
      needsExecutionHistory: false,
      referencedEntities: names,
    },
  };
}

export interface ModelCall {
  role: string;
  /** How often this role was called, from 1. */
  times: number;
  /** All that the call sends, as one text. */
  request: string;
  run: Run;
}

export interface TeamRun {
  run: Run;
  /** Calls in order: `planner 1`, `executor 1` and so on. */
  calls: ModelCall[];
  end: GoalEnd;
}

/**
 * Runs the team to the end of the run. `answer`: what a role says at a call, or undefined for the content team's
 * answer; signals and updates may be sent in it. `waits`: called whenever the run waits for a person, which it
 * does no more when that returns false.
 */
export async function teamRun(given: {
  answer?: (call: ModelCall) => unknown;
  waits?: (run: Run, times: number) => void;
  limits?: Partial<Limits>;
  settings?: Partial<RunSettings>;
  understands?: boolean;
  /** Whether a router is asked, where the table leaves a choice. */
  routes?: boolean;
  onStepFailure?: StepFailurePolicy;
  /** The version that the run began with. Default: that of new runs. */
  behaviour?: number;
  /** Whether the run continues as new where it waits for a person. */
  handsOver?: (run: Run) => boolean;
  /** What comes when the next segment has begun and done nothing yet. */
  between?: (run: Run) => void;
  /** In place of those of a quiet world. */
  ports?: Partial<Ports>;
  /** Hears of a run that is started for another task, with its goal. */
  startRun?: (goal: string) => void;
}): Promise<TeamRun> {
  const settings = { mode: 'team', workspace: '/w', autoApprove: true, ...given.settings } as const;
  const calls: ModelCall[] = [];
  const ports = teamPorts(given, calls, () => run);
  let run = new Run(newRunState('Say what the file says.', settings, 0), ports, FEATURES);
  const left = [...(given.understands ? [] : ['understanding']), ...(given.routes ? [] : ['router'])];
  const names = Object.keys(CONTRACTS).filter(name => !left.includes(name));
  const roles = Object.fromEntries(
    names.map(name => [name, testRole(name, { output: CONTRACTS[name] ?? 'text', tools: [] })]),
  );
  const limits = { ...DEFAULT_LIMITS, ...given.limits };
  const { onStepFailure = 'skip', behaviour = BEHAVIOUR } = given;
  const pins = { roles, limits, onStepFailure, behaviour };
  await beginRun(run, pinnedRun({ ...pins, models: ['p/a'], gateTimeoutMs: 60_000 }));
  for (;;) {
    try {
      const end = await pursue(run);
      if (goOn(run, end) || (await waitForFollowUp(run, end))) continue;
      endRun(run, end);
      return { run, calls, end };
    } catch (error) {
      if (!(error instanceof HandedOver)) throw error;
      run = new Run(adopted(resumedState(JSON.parse(error.json)), FEATURES), ports, FEATURES);
      given.between?.(run);
    }
  }
}

class HandedOver extends Error {
  readonly json: string;

  constructor(state: RunState) {
    super('handed over');
    this.json = JSON.stringify(state);
  }
}

function teamPorts(
  {
    answer,
    waits,
    startRun,
    ports,
    handsOver = () => false,
  }: Pick<Parameters<typeof teamRun>[0], 'answer' | 'waits' | 'startRun' | 'handsOver' | 'ports'>,
  calls: ModelCall[],
  served: () => Run,
): Ports {
  let waited = 0;
  return {
    ...quietPorts([]),
    ...ports,
    callModel: async ({ role, callId }: CallModelInput) => {
      await null;
      const run = served();
      const { thread = '' } = run.state.models.calls.find(call => call.callId === callId) ?? {};
      const request = (run.state.threads[thread]?.messages ?? []).map(message => textOf(message)).join('\n');
      const times = calls.filter(call => call.role === role).length + 1;
      const call = { role, times, request, run };
      calls.push(call);
      const said = answer?.(call) ?? CONTENT[role];
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      const content = [{ type: 'text' as const, text }];
      const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 1 };
      return { ok: true, value: { content, stopReason: 'end_turn', usage, model: 'p/a', durationMs: 1 } };
    },
    wait: async done => {
      for (let tries = 0; !done() && tries < 20; tries += 1) {
        waited += 1;
        waits?.(served(), waited);
        await null;
      }
      if (!done()) throw new Error('the run waits, and nobody comes');
    },
    callTool: () => Promise.reject(new Error('no tool is called here')),
    startRun: async (id, goal) => {
      startRun?.(goal);
      return id;
    },
    handoverSuggested: () => handsOver(served()),
    handOver: async state => {
      throw new HandedOver(fitForHandover(state, 'run-1', 1_000));
    },
  };
}
