/** The calls that run on a connection, and what its server asks during them. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type CreateMessageRequest,
  CreateMessageRequestSchema,
  type CreateMessageResult,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  ErrorCode,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { FormQuestion } from '../core/gates/form.js';
import type { CallTimer } from './call-timer.js';
import type { ResolvedServer } from './resolve-server.js';

export type SampleParams = CreateMessageRequest['params'];

/** What a server may ask during a call. */
export interface Asked {
  /** Ends with the call. */
  signal: AbortSignal;
  /** Puts what the server asks to a person, while the call's time stands still. Default: it is declined. */
  onForm?: (question: FormQuestion, signal: AbortSignal) => Promise<ElicitResult>;
  /** Asks a model for the server. Default: refused. */
  onSample?: (params: SampleParams, signal: AbortSignal) => Promise<CreateMessageResult>;
}

interface Running {
  call: Asked;
  timer: CallTimer;
}

export class RunningCalls {
  readonly #calls = new Set<Running>();

  /** Answers what the server asks, as far as it was told that it may. */
  serve(client: Client, { type, sampling }: ResolvedServer): void {
    if (type !== 'code')
      client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => this.#ask(params, signal));
    if (sampling)
      client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { signal }) =>
        this.#sample(params, signal),
      );
  }

  get size(): number {
    return this.#calls.size;
  }

  /** The call runs until what is returned is called. */
  begin(running: Running): () => void {
    this.#calls.add(running);
    return () => this.#calls.delete(running);
  }

  /** What a server asks belongs to the one call that runs; of several, nobody can tell to which. */
  get #only(): Running | null {
    const [running, ...others] = this.#calls;
    return running && others.length === 0 ? running : null;
  }

  #sample(params: SampleParams, signal: AbortSignal): Promise<CreateMessageResult> {
    const call = this.#only?.call;
    if (!call?.onSample)
      throw new McpError(
        ErrorCode.InvalidRequest,
        'a model is asked for the one call that runs, where it may be',
      );
    return call.onSample(params, AbortSignal.any([signal, call.signal]));
  }

  async #ask(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    const running = this.#only;
    if (!running || !('requestedSchema' in params)) return { action: 'cancel' };
    const { call, timer } = running;
    if (!call.onForm) return { action: 'decline' };
    timer.pause();
    try {
      const schema: Record<string, unknown> = { ...params.requestedSchema };
      return await call.onForm({ message: params.message, schema }, AbortSignal.any([signal, call.signal]));
    } finally {
      timer.resume();
    }
  }
}
