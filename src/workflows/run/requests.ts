/**
 * Requests that activities query from their workflow. Answers depend only on what was pinned when the call was scheduled, so
 * every retry gets the same request (docs/architecture.md, "A model call").
 */
import { ApplicationFailure } from '@temporalio/workflow';
import { firstPage, sizeOf } from '../../base/sizes/sizes.js';
import { boundedText } from '../../base/text/fit.js';
import type { ModelRequestHead, ModelRequestPage } from '../../rules/prompts/model-request.js';
import { prefixOf } from '../../rules/prompts/shared-prefix.js';
import { inputOf } from '../../rules/tools/tool-call.js';
import { offeredTools } from '../../run/agents/run-config.js';
import { type Message, type ToolUseBlock, toolCallsOf } from '../../run/messages/message.js';
import type { PinnedCall } from '../../run/models/model-use.js';
import { levels } from '../../run/state/cursor.js';
import type { RunState } from '../../run/state/run-state.js';
import { replyOf } from '../../run/state/thread.js';
import { hash64 } from '../../run/tools/ledger.js';
import { formOf } from '../beside/feature.js';
import type { Ports } from './ports.js';

type Forming = Parameters<typeof formOf>[0];

interface Offering {
  state: RunState;
  ports: Pick<Ports, 'offer'>;
  features: Forming;
}

export function modelRequestPage(
  state: RunState,
  callId?: string,
  options: { from?: number; headKey?: string } = {},
  features: Forming = [],
): ModelRequestPage {
  const call = callId
    ? state.models.calls.find(candidate => candidate.callId === callId)
    : state.models.calls.at(-1);
  if (!call)
    throw notFound(
      `the request of model call ${callId ?? ''} is not stored; stored are ${state.models.calls.map(c => c.callId).join(', ')}`,
    );
  const thread = state.threads[call.thread];
  if (!thread || thread.epoch !== call.epoch)
    throw notFound(`the thread of ${call.callId} was trimmed since`);
  const from = options.from ?? 0;
  // As many messages as fit a page. Indexes count only messages that a model receives.
  const messages = firstPage(thread.messages.slice(from, call.upTo), sizeOf);
  const end = from + messages.length;
  const asks = call.compacts ? ':compacts' : '';
  const bound = call.form === undefined ? '' : `:${call.form}`;
  const headKey = `${call.role}:${call.toolsOffered}:${state.tools.listed.times}${asks}${bound}`;
  const { callId: id, role, thread: threadId, epoch, upTo } = call;
  const next = end < upTo ? end : null;
  const page: ModelRequestPage = { callId: id, role, thread: threadId, epoch, headKey, from, messages, next };
  return options.headKey === headKey ? page : { ...page, head: headOf(state, call, features) };
}

function headOf(state: RunState, call: PinnedCall, features: Forming): ModelRequestHead {
  const role = state.pinned?.roles[call.role];
  if (!state.pinned || !role) throw notFound(`no role ${call.role}`);
  const schema = formOf(features, state, call);
  const { system, tools } = prefixOf(state.pinned, role);
  const mayCall = call.toolsOffered && offeredTools(state.pinned, role).length > 0;
  return {
    prefix: role.prefix,
    system,
    tools: tools.map(({ name, description, inputSchema, validation }) => ({
      name,
      description,
      inputSchema,
      validation,
    })),
    // A compaction describes its format in words: a schema would change the prefix that an endpoint has cached.
    output: call.compacts ? 'text' : role.output,
    dialect: role.dialect,
    ...(schema !== null && { schema }),
    // The tools stay in the request even if no call is allowed, so that the endpoint's cache still applies.
    toolChoice: mayCall ? 'auto' : 'none',
    temperature: role.temperature,
    topP: role.topP,
    reasoning: role.reasoning,
    toolSyntax: role.toolSyntax,
    stop: role.stop,
    maxOutputTokens: role.maxOutputTokens,
    ...((role.streaming === false || call.compacts) && { streaming: false }),
  };
}

/** Returns all arguments of a tool call in flight, or of any call (by the model's id) of the reply in progress. */
export function toolArguments(
  state: RunState,
  callId: string,
  elsewhere: (callId: string) => Record<string, unknown> | null = () => null,
): Record<string, unknown> {
  for (const { batch, calls, running } of openBatches(state, callId)) {
    const call = running ?? calls.find(candidate => candidate.id === callId);
    if (call) return inputOf(batch, call);
  }
  const found = elsewhere(callId);
  if (found) return found;
  throw notFound(`no tool call ${callId} is in flight or waits`);
}

/** Returns the running tool call of this id, on the main line or a branch; null if it is not running. */
export function callInFlight(state: RunState, callId: string): ToolUseBlock | null {
  return openBatches(state, callId).find(({ running }) => running)?.running ?? null;
}

function openBatches({ cursor, tools, ...state }: RunState, callId: string) {
  return [{ cursor, inFlight: tools.inFlight }, ...cursor.branches].flatMap(at => {
    const batch = levels(at.cursor).find(({ turns }) => turns.batch)?.turns.batch ?? null;
    const reply = batch && replyOf(state, batch);
    if (!batch || !reply) return [];
    const calls = toolCallsOf(reply);
    const index = at.inFlight.find(each => each.callId === callId)?.index;
    return [{ batch, calls, running: index === undefined ? undefined : calls[index] }];
  });
}

function notFound(message: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'run.not_found',
    message: boundedText(message),
    nonRetryable: true,
  });
}

/** Messages never change, so each is hashed once, even if a trimmed thread is offered again. */
const hashes = new WeakMap<Message, string>();

function hashOf(message: Message): string {
  const known = hashes.get(message);
  if (known !== undefined) return known;
  const hash = hash64(JSON.stringify(message));
  hashes.set(message, hash);
  return hash;
}

/** The requests that this segment has offered so far. */
export class Offered {
  readonly #heads = new Set<string>();
  readonly #threads = new Map<string, { epoch: number; next: number }>();

  /** Offers what is new since the last call. The returned mark identifies the offer, because a workflow task may be redone. */
  offer({ state, ports, features }: Offering, { callId, thread, epoch }: PinnedCall): string {
    const last = this.#threads.get(thread);
    const from = last?.epoch === epoch ? last.next : 0;
    const page = modelRequestPage(state, callId, { from }, features);
    if (this.#heads.has(page.headKey)) delete page.head;
    const check = hash64(page.messages.map(hashOf).join());
    this.#heads.add(page.headKey);
    this.#threads.set(thread, { epoch, next: page.next ?? from + page.messages.length });
    ports.offer(page, check);
    return check;
  }
}
