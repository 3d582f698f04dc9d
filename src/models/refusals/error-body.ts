/** Reads an endpoint's error at any depth of its answer: routers nest the words of the provider behind them. */
import { isRecord, nestsTooDeep, parseJson, stringOr } from '../../base/json/json.js';
import { bounded, waitInWords } from '../../shared/retry-after.js';

/** An error in the one form that the SDKs read. */
export interface PlainError {
  message: string;
  code?: unknown;
  type?: unknown;
  param?: unknown;
  /** The wait that the body asks for, milliseconds. */
  wait_ms?: number;
}

/** Characters kept of a body in an unknown form; no message quotes more. */
const MOST_QUOTED = 1_000;
/** Fields in which an error holds another: `metadata.raw` is OpenRouter's, `detail` FastAPI's, `details` Gemini's. */
const INNER = ['error', 'metadata', 'raw', 'detail', 'details', 'errors', 'attempts', 'cause'] as const;
const MOST_LEVELS = 6;

/** Returns the error of a body; null if the text is not JSON or has no field that could be a message. */
export function errorOfBody(text: string): PlainError | null {
  const body = parseJson(text);
  // Gemini's endpoint sends a list with one error.
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(outer)) return null;
  const error = outer.error ?? outer.detail ?? outer.message ?? outer.Message ?? outer.errors;
  if (error === undefined) return null;
  // SDKs traverse errors recursively, so a deeply nested one is reduced to its message.
  if (nestsTooDeep(text)) {
    const detail = isRecord(error) ? (error.message ?? error.detail) : error;
    return { message: typeof detail === 'string' ? detail : text.slice(0, MOST_QUOTED) };
  }
  const { code, type, param } = outer;
  if (Array.isArray(error)) return plainError(error);
  return plainError(isRecord(error) ? { code, type, param, ...error } : { ...outer, message: error });
}

/**
 * Returns what an event says in place of a part of a reply, such as MiniMax's refusals with status 200; null if it says
 * nothing. Only an event of a reply without an end may be read so.
 */
export function errorOfEvent({ base_resp: told, ...event }: Record<string, unknown>): PlainError | null {
  if (isRecord(told) && told.status_code === 0) return null;
  const { code, type } = event;
  const [message, ofCode] = isRecord(told)
    ? [told.status_msg, told.status_code]
    : [event.message ?? event.msg ?? event.detail, code];
  return typeof message === 'string' && message !== '' ? plainError({ message, code: ofCode, type }) : null;
}

/** Returns the plain form of an error that is already an object, or a text in place of one. */
export function plainError(error: unknown): PlainError {
  const levels = levelsOf(error, MOST_LEVELS);
  const [outer = {}, ...inner] = levels;
  const messages = levels.flatMap(({ message }) => (message === undefined ? [] : [message]));
  const withText = messages.filter(
    (message, at) => !messages.some((other, by) => by < at && other.includes(message)),
  );
  const message = withText.join(': ');
  const waitMs = waitIn(error) ?? waitInWords(message);
  return {
    message,
    code: wordOf('code', inner) ?? outer.code,
    type: wordOf('type', inner) ?? outer.type,
    param: wordOf('param', inner) ?? outer.param,
    ...(waitMs === null ? {} : { wait_ms: waitMs }),
  };
}

interface Level {
  message?: string;
  code?: unknown;
  type?: unknown;
  param?: unknown;
}

/** Returns an error and the errors inside it, the outermost first. */
function levelsOf(value: unknown, most: number): Level[] {
  if (most === 0 || value === undefined || value === null) return [];
  if (typeof value === 'string') {
    const inner = /^\s*[[{]/.test(value) && !nestsTooDeep(value) ? parseJson(value) : undefined;
    return inner === undefined ? [{ message: value }] : levelsOf(inner, most - 1);
  }
  if (Array.isArray(value)) {
    const found = value.flatMap(each => levelsOf(each, most - 1));
    // FastAPI lists each faulty field as an object without a message.
    return found.some(({ message }) => message !== undefined) ? found : [{ message: JSON.stringify(value) }];
  }
  if (!isRecord(value)) return [];
  const { message, code, type, param } = value;
  const inner = INNER.flatMap(key => levelsOf(innerOf(key, value[key]), most - 1));
  return [{ code, type, param }, ...levelsOf(message, most - 1), ...inner];
}

/** Drops Gemini's details without a message: they are data for programs. */
function innerOf(key: string, value: unknown): unknown {
  if (key !== 'details' || !Array.isArray(value)) return value;
  const withMessages = value.filter(each => isRecord(each) && typeof each.message === 'string');
  return withMessages.length === 0 ? undefined : withMessages;
}

function wordOf(field: 'code' | 'type' | 'param', levels: readonly Level[]): string | undefined {
  return levels.map(level => stringOr(level[field], '')).findLast(word => word !== '');
}

/** Reads the wait from `google.rpc.RetryInfo`, from a number of seconds near the message, or from the time of a reset. */
function waitIn(error: unknown): number | null {
  const text = JSON.stringify(error ?? null).replaceAll('\\', '');
  const delay = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(text)?.[1];
  const seconds = delay ?? /"retry_?after(?:_seconds)?"\s*:\s*"?([\d.]+)/i.exec(text)?.[1];
  return bounded(seconds === undefined ? untilReset(text, Date.now()) : Number(seconds) * 1_000);
}

/** Returns the wait until the reset that a provider behind OpenRouter states, in milliseconds or seconds since 1970. */
function untilReset(text: string, nowMs: number): number | null {
  const at = /"x-ratelimit-reset"\s*:\s*"?(\d{10,13})\b/i.exec(text)?.[1];
  if (at === undefined) return null;
  return (at.length > 11 ? Number(at) : Number(at) * 1_000) - nowMs;
}
