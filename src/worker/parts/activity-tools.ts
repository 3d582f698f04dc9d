/** Offers an application's activities as tools to runs: the run's workflow calls them by their own names. */
import { realpath } from 'node:fs/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { runIdOf } from '../../activities/store-text.js';
import { ended, unknown } from '../../activities/tools/tool-endings.js';
import type { ActivityToolCall, CallToolResult } from '../../activities/types.js';
import { isRecord } from '../../base/json/json.js';
import { errorText } from '../../base/text/error-text.js';
import { fill, wordsOf } from '../../base/words/words.js';
import type { Settings } from '../../config/settings/settings.js';
import { badArgumentsNote } from '../../conversation/tool-notes.js';
import { contentOf } from '../../mcp/tools/code-tools.js';
import { resultStoreFor, storedContent } from '../../mcp/tools/result-content.js';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { FAILURE } from '../../run/limits/failure.js';
import { matchesCall } from '../../run/tools/permission.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import type { BlobStore } from '../../shared/store/blob-store.js';
import { LATE, within } from '../../shared/waits.js';
import type { LiveSettings } from './live-settings.js';
import { isOurs } from './only-runs.js';
import { type Described, type ReadyCall, readyCall } from './workflow-tools.js';

/** An activity as a tool: it receives the arguments as its only parameter, and returns the tool's result. */
export interface ActivityTool extends Described {
  /** Type of the activity, which the same worker must have. */
  activity: string;
  /** Name for models: letters, digits, `_` and `-`, at most 64. Default: `activity`. */
  name?: string;
}

export interface ReadyActivityTool extends ReadyCall {
  activity: string;
}

/** @throws SteersmanError if the worker lacks the activity, it is Steersman's own, or a name is used twice. */
export function readyActivityTools(
  tools: readonly ActivityTool[],
  activities: object | undefined,
): ReadyActivityTool[] {
  const known: string[] =
    activities instanceof Map ? [...activities.keys()].map(String) : Object.keys(activities ?? {});
  const seen = new Set<string>();
  return tools.map(options => {
    const { activity, name = activity } = options;
    if (!known.includes(activity) || isOurs(activity)) {
      throw new SteersmanError(
        `activityTools: the worker has no activity ${activity} of its own.`,
        `Give it to the worker under "activities". It has: ${known.join(', ') || 'none'}.`,
      );
    }
    for (const taken of new Set([activity, name])) {
      if (seen.has(taken)) throw new SteersmanError(`activityTools: ${taken} is listed twice.`, 'Leave one.');
      seen.add(taken);
    }
    return { activity, ...readyCall(options, { name, origin: { type: 'activity', activity } }) };
  });
}

interface Needed {
  blobs: BlobStore;
  secrets: Secrets;
  settings: Pick<Settings, 'toolResults'>;
  liveSettings: LiveSettings;
}

/**
 * Wraps activities that runs call. Denied calls do not run, the activity receives only its arguments, and its return
 * value or error becomes a bounded tool result without known secrets. Other callers are not affected.
 */
export function activityToolCalls(
  tools: readonly ReadyActivityTool[],
  parts: Needed,
): ActivityInterceptorsFactory {
  return context => {
    const { activityType, inWorkflow, workflowType } = context.info;
    if (!inWorkflow || workflowType !== WORKFLOW_TYPE || isOurs(activityType)) return {};
    const tool = tools.find(({ activity }) => activity === activityType);
    return {
      inbound: {
        async execute(input, next) {
          const [args, call] = input.args;
          if (!tool || !isRecord(args) || !isToolCall(call)) {
            throw ApplicationFailure.nonRetryable(
              `${activityType} is not offered as a tool here`,
              FAILURE.tool.notSent,
            );
          }
          return callTool(parts, { tool, args, call, context }, parsed => next({ ...input, args: [parsed] }));
        },
      },
    };
  };
}

/** The facts about its call that an activity can read. */
export interface ActivityCall extends Pick<ActivityToolCall, 'workspace' | 'idempotencyKey'> {
  /** The `context` that the run was started with. */
  values: Readonly<Record<string, string>>;
}

const calls = new WeakMap<Context, ActivityCall>();

/** Returns the tool call of the current activity; null if no run called it. `idempotencyKey`: as in `ToolContext`. */
export function toolCall(): ActivityCall | null {
  return calls.get(Context.current()) ?? null;
}

/** A late call frees its slot, because the program's code may hang forever. */

interface Started {
  tool: ReadyActivityTool;
  args: Record<string, unknown>;
  call: ActivityToolCall;
  context: Context;
}

async function callTool(
  parts: Needed,
  { tool, args, call, context }: Started,
  run: (args: unknown) => Promise<unknown>,
): Promise<CallToolResult> {
  const words = wordsOf({ pinned: call.words ?? null });
  const { name } = tool.definition;
  const { deny } = (await parts.liveSettings.readOrLast()).permissions;
  // Arguments may contain the folder's path as the run has it, or the real path.
  const real = await realpath(call.workspace).catch(() => call.workspace);
  if ([call.workspace, real].some(workspace => matchesCall([name], { input: args, workspace }, deny)))
    return ended('denied', fill(words.noteDeniedByConfiguration, { tool: name }));
  const parsed = parsedBy(tool, args);
  if ('fault' in parsed) return ended('invalid', badArgumentsNote(words, [parsed.fault]));
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  const { workspace, idempotencyKey, values = {} } = call;
  calls.set(context, { workspace, idempotencyKey, values });
  const stopBeats = keepBeating(context);
  let ran: { isError: boolean; value: unknown };
  try {
    ran = { isError: false, value: await within(call.timeoutMs, run(parsed.value), LATE) };
  } catch (error) {
    const again = context.info.attempt < call.attempts && isRetryable(error);
    if (again || context.cancellationSignal.aborted) throw error;
    ran = { isError: true, value: errorText(error) };
  } finally {
    stopBeats();
  }
  if (ran.value === LATE) {
    const why = fill(words.noteWhyTimedOutAfter, { tool: name, seconds: call.timeoutMs / 1000 });
    if (call.idempotent) throw ApplicationFailure.retryable(why, FAILURE.tool.timeout);
    return unknown(words, why, { durationMs: took() });
  }
  // Outside of the try: a faulty result must not turn a completed activity into a failed one.
  return resultOf(parts, ran, took());
}

function parsedBy(tool: ReadyActivityTool, args: unknown): { value: unknown } | { fault: string } {
  try {
    return { value: tool.parse(args) };
  } catch (error) {
    return { fault: errorText(error) };
  }
}

async function resultOf(
  { blobs, secrets, settings }: Needed,
  { isError, value }: { isError: boolean; value: unknown },
  durationMs: number,
): Promise<CallToolResult> {
  const clean = (text: string) => secrets.redact(text);
  const answer = { content: contentOf(value) };
  const keeper = resultStoreFor(blobs, runIdOf(), { sizes: settings.toolResults, clean });
  return { ending: 'executed', ...(await storedContent(answer, keeper)), isError, durationMs };
}

function isRetryable(error: unknown): boolean {
  return !(error instanceof ApplicationFailure && error.nonRetryable === true);
}

function isToolCall(value: unknown): value is ActivityToolCall {
  return isRecord(value) && typeof value.attempts === 'number' && typeof value.timeoutMs === 'number';
}

const BEAT_MS = 1_000;

/** Repeats the activity's last heartbeat, so that a dead worker and a stop are noticed. Returns a function that ends this. */
function keepBeating(context: Context): () => void {
  const { heartbeat } = context;
  let last: unknown = context.info.heartbeatDetails;
  const value = (details?: unknown) => {
    last = details;
    heartbeat(details);
  };
  Object.defineProperty(context, 'heartbeat', { value, configurable: true });
  const timer = setInterval(() => heartbeat(last), BEAT_MS);
  return () => clearInterval(timer);
}
