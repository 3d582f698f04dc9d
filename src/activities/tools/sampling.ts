/**
 * What a tool server asks of a model during a call (sampling): only where `.mcp.json` lets it, by the model of the role
 * at hand, text alone, within bounds (T21). What it used is the call's, whatever becomes of that.
 */
import {
  type CreateMessageRequest,
  type CreateMessageResult,
  ErrorCode,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { estimateTokens } from '../../core/limits/tokens.js';
import type { Message, Usage } from '../../core/state/message.js';
import { addUsage, isUsage, NO_USAGE, tokensOf } from '../../core/state/message.js';
import { cutText } from '../../core/text/fit.js';
import { complete, PLAIN_REQUEST } from '../../models/complete.js';
import { costUsd, withinModel } from '../../models/model-info.js';
import type { ResolvedModel } from '../../models/providers.js';
import { usageOfReply } from '../../models/usage.js';
import type { SamplingInput } from '../types.js';

/** Requests of one tool call. */
const MOST_SAMPLES = 10;
const ERROR_BYTES = 500;

type Params = CreateMessageRequest['params'];

export interface SamplerDeps {
  resolve(modelId: string): ResolvedModel | Promise<ResolvedModel>;
  redact(text: string): string;
  /** Told after each request: what all of them have used. */
  onSpent(spent: Usage): void;
}

export class Sampler {
  readonly #input: SamplingInput;
  readonly #deps: SamplerDeps;
  readonly #over = new AbortController();
  #requests = 0;
  #last: Promise<unknown> = Promise.resolve();
  #spent: Usage;

  /** `before`: what the heartbeat of an earlier try of the call told. */
  constructor(input: SamplingInput, deps: SamplerDeps, before: unknown = null) {
    this.#input = input;
    this.#deps = deps;
    this.#spent = isUsage(before) ? before : NO_USAGE;
  }

  /** Null where no model was asked. */
  get spent(): Usage | null {
    return tokensOf(this.#spent) > 0 ? this.#spent : null;
  }

  /** One after the other, so that none spends what another has spent. @throws McpError: why there is no reply. */
  answer(params: Params, signal: AbortSignal): Promise<CreateMessageResult> {
    const wanted = AbortSignal.any([signal, this.#over.signal]);
    const answered = this.#last.then(() => this.#answer(params, wanted));
    this.#last = answered.catch(() => undefined);
    return answered;
  }

  /** Nobody waits for replies any more: when it resolves, all that was used is told. */
  async end(): Promise<void> {
    this.#over.abort(new Error('the call has ended'));
    await this.#last;
  }

  async #answer(params: Params, signal: AbortSignal): Promise<CreateMessageResult> {
    if (signal.aborted) throw refused('nobody waits for the reply');
    const { messages, system, inputTokens } = this.#read(params);
    const left = this.#input.tokens - tokensOf(this.#spent) - inputTokens;
    if (this.#requests >= MOST_SAMPLES || left < 1 || this.#isTooDear())
      throw refused('the limit of this call, or of its run, is used up');
    this.#requests += 1;
    const { provider, model, info } = await Promise.resolve(this.#deps.resolve(this.#input.model)).catch(
      failed,
    );
    const { stopSequences: stop = [], temperature = null } = params;
    const maxOutputTokens = Math.max(1, Math.min(params.maxTokens, left));
    const head = withinModel({ ...PLAIN_REQUEST, system, stop, temperature, maxOutputTokens }, info);
    const estimate = { ...NO_USAGE, inputTokens, estimated: true };
    try {
      const asked = { ...head, model, messages };
      const { text, usage, stopReason } = await complete(provider, asked, { signal });
      this.#spend(usageOfReply(info, usage, { ...estimate, outputTokens: estimateTokens(text) }).usage);
      return {
        role: 'assistant',
        model: this.#input.model,
        stopReason: stopReason === 'max_tokens' ? 'maxTokens' : 'endTurn',
        content: { type: 'text', text: this.#deps.redact(text) },
      };
    } catch (error) {
      this.#spend({ ...estimate, costUsd: costUsd(info.prices, estimate) });
      return failed(error);
    }
  }

  #isTooDear(): boolean {
    const { costUsd: most } = this.#input;
    return most !== null && (this.#spent.costUsd === null || this.#spent.costUsd >= most);
  }

  #spend(usage: Usage): void {
    this.#spent = addUsage(this.#spent, usage);
    this.#deps.onSpent(this.#spent);
  }

  #read({ messages, systemPrompt = '', tools }: Params) {
    if (tools !== undefined) throw refused('tools are not offered to servers');
    const { redact } = this.#deps;
    const system = redact(systemPrompt);
    const read = messages.map((message, index) => toMessage(message, index, redact));
    const inputTokens = estimateTokens(system) + read.reduce((sum, { tokens }) => sum + tokens, 0);
    return { system, messages: read.map(({ message }) => message), inputTokens };
  }
}

function toMessage(
  { role, content }: Params['messages'][number],
  index: number,
  redact: (text: string) => string,
): { message: Message; tokens: number } {
  const texts = [content].flat().map(part => {
    if (part.type !== 'text') throw refused(`a part of type ${part.type} is not taken: text alone is`);
    return redact(part.text);
  });
  const text = texts.join('\n');
  const base = { id: `m${index + 1}`, at: 0, content: [{ type: 'text' as const, text }] };
  const message: Message =
    role === 'user'
      ? { ...base, kind: 'user', purpose: 'instruction' }
      : {
          ...base,
          kind: 'assistant',
          role: '',
          stopReason: 'end_turn',
          action: 'answering',
          model: '',
          usage: NO_USAGE,
        };
  return { message, tokens: estimateTokens(text) };
}

function refused(why: string): McpError {
  return new McpError(ErrorCode.InvalidRequest, why);
}

function failed(error: unknown): never {
  if (error instanceof McpError) throw error;
  const why = error instanceof Error ? error.message : String(error);
  throw new McpError(ErrorCode.InternalError, `the model gave no reply: ${cutText(why, ERROR_BYTES)}`);
}
