/** The only classifier of model failures (M6): it turns any provider's error into a typed failure. */

import { errorText } from '../../base/text/error-text.js';
import { cutText } from '../../base/text/fit.js';
import { FAILURE, type ModelFailureType } from '../../run/limits/failure.js';
import { RedirectRefusedError } from '../../shared/http/same-origin-fetch.js';
import { passedOnRetryAfterMs, type RetryHeaders } from '../../shared/retry-after.js';
import { ModelCallError } from '../provider/model-call-error.js';
import {
  BAD_CALL,
  FILTERED,
  OF_LENGTH,
  THROTTLED,
  TOO_LONG,
  UNKNOWN_MODEL,
  USED_UP,
  WRONG_KEY,
} from '../refusals/failure-words.js';
import { escaped } from '../refusals/places.js';
import { OverBoundError } from '../reply/event-stream.js';

/** Facts about the call that the classifier needs to name it, and to keep secrets out of its message. */
export interface CallSite {
  provider: string;
  /** Base URL without credentials. */
  endpoint: string;
  /** Null if the endpoint is asked for its list of models. */
  model: string | null;
  /** False if the request had no key, and no header of the configuration that may be one. */
  hasKey: boolean;
  /** Environment variables that advice names. */
  keyVariable: string;
  urlVariable: string;
  /** True if no address is set, so that the provider's own is used. */
  ownAddress: boolean;
  /** Advice about the usual ending of the protocol's addresses: `it usually ends in /v1`. */
  addressHint: string;
  /** Keys, which must not appear in a message. */
  secrets: readonly string[];
  /** Texts of the request: if an endpoint's words repeat one of them, a message quotes the words only up to there. */
  requestTexts: readonly string[];
  /** Approximate size of the whole request, characters. */
  requestChars: number;
}

/** An error answer, received as an HTTP response or as an error event in a stream. */
export interface ErrorAnswer {
  /** Null for an error event in a stream. */
  status: number | null;
  code: string | null;
  type: string | null;
  message: string;
  headers: RetryHeaders | null;
  /** The wait that its body asks for, milliseconds. */
  waitMs?: number | null;
}

export function classifyAnswer(answer: ErrorAnswer, site: CallSite): ModelCallError {
  const type = typeOf(answer, site);
  const detail = scrub(answer.message, site.secrets, site.requestTexts);
  const status = answer.status === null ? 'an error in the stream' : `HTTP ${answer.status}`;
  const quote = detail === '' ? '' : `: ${detail.replace(/[.!。！]$/, '')}`;
  const message = `${placeOf(site)} answered ${status}${quote}.${advice(type, answer, site)}`;
  const error = new ModelCallError(type, message, waitOf(answer), againOf(answer) ?? undefined);
  const words = inOneLine(answer.message);
  SAID.set(error, words.slice(0, echoStart(words, site.requestTexts)));
  return error;
}

/** Names what was called, and where. */
function placeOf({ provider, model, endpoint }: CallSite): string {
  return `${model === null ? provider : `${provider}/${model}`} at ${endpoint}`;
}

/** Stored outside the errors, because fields of an error may be shown. */
const SAID = new WeakMap<ModelCallError, string>();

/** Returns the endpoint's own words up to an echo of the request, unmasked. They are for the program and must not be shown. */
export function endpointText(error: ModelCallError): string {
  return SAID.get(error) ?? error.message;
}

function waitOf({ headers, waitMs }: ErrorAnswer): number | null {
  return (headers && passedOnRetryAfterMs(headers, Date.now())) ?? waitMs ?? null;
}

/** Returns the endpoint's own statement about retrying, at any status; null without one. The providers' SDKs obey it too. */
function againOf({ status, headers }: ErrorAnswer): boolean | null {
  // A stream's headers were sent before the error, so they say nothing about it.
  const advice = status === null ? null : (headers?.get('x-should-retry') ?? null);
  return advice === 'true' ? true : advice === 'false' ? false : null;
}

/** About 10,000 tokens. */
const LARGE_REQUEST_CHARS = 40_000;

function typeOf(answer: ErrorAnswer, site: CallSite): ModelFailureType {
  const status = statusOf(answer, site);
  const words = wordsOf(answer, site);
  const { model } = FAILURE;
  if (status === 401) return model.auth;
  const again = againOf(answer);
  if (status === 402 || (isUsedUp(answer, words) && [400, 403, 412, 429].includes(status)))
    return model.forbidden;
  // Gemini, xAI and gateways refuse a key with 400 or 403.
  if (WRONG_KEY.words.test(words) && [400, 403].includes(status)) return model.auth;
  // Gateways and Google also send 403 for a rate, with a wait; a key without permission never comes with a wait.
  const isRate = status === 429 || (status === 403 && waitOf(answer) !== null);
  if (isRate) return again === false ? model.forbidden : model.rateLimited;
  // 413 concerns this one request, even if the text mentions a rate.
  if (status !== 413 && THROTTLED.words.test(words)) return model.rateLimited;
  if (status === 503 || status === 529) return model.overloaded;
  if (status === 408) return model.timeout;
  if (status === 413 || TOO_LONG.words.test(words)) return model.contextTooLong;
  if (status >= 500 || status === 409 || status === 425 || again === true) return model.server;
  if (BAD_CALL.words.test(words)) return model.badResponse;
  if (FILTERED.words.test(words)) return model.contentFilter;
  if (UNKNOWN_MODEL.words.test(words)) return model.unknownModel;
  if (status === 403) return model.forbidden;
  // A fallback for unknown words: a large request is sent again with less.
  const isLarge = site.requestChars > LARGE_REQUEST_CHARS && (status === 400 || status === 422);
  return isLarge && OF_LENGTH.test(answer.message) ? model.contextTooLong : model.badRequest;
}

/** Returns the endpoint's words with its code and type, up to an echo of the request. */
function wordsOf({ code, type, message }: ErrorAnswer, { requestTexts }: CallSite): string {
  const said = inOneLine(message);
  return `${code ?? ''} ${type ?? ''} ${said.slice(0, echoStart(said, requestTexts))}`;
}

/** Gemini's endpoint mentions quota and billing for limits per minute too, but then states when to retry. */
function isUsedUp({ waitMs }: ErrorAnswer, words: string): boolean {
  return USED_UP.words.test(words) && typeof waitMs !== 'number';
}

/** Errors inside a stream have no status. Some endpoints send a status as the code, others a word. */
export function statusOf(answer: ErrorAnswer, site: CallSite): number {
  if (answer.status !== null) return answer.status;
  const code = Number(answer.code);
  if (code >= 400 && code < 600) return code;
  const said = `${answer.code ?? ''} ${answer.type ?? ''}`;
  const named = STATUS_OF_WORDS.find(([words]) => words.test(said));
  if (named) return named[1];
  const words = wordsOf(answer, site);
  if (WRONG_KEY.words.test(words)) return 401;
  return isUsedUp(answer, words) ? 402 : 500;
}

const STATUS_OF_WORDS: readonly [RegExp, number][] = [
  [/rate.?limit|insufficient_quota/i, 429],
  [/overloaded/i, 529],
  [/authentication_error/i, 401],
  [/billing_error/i, 402],
  [/permission_error/i, 403],
  [/not_found_error/i, 404],
  [/request_too_large/i, 413],
  [/invalid_|context_length|content_policy|image_/i, 400],
];

function advice(type: ModelFailureType, answer: ErrorAnswer, site: CallSite): string {
  switch (type) {
    case FAILURE.model.auth:
      return site.hasKey
        ? ` Check the key in ${site.keyVariable}.`
        : ` No key was sent: ${site.keyVariable} is not set.`;
    case FAILURE.model.forbidden:
      return answer.status === 403 && !USED_UP.words.test(wordsOf(answer, site))
        ? ` The key in ${site.keyVariable} may not use this model.`
        : ` The account of the key in ${site.keyVariable} has no credit or quota left.`;
    case FAILURE.model.unknownModel:
      return ` The endpoint does not know the model "${site.model}": check its name, and ${site.urlVariable}.`;
    case FAILURE.model.badRequest:
      return answer.status === 404
        ? ` Its protocol is not spoken at this address: check ${site.urlVariable} (${site.addressHint}).`
        : '';
    case FAILURE.model.contextTooLong:
      return ' The conversation does not fit this model.';
    default:
      return '';
  }
}

/** Failure codes that mean that something answered at the address, but not with a valid HTTP response. */
const ANSWERS_THAT_ARE_NONE: readonly [RegExp, ModelFailureType, string][] = [
  [
    /^UND_ERR_HEADERS_OVERFLOW$|^HPE_HEADER_OVERFLOW$/,
    FAILURE.model.tooLarge,
    'sent response headers that are too large. Look for a proxy in between that adds cookies or other headers',
  ],
  [
    /^HPE_/,
    FAILURE.model.badResponse,
    'did not answer as an HTTP server does. Check its port, and whether it wants https',
  ],
  [
    /^ERR_SSL_/,
    FAILURE.model.badResponse,
    'did not answer as an https server does. Check its port, and whether it wants http',
  ],
  [
    /^(?:Z_|ERR__ERROR_|ZSTD_)/,
    FAILURE.model.badResponse,
    'sent a body that is not what its content-encoding header says. Look for a proxy in between that compresses answers',
  ],
];

/** Classifies a failure without an answer: a connection that was refused, not resolved, cut, or not understood. */
export function classifyBreak(error: unknown, site: CallSite, chunks: number): ModelCallError {
  const where = placeOf(site);
  if (error instanceof SyntaxError) {
    // If an event was understood before, the address is right.
    const what =
      chunks > 0
        ? 'sent an event that is not JSON, or only a part of one, in the middle of a reply.'
        : `sent something that is not JSON. Check ${site.urlVariable} (${site.addressHint}).`;
    return new ModelCallError(FAILURE.model.badResponse, `${where} ${what}`);
  }
  for (const cause of causesOf(error)) {
    if (cause instanceof RedirectRefusedError) {
      const message = `${where} did not answer: ${cause.message}. Check ${site.urlVariable}.`;
      return new ModelCallError(FAILURE.model.redirected, message);
    }
    if (cause instanceof OverBoundError) {
      return new ModelCallError(
        FAILURE.model.tooLarge,
        `${where} sent ${cause.message}: too much for a reply.`,
      );
    }
  }
  const code = codeOf(error);
  const reason = code ?? scrub(errorText(error), site.secrets, site.requestTexts);
  // The SDKs' timeout errors have no code.
  const late = causesOf(error).find(cause => cause.constructor.name === 'APIConnectionTimeoutError');
  if (late || (code !== null && /TIMEOUT/.test(code))) {
    return new ModelCallError(FAILURE.model.timeout, `${where} did not answer in time (${reason}).`);
  }
  const answered = code === null ? undefined : ANSWERS_THAT_ARE_NONE.find(([codes]) => codes.test(code));
  if (answered) {
    const [, type, what] = answered;
    return new ModelCallError(type, `${where} ${what} (${code}). ${addressWords(site)}`);
  }
  const message =
    chunks > 0
      ? `The connection to ${where} broke in the middle of a reply (${reason}).`
      : `No connection to ${where} (${reason}). ${site.ownAddress ? 'Is this machine online?' : 'Is a model server running at this address?'} ${addressWords(site)}`;
  return new ModelCallError(FAILURE.model.connection, message);
}

function addressWords({ ownAddress, urlVariable }: CallSite): string {
  return ownAddress
    ? `The address is the provider's own: ${urlVariable} is not set.`
    : `The address is set by ${urlVariable}.`;
}

/** Returns the system's error code of the innermost cause: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET`. */
function codeOf(error: unknown): string | null {
  let code: string | null = null;
  for (const cause of causesOf(error)) {
    if ('code' in cause && typeof cause.code === 'string') code = cause.code;
    // undici's own parser sets no code.
    else if (cause.name === 'HTTPParserError') code = 'HPE_INVALID_RESPONSE';
  }
  return code;
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  let at: unknown = error;
  while (at instanceof Error && causes.length < 5) {
    causes.push(at);
    at = at.cause ?? (at instanceof AggregateError ? at.errors[0] : undefined);
  }
  return causes;
}

const MAX_QUOTE_CHARS = 300;
/** A request text is recognised by this many characters at its beginning; shorter texts are too common to search for. */
const RECOGNISE_CHARS = 24;

const KEY_SHAPES = [
  /\bBearer\s+[^\s"',]+/gi,
  /\b(?:sk|pk|rk|gsk|xai)-[A-Za-z0-9_*-]{6,}/g,
  /\bAIza[A-Za-z0-9_-]{10,}/g,
  /([?&](?:api[-_]?)?key=)[^\s&"']+/gi,
];
/** Some servers' validation errors quote the request body from here on. */
const BODY_ECHO = /["'](?:input|messages|body)["']\s*:/i;

const MAX_TOLD_BYTES = 200;

/** Returns an endpoint's error text, shortened for the message about a changed request. */
export function quoteOf(text: string, site: CallSite): string {
  return cutText(scrub(text, site.secrets, site.requestTexts), MAX_TOLD_BYTES);
}

/**
 * Returns an endpoint's error text as a message may quote it: one line of at most 300 characters, without the given
 * secrets or anything shaped like a key. It ends where it begins to repeat the request.
 */
function scrub(text: string, secrets: readonly string[], requestTexts: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = withoutKey(clean, secret);
  for (const shape of KEY_SHAPES) {
    clean = clean.replace(shape, (_match, prefix: unknown) =>
      typeof prefix === 'string' ? `${prefix}[key]` : '[key]',
    );
  }
  clean = inOneLine(clean);
  const cut = Math.min(echoStart(clean, requestTexts), MAX_QUOTE_CHARS);
  return cut < clean.length ? `${clean.slice(0, cut).trim()}…` : clean;
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A shorter key may occur inside words by chance, so it is only replaced where it stands alone. */
const LONG_KEY_CHARS = 8;

function withoutKey(text: string, key: string): string {
  if (key === '') return text;
  if (key.length >= LONG_KEY_CHARS) return text.replaceAll(key, '[key]');
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(key)}(?![\\p{L}\\p{N}])`, 'gu'), '[key]');
}

function echoStart(text: string, requestTexts: readonly string[]): number {
  let start = text.search(BODY_ECHO);
  if (start < 0) start = text.length;
  for (const requestText of requestTexts) {
    const head = inOneLine(requestText).slice(0, RECOGNISE_CHARS);
    if (head.length < RECOGNISE_CHARS) continue;
    const at = text.indexOf(head);
    if (at >= 0 && at < start) start = at;
  }
  return start;
}

/** Returns a URL without user, password and query, safe for messages. */
export function publicUrl(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
