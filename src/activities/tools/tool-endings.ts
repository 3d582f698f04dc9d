/** The endings of calls without an ordinary result. A server's words are content, never the run's own words. */

import { ApplicationFailure } from '@temporalio/common';
import { secondsOf } from '../../base/text/error-text.js';
import { headChars } from '../../base/text/large-text.js';
import { fill, type Words } from '../../base/words/words.js';
import { unknownOutcomeNote, unreadablePartsNote } from '../../conversation/tool-notes.js';
import type { McpCallError } from '../../mcp/connection/call-failure.js';
import {
  boundText,
  type ResultSizes,
  type ResultStore,
  resultStoreFor,
  storedContent,
} from '../../mcp/tools/result-content.js';
import type { ToolAnswer } from '../../mcp/tools/tool-answer.js';
import { FAILURE } from '../../run/limits/failure.js';
import type { ToolContent } from '../../run/messages/message.js';
import { RPC, rpcEnding } from '../../run/tools/effect.js';
import type { BlobStore } from '../../shared/store/blob-store.js';
import { stopReason } from '../stop-signal.js';
import type { CallToolInput, CallToolResult } from '../types.js';

export interface ToolCall {
  input: CallToolInput;
  words: Words;
  runId: string;
  /** The activity's signal: its reason tells who wanted the call to stop. */
  signal: AbortSignal;
  texts: ToolTexts;
}

interface Ended {
  said?: string;
  durationMs?: number;
}

export function ended(
  ending: CallToolResult['ending'],
  note: string,
  { said = '', durationMs = 0 }: Ended = {},
): CallToolResult {
  const content = said === '' ? [] : [{ type: 'text' as const, text: said }];
  return { ending, note, content, isError: true, durationMs };
}

export function unknown(words: Words, why: string, more: Ended): CallToolResult {
  return ended('outcome_unknown', unknownOutcomeNote(words, why), more);
}

export function sessionLost({ input }: ToolCall, note: string, more: Ended = {}): CallToolResult {
  const { tool, server } = input;
  return ended('session_lost', fill(note, { tool, server: server ?? '' }), more);
}

/** Ends a call that was stopped before it was sent, so it had no effect. @throws if the call must be repeated. */
export function stoppedBeforeSending({ words, signal }: ToolCall): CallToolResult {
  switch (stopReason(signal)) {
    case 'cancelled':
      return ended('cancelled', words.noteCancelledUnsent);
    case 'shutdown':
      throw ApplicationFailure.retryable(
        'the worker shut down before the call was sent',
        FAILURE.tool.notSent,
      );
    case 'other':
      throw signal.reason;
  }
}

interface Sent {
  /** Its server had the tool before the call. */
  isListed: boolean;
  /** True for the connection of a session, which ends with it. */
  inSession: boolean;
  durationMs: number;
}

/**
 * Returns the end of a call without an answer, or with a refusal: it depends on whether the tool may be called twice.
 * @throws ApplicationFailure, as in `createCallTool`, if it must be retried.
 */
export async function unanswered(call: ToolCall, error: McpCallError, sent: Sent): Promise<CallToolResult> {
  const { words, texts, signal } = call;
  const { idempotent, tool, timeoutMs } = call.input;
  const server = call.input.server ?? '';
  const { durationMs, isListed } = sent;
  switch (error.kind) {
    case 'aborted':
      // Only calls of idempotent and stoppable tools are aborted.
      if (!idempotent) return unknown(words, words.noteWhyCancelled, { durationMs });
      if (stopReason(signal) === 'other') throw signal.reason;
      if (stopReason(signal) === 'shutdown')
        throw ApplicationFailure.retryable('the worker shut down while the tool ran', FAILURE.workerShutdown);
      return ended('cancelled', words.noteCancelledRunning, { durationMs });
    case 'rejected': {
      const mayRepeat = idempotent || error.notCalled;
      const refused = refusal(words, { code: error.code, isListed, mayRepeat, tool, server });
      // A message of any length is stored like a result.
      const content = [await texts.refusalOf(error.message)];
      return { ...refused, content, isError: true, durationMs };
    }
    case 'timed_out': {
      const why = fill(words.noteWhyTimedOutAfter, { tool, seconds: secondsOf(timeoutMs) });
      const message = texts.shortOf(error.message);
      const whole = message === '' ? why : `${why}: ${message}`;
      if (idempotent) throw ApplicationFailure.retryable(whole, FAILURE.tool.timeout);
      return unknown(words, why, { said: message, durationMs });
    }
    default: {
      const isAnswered = error.status !== undefined;
      const why = fill(isAnswered ? words.noteWhyAnswered : words.noteWhyConnection, { server, tool });
      const message = texts.shortOf(error.message);
      if (sent.inSession && (error.reconnect || !isAnswered))
        return sessionLost(call, words.noteSessionGoneUnknown, { said: message, durationMs });
      if (idempotent) throw ApplicationFailure.retryable(`${why}: ${message}`, FAILURE.tool.connectionLost);
      return unknown(words, why, { said: message, durationMs });
    }
  }
}

interface Refused {
  code: number | undefined;
  isListed: boolean;
  mayRepeat: boolean;
  tool: string;
  server: string;
}

/** Returns the meaning of a server's error answer, by its code. */
function refusal(
  words: Words,
  { code, tool, server, ...given }: Refused,
): Required<Pick<CallToolResult, 'ending' | 'note'>> {
  const ending = rpcEnding(code, given);
  switch (ending) {
    case 'executed':
      return { ending, note: '' };
    case 'unavailable':
      return { ending, note: given.isListed ? words.noteRefusedTool : words.noteGone };
    case 'invalid':
      return { ending, note: words.noteRefusedArguments };
    case 'outcome_unknown': {
      const why = code === RPC.invalidParams ? words.noteWhyRefused : words.noteWhyError;
      return { ending, note: unknownOutcomeNote(words, fill(why, { tool, server })) };
    }
  }
}

const SERVER_WORDS_CHARS = 2_000;

export interface ToolTextDeps {
  blobs: BlobStore;
  /** Sizes for shortening large texts. Default: 16 KB whole, else 6 KB and 2 KB. */
  sizes?: ResultSizes;
  /** Removes secrets from texts before they are cut and stored. Default: no secrets are known. */
  redact?: (text: string) => string;
}

/** Converts a tool server's answers and last words: bounded, without secrets, with the run's notes. */
export class ToolTexts {
  readonly #words: Words;
  readonly #redact: (text: string) => string;
  readonly #keeper: ResultStore;

  /** `runId`: workflow id. */
  constructor({ blobs, sizes, redact = text => text }: ToolTextDeps, words: Words, runId: string) {
    this.#words = words;
    this.#redact = redact;
    this.#keeper = resultStoreFor(blobs, runId, { ...(sizes && { sizes }), clean: redact });
  }

  async resultOf(answer: ToolAnswer, durationMs: number): Promise<CallToolResult> {
    const { isError, unreadable } = answer;
    const note = unreadable.length > 0 ? { note: unreadablePartsNote(this.#words, unreadable) } : {};
    const kept = await storedContent(answer, this.#keeper);
    return { ending: 'executed', isError, durationMs, ...kept, ...note };
  }

  /** Stores a complete text, and returns its reference. */
  readonly keep = (text: string): Promise<string> => this.#keeper.keep(this.#redact(text));

  /** Returns a server's answer that replaces a result: of any length, stored like one. */
  async refusalOf(said: string): Promise<ToolContent> {
    const text = await boundText(said, this.#keeper).catch(() => ({ text: this.shortOf(said) }));
    return { type: 'text', ...text };
  }

  /** Returns the beginning of a server's last words, for the conversation and for history. */
  shortOf(said: string): string {
    return headChars(this.#redact(said), SERVER_WORDS_CHARS);
  }
}
