/** Requests to a tool server over its connection, each with an answer or the reason why there is none. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { AnswerWatch, answerWatch } from './answer-watch.js';
import type { FailureWords } from './failure-words.js';

/** Longest timer Node takes: for requests that something else limits. */
export const NO_TIMEOUT_MS = 2_147_483_647;
/** For a request that is no call of a tool. */
const REQUEST_TIMEOUT_MS = 30_000;

export interface AskOptions {
  /** Default 30,000. */
  timeoutMs?: number;
  /** Gives the request up, for its reason. */
  over?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** What is said of an answer that is no MCP. */
  badAnswer?: string;
}

export class Requests {
  readonly #client: Client;
  readonly #words: FailureWords;
  readonly #isClosed: () => boolean;
  readonly #onUseless: () => void;

  /** `onUseless`: told when a request shows that the connection is of no more use. */
  constructor(client: Client, words: FailureWords, isClosed: () => boolean, onUseless: () => void) {
    this.#client = client;
    this.#words = words;
    this.#isClosed = isClosed;
    this.#onUseless = onUseless;
  }

  /** @throws McpCallError. */
  async ask<T extends z.ZodType>(
    asked: { method: string; params: Record<string, unknown> },
    answer: T,
    {
      timeoutMs = REQUEST_TIMEOUT_MS,
      over,
      onProgress,
      badAnswer = 'its answer is not valid MCP',
    }: AskOptions,
  ): Promise<z.output<T>> {
    const watch = new AnswerWatch();
    const onOver = () => watch.give(over?.reason);
    if (over?.aborted) onOver();
    over?.addEventListener('abort', onOver);
    const options = {
      signal: watch.signal,
      timeout: timeoutMs,
      ...(onProgress && { onprogress: onProgress }),
      onresumptiontoken: () => watch.resumable(),
    };
    try {
      return await answerWatch.run(watch, () => this.#client.request(asked, answer, options));
    } catch (error) {
      const failure = this.#words.ofRequest(error, watch, { closed: this.#isClosed(), badAnswer });
      if (failure.reconnect) this.#onUseless();
      throw failure;
    } finally {
      over?.removeEventListener('abort', onOver);
      // Keeps a late end of stream from cancelling what is already answered.
      watch.resumable();
    }
  }
}
