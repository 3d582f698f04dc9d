/** The activity that calls a model. It reads the request from the workflow by query, and returns the reply as its result. */
import { createHash } from 'node:crypto';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { cutText } from '../../base/text/fit.js';
import { lessonId } from '../../models/provider/lesson.js';
import { ModelCallError } from '../../models/provider/model-call-error.js';
import { withinModel } from '../../models/provider/model-info.js';
import type { ResolvedModel } from '../../models/provider/providers.js';
import { LiveTextBeat, type LiveTextOptions } from '../../models/reply/live-text.js';
import { repairOutput } from '../../models/reply/output-repair.js';
import { type ChannelText, ReplyDraft } from '../../models/reply/reply-draft.js';
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from '../../models/sdk/run-stream.js';
import { withWrittenCalls } from '../../models/tool-syntax/as-text.js';
import type { ToolCallCodec } from '../../models/tool-syntax/codec.js';
import { CODECS } from '../../models/tool-syntax/codecs.js';
import { runWithTools } from '../../models/tool-syntax/run-with-tools.js';
import { WRITTEN_CALLS } from '../../models/tool-syntax/written-calls.js';
import type { CallFailureDetails } from '../../run/limits/failure.js';
import { FAILURE } from '../../run/limits/failure.js';
import type { Usage } from '../../run/messages/message.js';
import { WRITTEN_LESSON } from '../../run/models/lessons.js';
import { failpoint } from '../../shared/process/failpoints.js';
import { onAbort } from '../../shared/waits.js';
import type { CallModelInput, CallModelResult, SteersmanActivities } from '../types.js';
import { AttemptUsage } from './attempt-usage.js';
import { fitReply, textOfOutput } from './fit-reply.js';
import { loadPictures, type ReadBlob } from './load-pictures.js';
import type { ModelRequestState, StateReader } from './state-reader.js';

export interface CallModelDeps {
  /** Resolved for each call, because the configuration of endpoints may have changed. Throws like `ProviderRegistry`. */
  providers: { resolve(modelId: string): ResolvedModel | Promise<ResolvedModel> };
  readState: StateReader;
  /** Stores a text in the blob store; returns its reference. */
  storeText(name: string, text: string): Promise<string>;
  /** Reads stored pictures of tools. Default: models see no pictures. */
  readBlob?: ReadBlob;
  /** Removes secrets from texts before they are cut and stored. Default: no secrets are known. */
  redact?: (text: string) => string;
  live?: Partial<LiveTextOptions>;
  /** `timeoutMs` is at most the activity's own limit. */
  limits?: Partial<StreamLimits>;
  /** Aborted when the worker begins to shut down: calls end at once. Without it they end after the worker's grace time. */
  shuttingDown?: AbortSignal;
}

/** Makes `steersmanCallModel`. Failures are ApplicationFailures with the types of run/limits/failure.ts. */
export function createCallModel(deps: CallModelDeps): SteersmanActivities['steersmanCallModel'] {
  return async function steersmanCallModel(input) {
    const context = Context.current();
    const { attempt, heartbeatDetails } = context.info;
    const draft = new ReplyDraft(input.model);
    const usage = new AttemptUsage(draft, heartbeatDetails);
    const beat = new LiveTextBeat(
      { callId: input.callId, attempt },
      details => context.heartbeat({ ...details, spent: usage.spent }),
      deps.live,
    );
    // `AbortSignal.any` would never let go of a signal that lives as long as the worker.
    const abort = new AbortController();
    const { signal } = abort;
    const releases = [context.cancellationSignal, deps.shuttingDown].map(given =>
      onAbort(given, () => abort.abort(given?.reason)),
    );
    beat.start();
    try {
      return await callModel({ input, deps, context, draft, usage, signal }, beat);
    } catch (error) {
      if (error instanceof ModelCallError && !TAKES_TIME.has(error.type)) usage.refused();
      beat.stopTelling();
      throw toFailure(error, attempt, usage.spent);
    } finally {
      beat.stop();
      for (const release of releases) release();
      await failpoint('model.completion');
    }
  };
}

/** The limit for the model's name, which the endpoint chooses. */
const SERVED_MODEL_BYTES = 200;

/** Failures after which the endpoint may have done the work. They get one retry; others get more. */
const TAKES_TIME: ReadonlySet<string> = new Set([FAILURE.model.timeout, FAILURE.model.stalled]);
const ATTEMPTS_THAT_TAKE_TIME = 2;

/** One running call. */
interface Call {
  input: CallModelInput;
  deps: CallModelDeps;
  context: Context;
  draft: ReplyDraft;
  usage: AttemptUsage;
  /** Aborted by an interrupt, or by any other early end of the call. */
  signal: AbortSignal;
}

async function callModel(call: Call, beat: LiveTextBeat): Promise<CallModelResult> {
  const { input, deps, context, draft, usage, signal } = call;
  const { provider, model, info } = await deps.providers.resolve(input.model);
  if (signal.aborted) return interrupted(call, 0);
  const state = await readState(call);
  if (state === 'aborted') return interrupted(call, 0);

  const sees = info.capabilities.vision === true && deps.readBlob;
  const seen = sees ? await loadPictures(state.messages, sees) : { messages: state.messages };
  const startedAt = performance.now();
  const request = {
    ...withinModel(state.head, info),
    model,
    ...seen,
    cacheKey: cacheKeyOf(context.info, input.role, state.head),
    ...(input.lessons && { lessons: input.lessons }),
  };
  const limits = callLimits(deps, context);
  await failpoint('model.before-send');
  usage.sent(state, info);
  const run = {
    provider,
    request,
    draft,
    limits,
    signal,
    onText: (text: ChannelText) => {
      if (request.streaming !== false) beat.show(text);
      failpoint('model.mid-stream');
    },
  };
  const { ended, codec } = await runWithTools(run, info.capabilities.tools);
  const durationMs = Math.round(performance.now() - startedAt);
  if (ended === 'aborted') return interrupted(call, durationMs);
  await failpoint('model.after-reply');
  return complete(call, state, { durationMs, codec: codec ?? envelopeCodec(state.head) });
}

/**
 * Returns the key of a request for endpoints' caches: equal for all requests of a run with one prefix. It has 32
 * characters; OpenAI accepts up to 64.
 */
function cacheKeyOf(
  { workflowExecution }: Context['info'],
  role: string,
  { prefix }: ModelRequestState['head'],
): string {
  const key = `${workflowExecution?.workflowId} ${prefix === 'shared' ? 'shared' : `own ${role}`}`;
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

async function readState({ input, deps, context, signal }: Call): Promise<ModelRequestState | 'aborted'> {
  const { workflowExecution: execution } = context.info;
  if (!execution)
    throw new Error(
      'only a workflow can call steersmanCallModel, which reads its request from that workflow',
    );
  try {
    return await deps.readState(
      { ...execution, callId: input.callId, role: input.role, check: input.check },
      signal,
    );
  } catch (error) {
    if (signal.aborted) return 'aborted';
    throw error;
  }
}

async function complete(
  { input, deps, draft, usage }: Call,
  state: ModelRequestState,
  { durationMs, codec }: { durationMs: number; codec: ToolCallCodec | null },
): Promise<CallModelResult> {
  const { head } = state;
  // Redacted only after the calls are read: a call that contains a secret does not run, and must be recognised.
  const clean = deps.redact ?? ((text: string) => text);
  let content = draft.whole(input.callId, head.tools);
  let stopReason = draft.end?.stopReason ?? 'end_turn';
  const served = draft.end?.servedModel ?? null;
  const servedModel = served && cutText(served, SERVED_MODEL_BYTES);
  const hasCalls = content.some(block => block.type === 'tool_use');
  const isOutput = !hasCalls && stopReason !== 'refusal' && stopReason !== 'content_filter';
  // A reply that was cut off is not repaired: half a plan would look like a complete one.
  const mended = isOutput && stopReason !== 'max_tokens' ? repairOutput(draft.text, head.output) : null;
  const text = mended?.text ?? draft.text;
  // Some models write a call in their thinking, and then nothing more.
  const isThought = text.trim() === '';
  const callText = isThought ? draft.reasoning : mended?.isWhole === false ? draft.text : text;
  const reply = { text: callText, callId: input.callId, tools: head.tools };
  const unasked =
    isOutput && stopReason !== 'max_tokens' && head.toolChoice !== 'none' ? WRITTEN_CALLS : null;
  const reads = codec ?? (input.lessons?.includes(WRITTEN_LESSON) ? unasked : null);
  const written = isOutput && reads ? withWrittenCalls(content, reply, reads) : null;
  const calledInText =
    written || codec || !unasked ? [] : unasked.parse(isThought ? callText : text, head.tools).calls;
  if (written) {
    content = isThought ? written.filter(block => block.type !== 'text') : written;
    stopReason = 'tool_use';
  }
  const outputText = content.some(block => block.type === 'tool_use')
    ? null
    : textOfOutput(clean(text), head.output, mended !== null);
  const used = usage.ofReply();
  return {
    content: await fitReply(content, input.callId, deps.storeText, deps.redact),
    stopReason,
    usage: used.usage,
    ...lessonsOf(draft, clean),
    ...(calledInText.length > 0 && {
      calledInText: calledInText.map(({ name }) => name).slice(0, MOST_LESSONS),
    }),
    ...(used.turnedDown ? { warning: usageWarning(input.model) } : {}),
    ...(servedModel !== null && !input.model.endsWith(`/${servedModel}`) ? { servedModel } : {}),
    ...(outputText === null ? {} : { outputText }),
    durationMs,
  };
}

const MOST_LESSONS = 10;
const TOLD_BYTES = 500;

/** Returns the parts of this request that the endpoint refused, and the changes made. */
function lessonsOf(
  { lessons }: ReplyDraft,
  clean: (text: string) => string,
): Pick<CallModelResult, 'lessons'> {
  if (lessons.length === 0) return {};
  const reported = lessons.slice(-MOST_LESSONS).map(lesson => ({
    id: lessonId(lesson),
    told: cutText(clean(lesson.told), TOLD_BYTES),
    ...(lesson.once && { once: lesson.once }),
  }));
  return { lessons: reported };
}

/** An executor, and any role of the envelope dialect, may also write a tool call as an envelope. */
function envelopeCodec({ dialect, output, toolChoice }: ModelRequestState['head']): ToolCallCodec | null {
  const mayBe = dialect === 'envelope' || output === 'execution';
  return mayBe && toolChoice !== 'none' ? CODECS['json-action'] : null;
}

/**
 * Ends an aborted call. Only a person's interrupt, or the requested end of the run, gives a result: a cut reply must
 * never be taken for a complete one.
 */
async function interrupted(
  { input, deps, context, draft, usage }: Call,
  durationMs: number,
): Promise<CallModelResult> {
  if (!cancelRequested(context)) throw notByRequest(context);
  return {
    content: await fitReply(draft.partial(), input.callId, deps.storeText, deps.redact),
    stopReason: 'interrupted',
    usage: usage.ofReply().usage,
    durationMs,
  };
}

function usageWarning(model: string): string {
  return `The token counts that the endpoint of ${model} reports cannot be right: they are estimated from here on.`;
}

/** The signal's reason is a CancelledFailure whose message is the SDK's word for the cause. */
function cancelReason({ cancellationSignal }: Context): string {
  const reason: unknown = cancellationSignal.reason;
  return reason instanceof Error ? reason.message : 'WORKER_SHUTDOWN';
}

function cancelRequested(context: Context): boolean {
  if (!context.cancellationSignal.aborted || cancelReason(context) !== 'CANCELLED') return false;
  return context.cancellationDetails?.cancelRequested !== false;
}

function notByRequest(context: Context): Error {
  const reason = cancelReason(context);
  const details = context.cancellationDetails;
  // The SDK reports a pause and a reset itself, from this very error.
  if (details?.paused || details?.reset) return new CancelledFailure(reason);
  return ApplicationFailure.create({
    type: FAILURE.workerShutdown,
    message: `The model call was given up by its worker (${reason}) and can be made again.`,
    nonRetryable: false,
  });
}

/** Our own limit ends before the server's, so that the failure explains the cause. */
function callLimits(deps: CallModelDeps, context: Context): StreamLimits {
  const limits = { ...DEFAULT_STREAM_LIMITS, ...deps.limits };
  const { startToCloseTimeoutMs, scheduleToCloseTimeoutMs } = context.info;
  const earlierMs = context.info.currentAttemptScheduledTimestampMs - context.info.scheduledTimestampMs;
  const wholes = [startToCloseTimeoutMs, scheduleToCloseTimeoutMs - earlierMs].filter(whole => whole > 0);
  const own = wholes.map(whole => whole - Math.min(2_000, whole / 10));
  return { ...limits, timeoutMs: Math.min(limits.timeoutMs, ...own) };
}

/** Returns the error as an ApplicationFailure with the call's usage, even if our own code failed. */
function toFailure(error: unknown, attempt: number, usage: Usage): unknown {
  const details: [CallFailureDetails] = [{ usage }];
  if (error instanceof ApplicationFailure) {
    const { type, message, nonRetryable } = error;
    return ApplicationFailure.create({
      ...(type ? { type } : {}),
      message,
      nonRetryable: nonRetryable ?? false,
      details,
    });
  }
  if (!(error instanceof Error) || error instanceof CancelledFailure) return error;
  if (!(error instanceof ModelCallError)) {
    const { name: type, message } = error;
    return ApplicationFailure.create({ type, message, details, cause: error });
  }
  const { type, message, retryAfterMs } = error;
  const retryable = error.retryable && !(TAKES_TIME.has(type) && attempt >= ATTEMPTS_THAT_TAKE_TIME);
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !retryable,
    details,
    ...(retryable && retryAfterMs !== null ? { nextRetryDelay: retryAfterMs } : {}),
  });
}
