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
  LoadedRun,
  LoadRunInput,
  LookFinds,
  LookInput,
  RequestSinks,
} from '../../activities/types.js';
import { without } from '../../base/json/json.js';
import { WORKER_TRIES } from '../../base/sizes/bounds.js';
import { dictionaryOf, type Packed } from '../../base/sizes/packed.js';
import { headWithin } from '../../base/text/fit.js';
import { fitForHandover } from '../../conversation/handover.js';
import { type SearchAttribute, searchAttributesOf } from '../../rules/steering/search-attributes.js';
import { statusMarkdown } from '../../rules/steering/status.js';
import { memoOf, type RunSettings, settingsOfNewTask, WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import type { RunState } from '../../run/state/run-state.js';
import { caller, callWorkflow, subagents } from '../agents/subagents.js';
import type { RunInput } from '../run/definitions.js';
import type { Called, CallOptions, Ports } from '../run/ports.js';
import { activityOptions, execute, LOAD_OPTIONS, settle, shortOptions } from './activity-calls.js';

const { steersman } = proxySinks<RequestSinks>();

export interface TemporalPorts extends Ports {
  /** Loads what the run pins. Bad input or configuration is returned as a failure with its message. */
  loadRun(): Promise<Called<LoadedRun>>;
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
            ...WORKER_CRASH_RETRIES,
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
    // If no call is in flight, this cancels nothing.
    cancelCalls: () => calls.cancel(),
    throwIfCancelled: () => {
      if (scope.consideredCancelled) throw new CancelledFailure('the run was cancelled');
    },
    ...handoverPorts(fromAgent),
    show: showStatus,
  };
}

type PortsOf<K extends keyof TemporalPorts> = Pick<TemporalPorts, K>;

/** Makes calls in cancellation scopes. */
class Calls {
  /** Shared by all interruptible calls; a scope per call would leak in its parent. */
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
): PortsOf<'callModel' | 'loadRun' | 'reloadTools' | 'resolveModel' | 'offer'> {
  const loadRun = (options: CallOptions, input: Omit<LoadRunInput, 'settings'>) => {
    // Pictures are left out: this input would put them into history a second time.
    const asked = { ...input, settings: without(settings, 'pictures') };
    return calls.make(options, async () =>
      unpack(await execute('steersmanLoadRun', asked, activityOptions(options))),
    );
  };
  return {
    callModel: (input, options) =>
      calls.make(options, () => execute('steersmanCallModel', input, activityOptions(options))),
    loadRun: () => loadRun(LOAD_OPTIONS, { lists: true }),
    reloadTools: () => loadRun({ ...LOAD_OPTIONS, summary: 'list the tools anew' }, {}),
    // A slow or failing program does not delay the run: the role's chain of models is used.
    resolveModel: input =>
      calls.make(INTERRUPTIBLE, () =>
        execute(
          'steersmanResolveModel',
          input,
          shortOptions('choose a model', { timeoutMs: 10_000, attempts: 2 }),
        ),
      ),
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
    // A slow disk does not delay the question: it is asked without the comparison.
    compareFile: input =>
      calls.make(INTERRUPTIBLE, () =>
        execute(
          'steersmanCompareFile',
          input,
          shortOptions('compare a file', { timeoutMs: 5_000, attempts: 2 }),
        ),
      ),
    // A slow disk does not delay the goal: the run continues, and states what it could not see.
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
    // A slow or full store does not delay the run: the text is cut instead.
    storeText: (input, { once }) =>
      calls.make(INTERRUPTIBLE, () => {
        const times = once
          ? { timeoutMs: 5_000, attempts: 1 }
          : { timeoutMs: 10_000, ...WORKER_CRASH_RETRIES };
        return execute('steersmanStoreText', input, shortOptions(`keep ${input.name}`, times));
      }),
    // A stop waits for this: storing the conversation is worth the second.
    keep: ({ after, upTo }, { once }) =>
      calls.make({ interruptible: false }, () => {
        const times = { timeoutMs: once ? 10_000 : 15_000, ...WORKER_CRASH_RETRIES };
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
  // A part begins at the safe point where the previous one ended: continuing as new there again would never end.
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
      for (let sending = callerTold(); sending; sending = callerTold()) await sending;
      return handOver(state);
    },
  };
}

/** These activities retry failures themselves (`withTries`); the remaining attempts only cover worker crashes. */
const WORKER_CRASH_RETRIES = { attempts: WORKER_TRIES, maxRetryDelayMs: 2_000 };

const OPENING = 'read what was said before in this conversation';

const SUMMARY: Readonly<Record<LookInput['at'], string>> = {
  before: 'look at what stands there before a write',
  now: 'look at what stands there now',
  start: 'list the workspace before the goal begins',
  list: 'list the workspace',
};

/** Calls an activity of the application, on the same task queue, with the tool's arguments first. */
function callActivity(
  activity: string,
  { arguments: args = {}, context, words, ...input }: CallToolInput,
  { attempts, ...options }: CallOptions,
): Promise<CallToolResult> {
  const { workspace, idempotencyKey, timeoutMs, idempotent } = input;
  const how = { workspace, idempotencyKey, timeoutMs, idempotent, attempts };
  const values = Object.keys(context).length > 0 && { values: context };
  const call: ActivityToolCall = { ...how, ...values, ...(words && { words }) };
  return scheduleActivity(activity, [args, call], activityOptions({ ...options, attempts }));
}

/** Waits for handlers, builds the input and continues as new, without another await between. */
async function handOver(state: RunState): Promise<never> {
  await condition(allHandlersFinished);
  const carried = fitForHandover(state, workflowInfo().runId, Date.now());
  return continueAsNew<(input: RunInput) => Promise<unknown>>({ resume: carried });
}

/** True when the server suggests it, or at every safe point if a test sets that. */
function handoverDue(state: RunState): boolean {
  const info = workflowInfo();
  return info.continueAsNewSuggested || state.settings.continueAsNew === 'every-safe-point';
}

/** The server allows ids of 1,000 bytes; a longer one fails the workflow task at every attempt. */
const MOST_OWN_ID_BYTES = 900;

/** Starts an independent run, which outlives this one. */
async function startRun(id: string, goal: string, settings: RunSettings): Promise<string> {
  const { workflowId: own, firstExecutionRunId } = workflowInfo();
  // Workflow ids are reusable: a run that an earlier run of this id started may still be open.
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

/** Decompresses a result of `pack` (activities/pack.ts). */
export function unpack<T>(packed: Packed<T>): T {
  const dictionary = strToU8(dictionaryOf(packed[0] ?? 0));
  return JSON.parse(strFromU8(inflateSync(packed.subarray(1), { dictionary }))) as T;
}

// Shows a run's state in the stock Web UI: by current details, and by the search attributes that exist.

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
