/** The ports of a run on Temporal: activities, cancellation, continue-as-new. */
import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  proxySinks,
  scheduleActivity,
  startChild,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  CallToolInput,
  CallToolResult,
  RequestSinks,
  SteersmanActivities,
} from '../../activities/types.js';
import { FAILURE_BYTES } from '../../core/bounds.js';
import type { CallFailure } from '../../core/failure.js';
import { FAILURE } from '../../core/failure.js';
import { cutText, headWithin } from '../../core/fit.js';
import { fitForHandover } from '../../core/handover.js';
import { taskIn } from '../../core/heartbeats.js';
import { isRecord } from '../../core/json.js';
import { isUsage } from '../../core/message.js';
import type { PinnedRun, RunSettings } from '../../core/run-config.js';
import { settingsOfNewTask } from '../../core/run-config.js';
import type { RunState } from '../../core/run-state.js';
import type { RunInput } from '../messages.js';
import { WORKFLOW_TYPE } from '../messages.js';
import type { Called, CallOptions, Ports } from '../ports.js';
import { showStatus } from './show.js';
import { caller, subagents } from './subagents.js';
import { unpack } from './unpack.js';
import { callWorkflow } from './workflow-calls.js';

/** How long a dead worker goes unnoticed: activities heartbeat every second. */
const HEARTBEAT_TIMEOUT_MS = 10_000;
/** For a call on the queue of one worker: it takes calls also while it is busy, so it is gone. */
const START_TIMEOUT_MS = 5_000;

// Each call has options of its own: without them nothing is tried again.
const activities = proxyActivities<SteersmanActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
});

const { steersman } = proxySinks<RequestSinks>();

/** What the server takes of a summary; more fails the workflow task. */
const MOST_SUMMARY_BYTES = 200;

function activityOptions({
  summary,
  timeoutMs,
  wholeMs,
  attempts,
  retryDelayMs = 1_000,
  queue,
}: CallOptions) {
  return {
    summary: cutText(summary, MOST_SUMMARY_BYTES),
    startToCloseTimeout: timeoutMs,
    ...(wholeMs === undefined ? {} : { scheduleToCloseTimeout: wholeMs }),
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    ...(queue === undefined ? {} : { taskQueue: queue, scheduleToStartTimeout: START_TIMEOUT_MS }),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: retryDelayMs, backoffCoefficient: 2, maximumAttempts: attempts },
  };
}

/** A store that is slow or full holds no run up: the text is cut instead. */
function storeOptions(name: string, once: boolean) {
  return {
    summary: `keep ${cutText(name, MOST_SUMMARY_BYTES)}`,
    startToCloseTimeout: once ? 5_000 : 10_000,
    scheduleToCloseTimeout: once ? 10_000 : 40_000,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: once ? 1 : 3 },
  };
}

/** It does not heartbeat: a store answers, or its time is up. */
function artifactOptions({ summary, attempts }: CallOptions) {
  return {
    summary: cutText(summary, MOST_SUMMARY_BYTES),
    startToCloseTimeout: 60_000,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: attempts },
  };
}

/** It changes nothing. */
function checkOptions({ summary }: CallOptions) {
  return {
    summary: `check ${cutText(summary, MOST_SUMMARY_BYTES)}`,
    startToCloseTimeout: 60_000,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 3 },
  };
}

/** A program that is slow or fails holds no run up: its chain is used. */
const RESOLVE_OPTIONS = {
  summary: 'choose a model',
  startToCloseTimeout: 10_000,
  scheduleToCloseTimeout: 30_000,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { maximumAttempts: 2 },
};

/** A disk that is slow holds no question up: it is asked without. */
const COMPARE_OPTIONS = {
  summary: 'compare a file',
  startToCloseTimeout: 5_000,
  scheduleToCloseTimeout: 15_000,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { maximumAttempts: 2 },
};

const LOAD_OPTIONS: CallOptions = {
  summary: 'load prompts, tools and limits',
  timeoutMs: 120_000,
  attempts: 5,
  // A tool server may take its time to start, and nothing is lost with it.
  interruptible: true,
};

export interface TemporalPorts extends Ports {
  /** Loads what the run pins. Bad input or configuration comes back as a failure with its message. */
  loadRun(): Promise<Called<PinnedRun>>;
}

export function temporalPorts(settings: RunSettings): TemporalPorts {
  // A part begins at the safe point where the one before it ended: handing over there again never ends.
  let begun = false;
  const scope = CancellationScope.current();
  const fromAgent = caller(settings.calledAs);
  // Of all calls that may be interrupted, until it is cancelled: each new one stays with its parent for ever.
  let calls = new CancellationScope();

  function call<T>(
    { interruptible }: Pick<CallOptions, 'interruptible'>,
    start: () => Promise<T>,
  ): Promise<Called<T>> {
    if (!interruptible) return settle(start());
    if (calls.consideredCancelled) calls = new CancellationScope();
    return settle(calls.run(start));
  }

  const loadRun = (options: CallOptions) =>
    call(options, async () =>
      unpack(await activities.steersmanLoadRun.executeWithOptions(activityOptions(options), [{ settings }])),
    );

  return {
    now: () => Date.now(),
    callModel: (input, options) =>
      call(options, () =>
        activities.steersmanCallModel.executeWithOptions(activityOptions(options), [input]),
      ),
    loadRun: () => loadRun(LOAD_OPTIONS),
    reloadTools: () => loadRun({ ...LOAD_OPTIONS, summary: 'list the tools anew' }),
    resolveModel: input =>
      call({ interruptible: true }, () =>
        activities.steersmanResolveModel.executeWithOptions(RESOLVE_OPTIONS, [input]),
      ),
    offer: (page, check) => steersman.offer(page, check),
    callTool: (input, options) =>
      call(options, () =>
        input.activity === undefined
          ? activities.steersmanCallTool.executeWithOptions(activityOptions(options), [input])
          : callActivity(input.activity, input, options),
      ),
    callWorkflow: (workflow, options) => {
      if (calls.consideredCancelled) calls = new CancellationScope();
      const interruptible = calls;
      return callWorkflow(workflow, options, {
        checkCall: input =>
          call(options, () =>
            activities.steersmanCheckCall.executeWithOptions(checkOptions(options), [input]),
          ),
        within: start => interruptible.run(start),
      });
    },
    editArtifact: (input, options) =>
      call(options, () =>
        activities.steersmanEditArtifact.executeWithOptions(artifactOptions(options), [input]),
      ),
    compareFile: input =>
      call({ interruptible: true }, () =>
        activities.steersmanCompareFile.executeWithOptions(COMPARE_OPTIONS, [input]),
      ),
    storeText: (input, { once }) =>
      call({ interruptible: true }, () =>
        activities.steersmanStoreText.executeWithOptions(storeOptions(input.name, once), [input]),
      ),
    wait: async (done, timeoutMs, what) => {
      if (timeoutMs === null) await condition(done);
      else await condition(done, timeoutMs, { summary: what });
    },
    ...subagents(),
    ...fromAgent,
    startRun: (id, goal) => startRun(id, { goal, settings: settingsOfNewTask(settings) }),
    // Between two calls that cancels nothing.
    interrupt: () => calls.cancel(),
    throwIfCancelled: () => {
      if (scope.consideredCancelled) throw new CancelledFailure('the run was cancelled');
    },
    handoverDue: state => {
      const partBegins = !begun && state.part > 1;
      begun = true;
      return !partBegins && handoverDue(state);
    },
    handoverNear: handoverDue,
    handoverSuggested: () => workflowInfo().continueAsNewSuggested,
    handOver: async state => {
      for (let told = fromAgent.callerTold(); told; told = fromAgent.callerTold()) await told;
      return handOver(state);
    },
    show: showStatus,
  };
}

/** An activity that the application has: on the same task queue, with its arguments first. */
function callActivity(
  activity: string,
  { arguments: args = {}, workspace, words }: CallToolInput,
  options: CallOptions,
): Promise<CallToolResult> {
  const call = { workspace, attempts: options.attempts, ...(words && { words }) };
  return scheduleActivity(activity, [args, call], activityOptions(options));
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
async function startRun(id: string, input: RunInput): Promise<string> {
  const { workflowId: own, firstExecutionRunId } = workflowInfo();
  // An id may be used again: the run of an earlier one can be open still.
  const workflowId = `${headWithin(own, MOST_OWN_ID_BYTES)}-${firstExecutionRunId.slice(-6)}-${id}`;
  await startChild(WORKFLOW_TYPE, {
    workflowId,
    args: [input],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.ABANDON,
  });
  return workflowId;
}

function settle<T>(promise: Promise<T>): Promise<Called<T>> {
  return promise.then(
    value => ({ ok: true, value }),
    error => ({ ok: false, failure: callFailure(error) }),
  );
}

/** Temporal's failures in core's words. Anything else is a bug and goes on as it is. */
function callFailure(error: unknown): CallFailure {
  if (isCancellation(error)) return { kind: 'cancelled', type: '', message: '' };
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) {
    const { timeoutType, lastHeartbeatDetails } = cause;
    if (timeoutType === 'SCHEDULE_TO_START') {
      return {
        kind: 'lost',
        type: FAILURE.tool.notSent,
        message: 'The worker that it was meant for is gone.',
      };
    }
    const outOfTime = timeoutType === 'START_TO_CLOSE' || timeoutType === 'SCHEDULE_TO_CLOSE';
    const message = outOfTime
      ? 'It did not end within its time, and its worker did not say why.'
      : 'Its worker was not heard of any more.';
    // What took too long is not asked for any longer.
    const { task, ...used } = leftBy(lastHeartbeatDetails);
    return outOfTime
      ? { kind: 'timedOut', type: '', message, ...used }
      : { kind: 'lost', type: '', message, ...used, ...(task && { task }) };
  }
  if (cause instanceof ApplicationFailure) {
    const type = cause.type ?? '';
    const lost =
      type === FAILURE.stateUnavailable || type === FAILURE.workerShutdown || type === 'WorkerShutdown';
    const message = cutText(cause.message, FAILURE_BYTES);
    return { kind: lost ? 'lost' : 'application', type, message, ...leftBy(cause.details?.[0]) };
  }
  const message = cutText(cause?.message ?? error.message, FAILURE_BYTES);
  return { kind: 'application', type: '', message };
}

/** What a call tells of itself by the details of its failure, or of its last heartbeat. */
function leftBy(details: unknown): Pick<CallFailure, 'usage' | 'task'> {
  if (!isRecord(details)) return {};
  const usage = details.usage ?? details.spent;
  const task = taskIn(details);
  return { ...(isUsage(usage) && { usage }), ...(task && { task }) };
}
