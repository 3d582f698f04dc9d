/** Requests to a tool server over its connection. Each ends with an answer or with the reason why there is no answer. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ErrorCode,
  McpError,
  type Progress,
  SUPPORTED_PROTOCOL_VERSIONS,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isRecord, MAX_JSON_DEPTH, nestsDeeper, stringOr } from '../../base/json/json.js';
import { errorTextWithCause, secondsOf } from '../../base/text/error-text.js';
import { preview } from '../../base/text/preview.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { onAbort } from '../../shared/waits.js';
import { saysNotCalled } from '../tools/code-tools.js';
import { AnswerWatch, answerWatch } from './answer-watch.js';
import { HttpStatusError, McpCallError, NotBegunError } from './call-failure.js';
import type { ResolvedServer } from './resolve-server.js';
import { StdioTransport } from './stdio-transport.js';

/** The longest timer that Node supports, for requests with another limit. */
export const NO_TIMEOUT_MS = 2_147_483_647;
const REQUEST_TIMEOUT_MS = 30_000;

export interface AskOptions {
  timeoutMs?: number;
  /** Gives the request up, for the signal's reason. */
  over?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Describes an answer that is not valid MCP, for the failure's message. */
  badAnswer?: string;
}

/** How long a broken pipe waits for the exit code that explains it. */
const EXIT_NOTICE_MS = 300;

export class Requests {
  readonly #client: Client;
  readonly #server: ResolvedServer;
  /** The transport if the server is a process of ours; otherwise null. */
  readonly #process: StdioTransport | null;
  closed = false;
  /** True if the next caller needs another connection. */
  isUseless = false;

  constructor(client: Client, server: ResolvedServer, transport: unknown) {
    this.#client = client;
    this.#server = server;
    this.#process = transport instanceof StdioTransport ? transport : null;
  }

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
    const release = onAbort(over, () => watch.give(over?.reason));
    const options = {
      signal: watch.signal,
      timeout: timeoutMs,
      ...(onProgress && { onprogress: onProgress }),
      onresumptiontoken: () => watch.resumable(),
    };
    try {
      return await answerWatch.run(watch, () => this.#client.request(asked, answer, options));
    } catch (error) {
      const failure = this.#failure(error, watch, badAnswer);
      this.isUseless ||= failure.reconnect;
      throw failure;
    } finally {
      release();
      // Keeps a late end of stream from cancelling a request that already has its answer.
      watch.resumable();
    }
  }

  #failure(error: unknown, { givenUp, words }: AnswerWatch, badAnswer: string): McpCallError {
    const message = this.#server.redact(errorTextWithCause(error));
    if (error instanceof NotBegunError) {
      const facts = { proof: error.proof, reconnect: true };
      return new McpCallError('not_begun', this.closed ? this.ofEnd() : message, facts);
    }
    if (error instanceof HttpStatusError) return ofStatus(error, message);
    const instead = this.#server.redact(words);
    if (givenUp === 'no_answer') {
      const ended = 'the connection closed before the answer came';
      return new McpCallError('connection_lost', instead === '' ? ended : `${ended}; ${instead}`);
    }
    if (givenUp) return new McpCallError(givenUp, instead);
    if (this.closed) return new McpCallError('connection_lost', this.ofEnd());
    if (error instanceof McpError) {
      const notCalled = this.#server.type === 'code' && saysNotCalled(error.data);
      const words = [message, detailsOf(error, this.#server)].join(' ').trim();
      const reconnect = this.#server.type === 'http' && isSessionGone(error);
      const facts = { code: error.code, notCalled, reconnect };
      return new McpCallError('rejected', this.#server.redact(words), facts);
    }
    const isZod = error instanceof z.core.$ZodError;
    if (isZod && instead === '') return new McpCallError('rejected', badAnswer);
    return new McpCallError('connection_lost', isZod ? instead : message);
  }

  /** Returns how a stdio server ended, with its last output; a general phrase for others. Secrets are masked. */
  ofEnd(): string {
    if (this.#process === null) return 'the connection was closed';
    return `the server ${this.#process.ending || 'was closed'}. ${this.#lastWords(this.#process)}`;
  }

  async ofStart(error: unknown): Promise<SteersmanError> {
    const { name, label } = this.#server;
    const version = versionFault(error);
    if (version !== null)
      return new SteersmanError(
        `Tool server ${name} speaks no version of MCP that Steersman speaks (${label}): ${this.#server.redact(version)}`,
        `Steersman speaks ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}. Use a version of the server that speaks one of them, or set "enabled": false.`,
      );
    if (this.#process === null) {
      const status = error instanceof HttpStatusError ? error.status : 0;
      const what = NOT_ALLOWED.includes(status) ? 'refuses the connection' : 'cannot be reached';
      const why = preview(this.#reason(error), MOST_QUOTED);
      return new SteersmanError(`Tool server ${name} ${what} (address: ${label}): ${why}`, remedyOf(status));
    }
    // A broken pipe is noticed before the exit that caused it, and the exit code is more informative.
    if (error instanceof NotBegunError) await this.#process.endsWithin(EXIT_NOTICE_MS);
    const hasStarted = this.#process.pid !== undefined;
    const why = this.#process.ending ? this.ofEnd() : this.#reason(error);
    const more = hasStarted && !this.#process.ending ? `. ${this.#lastWords(this.#process)}` : '';
    return new SteersmanError(
      `Tool server ${name} did not start (command: ${label}): ${why}${more}`,
      `Run the command by hand to see why, mend it in .mcp.json, or set "enabled": false for ${name}.`,
    );
  }

  #lastWords({ stderrTail }: StdioTransport): string {
    // A secret may span several lines, so it is masked before the text is split.
    const words = this.#server.redact(stderrTail).split('\n').slice(-5).join('\n  ');
    return words === '' ? 'It wrote nothing to stderr.' : `Its last output:\n  ${words}`;
  }

  #reason(error: unknown): string {
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
      return `no answer to the handshake within ${secondsOf(this.#server.startTimeoutMs)} s (startTimeoutMs in .mcp.json)`;
    }
    return this.#server.redact(
      error instanceof z.core.$ZodError ? badGreeting(error) : errorTextWithCause(error),
    );
  }
}

/** Characters of a server's answer that a message quotes; firewalls answer with whole pages. */
const MOST_QUOTED = 400;
const NOT_ALLOWED: readonly number[] = [401, 403];
const NO_MCP_HERE: readonly number[] = [404, 405];

function remedyOf(status: number): string {
  if (NOT_ALLOWED.includes(status))
    return 'Write the key or token that it wants into "headers" in .mcp.json (Steersman does not sign in with a browser), or set "enabled": false.';
  if (NO_MCP_HERE.includes(status))
    return 'Check its address in .mcp.json: it must speak streamable HTTP, often at /mcp. An address that ends in /sse is of the older transport, which Steersman does not speak. Or set "enabled": false.';
  return 'Check that the server runs and that its address and headers in .mcp.json are right, or set "enabled": false.';
}

function badGreeting({ issues }: z.core.$ZodError): string {
  const faults = issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  return `its greeting is not valid MCP (${faults.join('; ')})`;
}

/** Servers of 2026-07-28 know no handshake: they answer that its method is unknown, or name the versions that they have. */
const REFUSES_VERSION = /protocol[ -]?version|"code":\s*-(?:32601|32022|32004)\b/i;

/** Returns what the server says of its versions, if the handshake failed because of them; otherwise null (SU3). */
function versionFault(error: unknown): string | null {
  const text = errorTextWithCause(error);
  const { code, data = {} } = error instanceof McpError ? error : { code: 0 };
  if (!REFUSES_VERSION.test(`${text} "code": ${code}`)) return null;
  const dates: string[] = `${text} ${JSON.stringify(data)}`.match(/\b20\d\d-\d\d-\d\d\b/g) ?? [];
  const theirs = new Set(dates.filter(date => !SUPPORTED_PROTOCOL_VERSIONS.includes(date)));
  return theirs.size > 0 ? `it has ${[...theirs].join(', ')}.` : text;
}

const MOST_DETAILS = 2_000;

/** Returns what an error's data says, such as which arguments are wrong. Our own functions have only a mark in it. */
function detailsOf(error: McpError, { type, redact }: ResolvedServer): string {
  const addresses = addressesIn(error);
  if (addresses.length > 0) return addresses.join(' ');
  const { data } = error;
  if (type === 'code' || data === undefined || data === null || nestsDeeper(data, MAX_JSON_DEPTH)) return '';
  // Masked before it is cut, because half a secret would not be recognised.
  return preview(redact(typeof data === 'string' ? data : JSON.stringify(data)), MOST_DETAILS);
}

/** Returns what a person must open before the call can succeed. Only the error's data contains it. */
function addressesIn(error: McpError): string[] {
  const { elicitations } = error instanceof UrlElicitationRequiredError ? error : {};
  const asked: unknown[] = Array.isArray(elicitations) ? elicitations : [];
  return asked.flatMap(one =>
    isRecord(one) && typeof one.url === 'string' ? [`${stringOr(one.message, '')} ${one.url}`.trim()] : [],
  );
}

const SESSION_GONE =
  /\bsession\b.{0,40}\b(not found|unknown|expired|invalid|terminated|does not exist)|\b(no valid|invalid|unknown|expired) (mcp )?session/i;
/** Codes of a server that has not looked at the method; a tool's own errors have others. */
const BEFORE_THE_METHOD: readonly number[] = [-32_600, -32_000, -32_001];

/** True if a server answers that it does not know the session, as some do without the protocol's status. */
function isSessionGone({ code, message }: McpError): boolean {
  return BEFORE_THE_METHOD.includes(code) && SESSION_GONE.test(message);
}

const TOO_MANY = 429;
/** Many servers answer with one of them if they do not know the session of a request. */
const NO_SUCH_SESSION: readonly number[] = [400, 410];

function ofStatus(
  { status, proof, retryAfterMs, inSession }: HttpStatusError,
  message: string,
): McpCallError {
  const isGone = NO_SUCH_SESSION.includes(status) || SESSION_GONE.test(message);
  const reconnect = proof === 'http_session_lost' || (inSession && isGone);
  const facts = { proof, status, retryAfterMs, reconnect };
  if (status === TOO_MANY) return new McpCallError('busy', message, facts);
  return new McpCallError(proof ? 'not_begun' : 'connection_lost', message, facts);
}
