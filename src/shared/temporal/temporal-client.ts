/** Temporal clients of every process of ours: none is stopped by a payload that it can't decode. */
import {
  Client,
  type ClientOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import { isRecord } from '../../base/json/json.js';

/**
 * A client to which payloads of another program's making, encrypted or broken, are `Unreadable` values. By
 * itself the SDK would throw: one such memo, and no list of runs could be read.
 */
export function temporalClient(options: ClientOptions): Client {
  return new Client({ ...options, dataConverter: { payloadCodecs: [unreadableCodec] } });
}

const usual = defaultGrpcRetryOptions();
/** Before the first time that a query is asked again which found another in line. */
const IN_LINE_MS = 30;

/**
 * Milliseconds before a request is sent again. While a run's worker is at a task, the server keeps one query of it in line
 * and turns the next away as if it were overloaded: the SDK would wait 1.4 to 2 s, and the task takes 20 ms.
 */
export const retryDelayMs: typeof usual.delayFunction = (attempt, status) =>
  /query buffer is full/.test(status.details)
    ? Math.min(IN_LINE_MS * 2 ** (attempt - 1), 1_000)
    : usual.delayFunction(attempt, status);

/** For each connection of a client's. */
export const retryInterceptors = [makeGrpcRetryInterceptor({ ...usual, delayFunction: retryDelayMs })];

interface Unreadable {
  [MARK]: string;
}

const MARK = 'steersman/unreadable';

/** The encoding of a value that could not be decoded; null for any other value. */
export function unreadableEncoding(value: unknown): string | null {
  const encoding = isRecord(value) ? value[MARK] : null;
  return typeof encoding === 'string' ? encoding : null;
}

/** An answer that could not be decoded: asking again would bring the same. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';

  constructor(encoding: string) {
    super(`The answer can not be read here: it is encoded as ${encoding}.`);
  }
}

export function unreadableNames(values: Record<string, unknown> | undefined): string[] {
  return Object.keys(values ?? {}).filter(name => unreadableEncoding(values?.[name]) !== null);
}

export const unreadableCodec: PayloadCodec = {
  encode: async payloads => payloads,
  decode: async payloads => payloads.map(payload => (isReadable(payload) ? payload : markOf(payload))),
};

function isReadable(payload: Payload): boolean {
  try {
    defaultPayloadConverter.fromPayload(payload);
    return true;
  } catch {
    return false;
  }
}

function markOf({ metadata }: Payload): Payload {
  const mark: Unreadable = { [MARK]: Buffer.from(metadata?.encoding ?? []).toString('utf8') || 'unknown' };
  return defaultPayloadConverter.toPayload(mark);
}
