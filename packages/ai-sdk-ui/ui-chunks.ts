/** Translates the events of a run, as AG-UI has them, to the UI message stream of the AI SDK. */
import type { AgUiEvent, AgUiInterrupt, AgUiPatch } from '@steersman/ag-ui';
import { isRecord, parseJson } from 'steersman/base';
import type { UiChunk } from './chunks.js';

export interface UiChunkOptions {
  /** The id of the message that the stream builds. Default: the client makes one. */
  messageId?: string | undefined;
  /** Tools that the client runs. */
  clientTools?: ReadonlySet<string>;
  /** Ids of the calls that the client's message has already. */
  knownCalls?: Iterable<string>;
}

type ContentEvent = Exclude<AgUiEvent, { type: 'RUN_FINISHED' | 'RUN_ERROR' | 'RUN_STARTED' }>;
type Finished = Extract<AgUiEvent, { type: 'RUN_FINISHED' }>;

const NONE: ReadonlySet<string> = new Set();
const PREFIX = 'steersman.';

export class UiChunks {
  readonly #options: UiChunkOptions;
  readonly #calls: Set<string>;
  /** Arguments and names of calls that are being streamed. */
  readonly #inputs = new Map<string, { name: string; json: string }>();
  /** Ids of texts and thoughts that have begun. */
  readonly #open = new Set<string>();
  /** The reply whose step is open. */
  #reply: string | null = null;
  #plan: Record<string, unknown> = {};

  constructor(options: UiChunkOptions = {}) {
    this.#options = options;
    this.#calls = new Set(options.knownCalls);
  }

  take(event: AgUiEvent): UiChunk[] {
    switch (event.type) {
      case 'RUN_STARTED': {
        const { messageId } = this.#options;
        return [{ type: 'start', ...(messageId !== undefined && { messageId }) }];
      }
      case 'RUN_FINISHED':
        return this.#finished(event);
      case 'RUN_ERROR':
        return [{ type: 'error', errorText: event.message }];
      default:
        return this.#content(event);
    }
  }

  #content(event: ContentEvent): UiChunk[] {
    if (event.type === 'SUBAGENT_STARTED')
      return [agentPart(event.subagentRunId, { name: event.name, state: 'at-work' })];
    if (event.type === 'SUBAGENT_FINISHED' || event.type === 'SUBAGENT_ERROR')
      return [agentPart(event.subagentRunId, { state: 'ended' })];
    // The protocol can't express a sub-agent's texts and calls: its caller reports the result.
    if ('subagentRunId' in event && event.subagentRunId !== undefined) return [];
    return [...this.#stepOf(event), ...this.#own(event)];
  }

  /** A reply is a step: clients check whether all calls of the last step have results. */
  #stepOf(event: ContentEvent): UiChunk[] {
    const reply = replyOf(event);
    if (reply === null || reply === this.#reply) return [];
    const ended: UiChunk[] = this.#reply === null ? [] : [{ type: 'finish-step' }];
    this.#reply = reply;
    return [...ended, { type: 'start-step' }];
  }

  #own(event: ContentEvent): UiChunk[] {
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
        return this.#begin('text-start', event.messageId, event.name);
      case 'REASONING_MESSAGE_START':
        return this.#begin('reasoning-start', event.messageId);
      case 'TEXT_MESSAGE_CONTENT':
        return this.#more({ type: 'text-delta', id: event.messageId, delta: event.delta });
      case 'REASONING_MESSAGE_CONTENT':
        return this.#more({ type: 'reasoning-delta', id: event.messageId, delta: event.delta });
      case 'TEXT_MESSAGE_END':
        return this.#end({ type: 'text-end', id: event.messageId });
      case 'REASONING_MESSAGE_END':
        return this.#end({ type: 'reasoning-end', id: event.messageId });
      case 'CUSTOM':
        return [customPart(event.name, event.value)];
      case 'STATE_SNAPSHOT':
        return isRecord(event.snapshot) && typeof event.snapshot.run === 'string'
          ? [metadata({ run: event.snapshot.run })]
          : [];
      case 'ACTIVITY_SNAPSHOT':
        this.#plan = event.content;
        return [{ type: 'data-plan', id: event.messageId, data: this.#plan }];
      case 'ACTIVITY_DELTA':
        this.#plan = patched(this.#plan, event.patch);
        return [{ type: 'data-plan', id: event.messageId, data: this.#plan }];
      default:
        return this.#ofCall(event);
    }
  }

  #begin(type: 'text-start' | 'reasoning-start', id: string, role?: string): UiChunk[] {
    this.#open.add(id);
    return [{ type, id, providerMetadata: { steersman: { id, ...(role !== undefined && { role }) } } }];
  }

  /** Clients refuse text of a part whose start they have not received. */
  #more<Chunk extends UiChunk & { id: string }>(chunk: Chunk): Chunk[] {
    return this.#open.has(chunk.id) ? [chunk] : [];
  }

  #end<Chunk extends UiChunk & { id: string }>(chunk: Chunk): Chunk[] {
    return this.#open.delete(chunk.id) ? [chunk] : [];
  }

  #ofCall(event: ContentEvent): UiChunk[] {
    switch (event.type) {
      case 'TOOL_CALL_START': {
        const { toolCallId, toolCallName: toolName } = event;
        if (this.#calls.has(toolCallId)) return [];
        this.#calls.add(toolCallId);
        this.#inputs.set(toolCallId, { name: toolName, json: '' });
        return [{ type: 'tool-input-start', toolCallId, toolName, dynamic: true, ...this.#by(toolName) }];
      }
      case 'TOOL_CALL_ARGS': {
        const { toolCallId, delta: inputTextDelta } = event;
        const call = this.#inputs.get(toolCallId);
        if (call === undefined) return [];
        call.json += inputTextDelta;
        return [{ type: 'tool-input-delta', toolCallId, inputTextDelta }];
      }
      case 'TOOL_CALL_END': {
        const { toolCallId } = event;
        const call = this.#inputs.get(toolCallId);
        if (call === undefined) return [];
        this.#inputs.delete(toolCallId);
        const { name: toolName, json } = call;
        const input = parseJson(json) ?? json;
        const type = 'tool-input-available';
        return [{ type, toolCallId, toolName, input, dynamic: true, ...this.#by(toolName) }];
      }
      case 'TOOL_CALL_RESULT': {
        const { toolCallId, content } = event;
        // A client refuses a result whose call is not in its message.
        if (!this.#calls.has(toolCallId)) return [];
        return [{ type: 'tool-output-available', toolCallId, output: parseJson(content) ?? content }];
      }
      default:
        return [];
    }
  }

  #by(tool: string): { providerExecuted?: true } {
    return (this.#options.clientTools ?? NONE).has(tool) ? {} : { providerExecuted: true };
  }

  #finished({ outcome, result }: Finished): UiChunk[] {
    if (outcome?.type === 'interrupt')
      return [
        ...outcome.interrupts.flatMap(asked => this.#asked(asked)),
        { type: 'finish', finishReason: 'tool-calls' },
      ];
    if (!isRecord(result)) return [{ type: 'finish', finishReason: 'tool-calls' }];
    const finishReason = outcome?.type === 'cancelled' ? 'other' : 'stop';
    return [{ type: 'finish', finishReason, messageMetadata: { steersman: result } }];
  }

  /** A gate is a part of the message; a call's gate is also the approval that the protocol knows. */
  #asked(interrupt: AgUiInterrupt): UiChunk[] {
    const { id, toolCallId, subagentRunId } = interrupt;
    const part: UiChunk = { type: 'data-gate', id, data: { ...interrupt, closed: false } };
    const isCall = interrupt.reason === 'tool_call' && subagentRunId === undefined;
    if (!isCall || toolCallId === undefined || !this.#calls.has(toolCallId)) return [part];
    return [part, { type: 'tool-approval-request', approvalId: id, toolCallId }];
  }
}

/** Returns the reply's id if the event begins a part of a reply; else null. */
function replyOf(event: ContentEvent): string | null {
  switch (event.type) {
    case 'TEXT_MESSAGE_START':
      return event.messageId;
    case 'REASONING_MESSAGE_START':
      return event.messageId.replace(/-thought-\d+$/, '');
    case 'TOOL_CALL_START':
      return event.parentMessageId;
    default:
      return null;
  }
}

/** States the place of a message in its run: the number of the run's event after which it begins. */
export function placeChunk(since: number): UiChunk {
  return metadata({ since });
}

/** Reports that a gate was answered. */
export function closedGate(id: string): UiChunk {
  return { type: 'data-gate', id, data: { id, closed: true } };
}

function metadata(own: Record<string, unknown>): UiChunk {
  return { type: 'message-metadata', messageMetadata: { steersman: own } };
}

function agentPart(id: string, data: object): UiChunk {
  return { type: 'data-agent', id, data: { id, ...data } };
}

function customPart(name: string, data: unknown): UiChunk {
  const own = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
  // A reset is stored in the message: the client must know which parts it made void.
  return own === 'reset' ? { type: 'data-reset', data } : { type: `data-${own}`, data, transient: true };
}

/** Applies patches of the plan: its fields, and items of its lists. */
function patched(plan: Record<string, unknown>, patches: readonly AgUiPatch[]): Record<string, unknown> {
  const copy = structuredClone(plan);
  for (const patch of patches) {
    const path = patch.path
      .split('/')
      .slice(1)
      .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = path.pop() ?? '';
    let at: Record<string, unknown> | undefined = copy;
    for (const part of path) at = at?.[part] as Record<string, unknown> | undefined;
    if (at === undefined) continue;
    if (patch.op === 'remove') delete at[last];
    else at[last] = patch.value;
  }
  return copy;
}
