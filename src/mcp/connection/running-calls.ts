/** The calls that run on a connection, and what its server asks during them. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { FormQuestion } from '../../core/gates/form.js';
import type { ResolvedServer } from '../resolve-server.js';
import type { CallTimer } from './answer-watch.js';
import { relatedTask } from './tasks.js';

/** What a server may ask during a call. */
export interface Asked {
  /** Ends with the call. */
  signal: AbortSignal;
  /** Puts what the server asks to a person, while the call's time stands still. Default: it is declined. */
  onForm?: (question: FormQuestion, signal: AbortSignal) => Promise<ElicitResult>;
}

export interface Running {
  call: Asked;
  timer: CallTimer;
  /** Id of the task that it goes on as. */
  task: string | null;
}

export class RunningCalls {
  readonly #calls = new Set<Running>();

  /** Answers what the server asks, as far as it was told that it may. */
  serve(client: Client, { type }: ResolvedServer): void {
    if (type !== 'code')
      client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => this.#ask(params, signal));
  }

  /** The call runs until what is returned is called. */
  begin(running: Running): () => void {
    this.#calls.add(running);
    return () => this.#calls.delete(running);
  }

  /** What a server asks belongs to the call whose task it names, or to the one that runs; of several, nobody can tell. */
  #askedFor(params: { _meta?: unknown }): Running | null {
    const task = relatedTask(params);
    const [running, ...others] = [...this.#calls].filter(each => task === null || each.task === task);
    return running && others.length === 0 ? running : null;
  }

  async #ask(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    const running = this.#askedFor(params);
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
