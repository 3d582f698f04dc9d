/** Why a server did not start, or a request to it has no answer: for people and for whoever made the call. */
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { errorTextWithCause, secondsOf } from '../../core/text/error-text.js';
import { SteersmanError } from '../../shared/errors.js';
import { HttpStatusError, McpCallError, NotBegunError } from '../call-failure.js';
import { saysNotCalled } from '../code-tools.js';
import type { ResolvedServer } from '../resolve-server.js';
import type { AnswerWatch } from './answer-watch.js';
import { StdioTransport } from './stdio-transport.js';

/** How long a broken pipe waits for the exit code that explains it. */
const EXIT_NOTICE_MS = 300;

export class FailureWords {
  readonly #server: ResolvedServer;
  /** Where its process is ours. */
  readonly #process: StdioTransport | null;

  constructor(server: ResolvedServer, transport: unknown) {
    this.#server = server;
    this.#process = transport instanceof StdioTransport ? transport : null;
  }

  /** What became of a request. `closed`: its connection has ended. `badAnswer`: said of an answer that is no MCP. */
  ofRequest(
    error: unknown,
    { givenUp, words }: AnswerWatch,
    { closed, badAnswer }: { closed: boolean; badAnswer: string },
  ): McpCallError {
    const message = this.#server.redact(errorTextWithCause(error));
    if (error instanceof NotBegunError) {
      const facts = { proof: error.proof, reconnect: true };
      return new McpCallError('not_begun', closed ? this.ofEnd() : message, facts);
    }
    if (error instanceof HttpStatusError) return ofStatus(error, message);
    const instead = this.#server.redact(words);
    if (givenUp === 'no_answer') {
      const ended = 'the connection closed before the answer came';
      return new McpCallError('connection_lost', instead === '' ? ended : `${ended}; ${instead}`);
    }
    if (givenUp) return new McpCallError(givenUp, instead);
    if (closed) return new McpCallError('connection_lost', this.ofEnd());
    if (error instanceof McpError) {
      const notCalled = this.#server.type === 'code' && saysNotCalled(error.data);
      return new McpCallError('rejected', message, { code: error.code, notCalled });
    }
    if (error instanceof z.core.$ZodError) return new McpCallError('rejected', badAnswer);
    return new McpCallError('connection_lost', message);
  }

  /** How a stdio server ended, with its last words; a general phrase for others. Secrets are hidden. */
  ofEnd(): string {
    if (this.#process === null) return 'the connection was closed';
    return `the server ${this.#process.ending || 'was closed'}. ${this.#lastWords(this.#process)}`;
  }

  async ofStart(error: unknown): Promise<SteersmanError> {
    const { name, label } = this.#server;
    if (this.#process === null) {
      return new SteersmanError(
        `Tool server ${name} can not be reached (address: ${label}): ${this.#reason(error)}`,
        'Check that the server runs and that its address and headers in .mcp.json are right, or set "enabled": false.',
      );
    }
    // A broken pipe is noticed before the exit that caused it, and the exit code says more.
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
    // A value may have several lines.
    const words = this.#server.redact(stderrTail).split('\n').slice(-5).join('\n  ');
    return words === '' ? 'It wrote nothing to stderr.' : `Its last output:\n  ${words}`;
  }

  #reason(error: unknown): string {
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
      return `no answer to the handshake within ${secondsOf(this.#server.startTimeoutMs)} s (startTimeoutMs in .mcp.json)`;
    }
    return this.#server.redact(errorTextWithCause(error));
  }
}

const TOO_MANY = 429;
/** In a session: many servers answer so to a session that they do not know. */
const BAD_REQUEST = 400;

function ofStatus(
  { status, proof, retryAfterMs, inSession }: HttpStatusError,
  message: string,
): McpCallError {
  const reconnect = proof === 'http_session_lost' || (inSession && status === BAD_REQUEST);
  const facts = { proof, status, retryAfterMs, reconnect };
  if (status === TOO_MANY) return new McpCallError('busy', message, facts);
  return new McpCallError(proof ? 'not_begun' : 'connection_lost', message, facts);
}
