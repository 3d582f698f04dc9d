/** The ports of a run on Temporal: activities, cancellation, continue-as-new. */

import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  ParentClosePolicy,
  proxySinks,
  scheduleActivity,
  setCurrentDetails,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { inflateSync, strFromU8, strToU8 } from 'fflate';
import type {
  ActivityToolCall,
  CallToolInput,
  CallToolResult,
  LookFinds,
  LookInput,
  RequestSinks,
} from '../../activities/types.js';
import { WORKER_TRIES } from '../../base/sizes/bounds.js';
import { dictionaryOf, type Packed } from '../../base/sizes/packed.js';
import { headWithin } from '../../base/text/fit.js';
import { fitForHandover } from '../../conversation/handover.js';
import { type SearchAttribute, searchAttributesOf } from '../../rules/steering/search-attributes.js';
import { statusMarkdown } from '../../rules/steering/status.js';
import {
  memoOf,
  type PinnedRun,
  type RunSettings,
  settingsOfNewTask,
  WORKFLOW_TYPE,
} from '../../run/agents/run-config.js';
import type { RunState } from '../../run/state/run-state.js';
import { caller, callWorkflow, subagents } from '../agents/subagents.js';
import type { RunInput } from '../run/definitions.js';
import type { Called, CallOptions, Ports } from '../run/ports.js';
import { activityOptions, execute, LOAD_OPTIONS, settle, shortOptions } from './activity-calls.js';

const { steersman } = proxySinks<RequestSinks>();

export interface TemporalPorts extends Ports {
  /** Loads what the run pins. Bad input or configuration comes back as a failure with its message. */
  loadRun(): Promise<Called<PinnedRun>>;
}

const INTERRUPTIBLE = { interruptible: true };

export function temporalPorts(settings: RunSettings): TemporalPorts {
  const scope = CancellationScope.current();
  const fromAgent = caller(settings.calledAs);
  const calls = new Calls();
  return {
    chainId: workflowInfo().firstExecutionRunId,
    runId: workflowInfo().runId,
    now: () => Date.now(),
    ...modelPorts(calls, settings),
    ...toolPorts(calls),
    ...lookPorts(calls),
    ...storePorts(calls, settings),
    tell: input =>
      settle(
        execute(
          'steersmanHook',
          input,
          activityOptions({
            summary: `hooks · ${input.at}`,
            timeoutMs: 60_000,
            ...LOST_TOO,
            interruptible: false,
          }),
        ),
      ),
    wait: async (done, timeoutMs, what) => {
      if (timeoutMs === null) await condition(done);
      else await condition(done, timeoutMs, { summary: what });
    },
    ...subagents(),
    ...fromAgent,
    startRun: (id, goal) => startRun(id, goal, settingsOfNewTask(settings)),
    // Between two calls that cancels nothing.
    interrupt: () => calls.cancel(),
    throwIfCancelled: () => {
      if (scope.consideredCancelled) throw new CancelledFailure('the run was cancelled');
    },
    ...handoverPorts(fromAgent),
    show: showStatus,
  };
}

type PortsOf<K extends keyof TemporalPorts> = Pick<TemporalPorts, K>;

/** Calls by what interrupts them. */
class Calls {
  /** Of all calls that may be interrupted, until it is cancelled: each new one stays with its parent for ever. */
  #scope = new CancellationScope();

  scope(): CancellationScope {
    if (this.#scope.consideredCancelled) this.#scope = new CancellationScope();
    return this.#scope;
  }

  make<T>(
    { interruptible }: Pick<CallOptions, 'interruptible'>,
    start: () => Promise<T>,
  ): Promise<Called<T>> {
    return settle(interruptible ? this.scope().run(start) : start());
  }

  cancel(): void {
    this.#scope.cancel();
  }
}

function modelPorts(
  calls: Calls,
  settings: RunSettings,
): PortsOf<'callModel' | 'loadRun' | 'reloadTools' | 'resolveModel' | 'transform' | 'offer'> {
  const loadRun = (options: CallOptions) =>
    calls.make(options, async () =>
      unpack(await execute('steersmanLoadRun', { settings }, activityOptions(options))),
    );
  return {
    callModel: (input, options) =>
      calls.make(options, () => execute('steersmanCallModel', input, activityOptions(options))),
    loadRun: () => loadRun(LOAD_OPTIONS),
    reloadTools: () => loadRun({ ...LOAD_OPTIONS, summary: 'list the tools anew' }),
    // A program that is slow or fails holds no run up: its chain is used.
    resolveModel: input =>
      calls.make(INTERRUPTIBLE, () =>
        execute(
          'steersmanResolveModel',
          input,
          shortOptions('choose a model', { timeoutMs: 10_000, attempts: 2 }),
        ),
      ),
    transform: input =>
      calls.make(INTERRUPTIBLE, () => {
        const times = { timeoutMs: 20_000, attempts: 2 };
        return execute('steersmanTransform', input, shortOptions(`transform ${input.transform}`, times));
      }),
    offer: (page, check) => steersman.offer(page, check),
  };
}

function toolPorts(calls: Calls): PortsOf<'callTool' | 'callWorkflow' | 'activity' | 'runCheck'> {
  return {
    callTool: (input, options) =>
      calls.make(options, () =>
        input.activity === undefined
          ? execute('steersmanCallTool', input, activityOptions(options))
          : callActivity(input.activity, input, options),
      ),
    callWorkflow: (workflow, options) => {
      const scope = calls.scope();
      const asking = shortOptions(`check ${options.summary}`, { timeoutMs: 60_000, attempts: 3 });
      return callWorkflow(workflow, options, {
        checkCall: input => calls.make(options, () => execute('steersmanCheckCall', input, asking)),
        within: start => scope.run(start),
      });
    },
    activity: (name, input, options) =>
      calls.make(options, () => scheduleActivity(name, [input], shortOptions(options.summary, options))),
    runCheck: (input, options) =>
      calls.make(options, () => execute('steersmanRunCheck', input, activityOptions(options))),
  };
}

function lookPorts(calls: Calls): PortsOf<'compareFile' | 'look'> {
  return {
    // A disk that is slow holds no question up: it is asked without.
    compareFile: input =>
      calls.make(INTERRUPTIBLE, () =>
        execute(
          'steersmanCompareFile',
          input,
          shortOptions('compare a file', { timeoutMs: 5_000, attempts: 2 }),
        ),
      ),
    // A disk that is slow holds no goal up: the run goes on, and says what it could not see.
    look: <I extends LookInput>(input: I) =>
      calls.make(INTERRUPTIBLE, () => {
        const times = { timeoutMs: 20_000, attempts: 3 };
        return execute('steersmanLook', input, shortOptions(SUMMARY[input.at], times)) as Promise<
          LookFinds[I['at']]
        >;
      }),
  };
}

function storePorts(calls: Calls, settings: RunSettings): PortsOf<'storeText' | 'keep' | 'openSession'> {
  return {
    // A store that is slow or full holds no run up: the text is cut instead.
    storeText: (input, { once }) =>
      calls.make(INTERRUPTIBLE, () => {
        const times = once ? { timeoutMs: 5_000, attempts: 1 } : { timeoutMs: 10_000, ...LOST_TOO };
        return execute('steersmanStoreText', input, shortOptions(`keep ${input.name}`, times));
      }),
    // A stop waits for it: what was said so far is worth more than a second.
    keep: ({ after, upTo }, { once }) =>
      calls.make({ interruptible: false }, () => {
        const times = { timeoutMs: once ? 10_000 : 15_000, ...LOST_TOO };
        const input = { workspace: settings.workspace, after, upTo, ...(once && { once }) };
        return execute('steersmanKeep', input, shortOptions('keep the conversation', times));
      }),
    openSession: input =>
      calls.make(INTERRUPTIBLE, async () => {
        const times = { timeoutMs: 20_000, attempts: WORKER_TRIES, maxRetryDelayMs: 8_000 };
        const { workspace } = settings;
        const asked = { ...input, chain: workflowInfo().firstExecutionRunId, workspace };
        const opened = unpack(await execute('steersmanOpenSession', asked, shortOptions(OPENING, times)));
        return Array.isArray(opened) ? { messages: opened } : opened;
      }),
  };
}

function handoverPorts({
  callerTold,
}: PortsOf<'callerTold'>): PortsOf<'handoverDue' | 'handoverNear' | 'handoverSuggested' | 'handOver'> {
  // A part begins at the safe point where the one before it ended: handing over there again never ends.
  let begun = false;
  return {
    handoverDue: state => {
      const segmentBegins = !begun && state.segment > 1;
      begun = true;
      return !segmentBegins && handoverDue(state);
    },
    handoverNear: handoverDue,
    handoverSuggested: () => workflowInfo().continueAsNewSuggested,
    handOver: async state => {
      for (let told = callerTold(); told; told = callerTold()) await told;
      return handOver(state);
    },
  };
}

/** These activities say themselves when they have failed for good (`withTries`): the other tries are for workers that die. */
const LOST_TOO = { attempts: WORKER_TRIES, maxRetryDelayMs: 2_000 };

const OPENING = 'read what was said before in this conversation';

const SUMMARY: Readonly<Record<LookInput['at'], string>> = {
  before: 'look at what stands there before a write',
  now: 'look at what stands there now',
  start: 'list the workspace before the goal begins',
  list: 'list the workspace',
};

/** An activity that the application has: on the same task queue, with its arguments first. */
function callActivity(
  activity: string,
  { arguments: args = {}, workspace, idempotencyKey, timeoutMs, idempotent, words }: CallToolInput,
  { attempts, ...options }: CallOptions,
): Promise<CallToolResult> {
  const how = { workspace, idempotencyKey, timeoutMs, idempotent, attempts };
  const call: ActivityToolCall = { ...how, ...(words && { words }) };
  return scheduleActivity(activity, [args, call], activityOptions({ ...options, attempts }));
}

/** The last look at handlers, the building of the input and the continuation: no await in between. */
async function handOver(state: RunState): Promise<never> {
  await condition(allHandlersFinished);
  const carried = fitForHandover(state, workflowInfo().runId, Date.now());
  return continueAsNew<(input: RunInput) => Promise<unknown>>({ resume: carried });
}

/** True when the server suggests it, or at every safe point where a test wants that. */
function handoverDue(state: RunState): boolean {
  const info = workflowInfo();
  return info.continueAsNewSuggested || state.settings.continueAsNew === 'every-safe-point';
}

/** The server takes ids of 1,000 bytes; a longer one fails the workflow task, again and again. */
const MOST_OWN_ID_BYTES = 900;

/** A run of its own: it outlives this one. */
async function startRun(id: string, goal: string, settings: RunSettings): Promise<string> {
  const { workflowId: own, firstExecutionRunId } = workflowInfo();
  // An id may be used again: the run of an earlier one can be open still.
  const workflowId = `${headWithin(own, MOST_OWN_ID_BYTES)}-${firstExecutionRunId.slice(-6)}-${id}`;
  await startChild(WORKFLOW_TYPE, {
    workflowId,
    args: [{ goal, settings }],
    memo: memoOf(goal, settings),
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.ABANDON,
  });
  return workflowId;
}

/** What `pack` made small (activities/pack.ts). */
export function unpack<T>(packed: Packed<T>): T {
  const dictionary = strToU8(dictionaryOf(packed[0] ?? 0));
  return JSON.parse(strFromU8(inflateSync(packed.subarray(1), { dictionary }))) as T;
}

// Shows a run's state in the stock Web UI: current details, and search attributes that exist.

/** Current details cost no history; search attributes are written only when they change. */
function showStatus(state: RunState, ofFeatures: readonly string[]): void {
  setCurrentDetails(statusMarkdown(state, ofFeatures));
  const wanted = searchAttributesOf(state);
  const changed: Record<string, string[]> = {};
  for (const name of state.pinned?.searchAttributes ?? []) {
    const value = wanted[name as SearchAttribute] ?? null;
    if (value === (state.shown[name] ?? null)) continue;
    changed[name] = value === null ? [] : [value];
    if (value === null) delete state.shown[name];
    else state.shown[name] = value;
  }
  if (Object.keys(changed).length > 0) upsertSearchAttributes(changed);
}
