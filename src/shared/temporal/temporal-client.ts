/** Creates the Temporal clients of all our processes. A payload that can't be decoded does not stop them. */
import {
  Client,
  type ClientOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { arrayFromPayloads, defaultPayloadConverter } from '@temporalio/common';
import { isRecord } from '../../base/json/json.js';

/**
 * Returns a client that reads payloads of other programs, encrypted or broken, as `Unreadable` values. The SDK itself
 * would throw, so that one such memo would make every list of runs unreadable.
 */
export function temporalClient(options: ClientOptions): Client {
  return new Client({ ...options, dataConverter: { payloadCodecs: [unreadableCodec] } });
}

const usual = defaultGrpcRetryOptions();
/** Wait before the first retry of a query that found another one in line, milliseconds. */
const IN_LINE_MS = 30;

/**
 * Returns the wait before a request is sent again, milliseconds. While a run's worker processes a task, the server
 * keeps one query of the run in line and rejects the next as if it were overloaded. The SDK would then wait 1.4 to 2 s,
 * although the task takes 20 ms.
 */
export const retryDelayMs: typeof usual.delayFunction = (attempt, status) =>
  /query buffer is full/.test(status.details)
    ? Math.min(IN_LINE_MS * 2 ** (attempt - 1), 1_000)
    : usual.delayFunction(attempt, status);

/** Interceptors for each client connection. */
export const retryInterceptors = [makeGrpcRetryInterceptor({ ...usual, delayFunction: retryDelayMs })];

/** Decodes payloads of a response that the SDK returns undecoded. */
export async function valuesIn({ options }: Client, payloads: Payload[]): Promise<unknown[]> {
  const { payloadConverter, payloadCodecs } = options.loadedDataConverter;
  let decoded = payloads;
  for (const codec of payloadCodecs.toReversed()) decoded = await codec.decode(decoded);
  return arrayFromPayloads(payloadConverter, decoded);
}

interface Unreadable {
  [MARK]: string;
}

const MARK = 'steersman/unreadable';

/** Returns the encoding of a value that could not be decoded; null for any other value. */
export function unreadableEncoding(value: unknown): string | null {
  const encoding = isRecord(value) ? value[MARK] : null;
  return typeof encoding === 'string' ? encoding : null;
}

/** An answer could not be decoded; asking again would give the same answer. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';

  constructor(encoding: string) {
    super(`The answer cannot be read here: it is encoded as ${encoding}.`);
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
