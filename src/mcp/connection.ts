/** One live connection to one tool server. It never comes back to life: the pool makes a new one. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  ErrorCode,
  McpError,
  type Progress,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { errorTextWithCause } from '../core/error-text.js';
import { SteersmanError } from '../shared/errors.js';
import { AnswerWatch, answerWatch } from './answer-watch.js';
import { BusyError, McpCallError, NotSentError } from './call-failure.js';
import { serveCodeTools } from './code-tools.js';
import { createHttpTransport, isHttpError, isRefused } from './http-transport.js';
import type { ResolvedServer } from './resolve-server.js';
import { StdioTransport } from './stdio-transport.js';
import { readToolAnswer, type ToolAnswer, toolAnswerSchema } from './tool-answer.js';
import { type ListedTool, listAll, listPageSchema } from './tool-list.js';

/** Longest timer Node takes: the call's own timer is the only limit. */
const NO_TIMEOUT_MS = 2_147_483_647;
const LIST_TIMEOUT_MS = 30_000;
/** How long a broken pipe waits for the exit code that explains it. */
const EXIT_NOTICE_MS = 300;

export interface McpCall {
  /** Name on the server. */
  tool: string;
  arguments: Record<string, unknown>;
  /** Sent as the request's `_meta`. */
  meta: Record<string, unknown>;
  /** The only limit of the request. */
  timeoutMs: number;
  /** Aborting sends `notifications/cancelled`. */
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

type Transport = Awaited<ReturnType<typeof transportTo>>;

async function transportTo(server: ResolvedServer) {
  if (server.type === 'code') return serveCodeTools(server.tools, server.workspace);
  return server.type === 'stdio' ? new StdioTransport(server) : createHttpTransport(server);
}

export class McpConnection {
  readonly server: ResolvedServer;
  /** Calls in flight: a connection in use is never closed for being idle. */
  callsInFlight = 0;
  /** Entries of the last list that are left out. */
  unreadableTools = 0;
  readonly #client: Client;
  readonly #transport: Transport;
  #closed = false;
  #tools: ListedTool[] | null = null;
  #toolsEpoch = 0;

  // biome-ignore lint/style/useConsistentMemberAccessibility: JavaScript has no private constructors.
  private constructor(server: ResolvedServer, transport: Transport) {
    this.server = server;
    this.#transport = transport;
    this.#client = new Client({ name: 'steersman', version: '0.1.0' }, { capabilities: {} });
    this.#client.onclose = () => {
      this.#closed = true;
    };
    this.#client.onerror = error => answerWatch.getStore()?.failed(error);
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#toolsEpoch += 1;
      this.#tools = null;
    });
  }

  /**
   * Starts and greets the server; `signal` gives up at once.
   * @throws SteersmanError that says which server, its command or address, how it ended, and its last words.
   */
  static async open(server: ResolvedServer, signal: AbortSignal): Promise<McpConnection> {
    const connection = new McpConnection(server, await transportTo(server));
    try {
      // The SDK's transport type is not written for exactOptionalPropertyTypes.
      const transport = connection.#transport as Parameters<Client['connect']>[0];
      await connection.#client.connect(transport, { timeout: server.startTimeoutMs, signal });
      return connection;
    } catch (error) {
      const failure = await connection.#startError(error);
      await connection.close();
      throw failure;
    }
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Process id of a stdio server. */
  get pid(): number | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.pid : undefined;
  }

  /** All tools of the server, every page. Kept until the server says that they changed, if it can say so. */
  async listTools(): Promise<ListedTool[]> {
    if (this.#tools && this.#tellsChanges()) return this.#tools;
    const epoch = this.#toolsEpoch;
    const tools = await this.#listAll();
    this.#tools = epoch === this.#toolsEpoch ? tools : null;
    return tools;
  }

  /** Schema of a tool's arguments as last listed; undefined for a tool the server does not list. */
  async inputSchemaOf(tool: string): Promise<unknown> {
    const tools = this.#tools ?? (await this.listTools());
    return tools.find(({ name }) => name === tool)?.inputSchema;
  }

  /** Whether the server has the tool at this moment. */
  async listsTool(tool: string): Promise<boolean> {
    this.#tools = null;
    return (await this.listTools()).some(({ name }) => name === tool);
  }

  /** Over HTTP the channel for notifications may be down unnoticed. */
  #tellsChanges(): boolean {
    return this.server.type === 'stdio' && this.#client.getServerCapabilities()?.tools?.listChanged === true;
  }

  async #listAll(): Promise<ListedTool[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const { tools, unreadable } = await listAll(this.server.name, params => this.#listPage(params));
    this.unreadableTools = unreadable;
    return tools;
  }

  async #listPage(params: { cursor?: string }) {
    const watch = new AnswerWatch();
    const options = {
      timeout: LIST_TIMEOUT_MS,
      signal: watch.signal,
      onresumptiontoken: () => watch.resumable(),
    };
    try {
      return await answerWatch.run(watch, () =>
        this.#client.request({ method: 'tools/list', params }, listPageSchema, options),
      );
    } catch (error) {
      throw watch.givenUp ? this.#classify(error, watch) : error;
    } finally {
      watch.resumable();
    }
  }

  /**
   * Calls a tool once. Every failure is an McpCallError, whose kind says whether the server may have seen it.
   * A result that the tool itself marks as an error is a result, not a failure.
   */
  async callTool(call: McpCall): Promise<ToolAnswer> {
    if (this.#closed) throw new McpCallError('not_sent', this.describeEnd());
    const watch = new AnswerWatch();
    const timer = setTimeout(() => watch.give('timed_out'), Math.min(call.timeoutMs, NO_TIMEOUT_MS));
    const onAbort = () => watch.give('aborted');
    if (call.signal.aborted) onAbort();
    call.signal.addEventListener('abort', onAbort);
    this.callsInFlight += 1;
    try {
      const options: RequestOptions = {
        signal: watch.signal,
        timeout: NO_TIMEOUT_MS,
        onprogress: call.onProgress,
        onresumptiontoken: () => watch.resumable(),
      };
      return await answerWatch.run(watch, () => this.#request(call, options));
    } catch (error) {
      throw this.#classify(error, watch);
    } finally {
      this.callsInFlight -= 1;
      clearTimeout(timer);
      call.signal.removeEventListener('abort', onAbort);
      // Keeps a late end of stream from cancelling what is already answered.
      watch.resumable();
    }
  }

  async #request(call: McpCall, options: RequestOptions): Promise<ToolAnswer> {
    // Not `client.callTool`, which throws away a result that does not fit the tool's own output schema, nor the
    // protocol's own form, with which one odd part costs all.
    const params = { name: call.tool, arguments: call.arguments, _meta: call.meta };
    return readToolAnswer(
      await this.#client.request({ method: 'tools/call', params }, toolAnswerSchema, options),
    );
  }

  #classify(error: unknown, { givenUp, words }: AnswerWatch): McpCallError {
    const message = this.server.redact(errorTextWithCause(error));
    if (error instanceof BusyError)
      return new McpCallError('busy', message, { retryAfterMs: error.retryAfterMs });
    if (error instanceof NotSentError)
      return new McpCallError('not_sent', this.#closed ? this.describeEnd() : message);
    const instead = this.server.redact(words);
    if (givenUp === 'no_answer') {
      const ended = 'the connection closed before the answer came';
      return new McpCallError('connection_lost', instead === '' ? ended : `${ended}; ${instead}`);
    }
    if (givenUp) return new McpCallError(givenUp, instead);
    if (this.#closed) return new McpCallError('connection_lost', this.describeEnd());
    if (isRefused(error)) return new McpCallError('not_sent', `it answered HTTP ${error.code}: ${message}`);
    if (isHttpError(error)) return new McpCallError('connection_lost', message);
    if (error instanceof McpError) return new McpCallError('rejected', message, { code: error.code });
    if (error instanceof z.core.$ZodError) {
      return new McpCallError('rejected', 'the tool ran, and its answer is not a valid MCP tool result');
    }
    return new McpCallError('connection_lost', message);
  }

  /** How a stdio server ended, with its last words; a general phrase for others. Secrets are hidden. */
  describeEnd(): string {
    if (!(this.#transport instanceof StdioTransport)) return 'the connection was closed';
    return `the server ${this.#transport.ending || 'was closed'}. ${this.#lastWords()}`;
  }

  #lastWords(): string {
    if (!(this.#transport instanceof StdioTransport)) return '';
    const words = this.#transport.stderrTail.split('\n').slice(-5).join('\n  ');
    return words === '' ? 'It wrote nothing to stderr.' : `Its last output:\n  ${this.server.redact(words)}`;
  }

  async #startError(error: unknown): Promise<SteersmanError> {
    const { name, label } = this.server;
    if (!(this.#transport instanceof StdioTransport)) {
      return new SteersmanError(
        `Tool server ${name} can not be reached (address: ${label}): ${this.#reason(error)}`,
        'Check that the server runs and that its address and headers in .mcp.json are right, or set "enabled": false.',
      );
    }
    // A broken pipe is noticed before the exit that caused it, and the exit code says more.
    if (error instanceof NotSentError) await this.#transport.endsWithin(EXIT_NOTICE_MS);
    const hasStarted = this.#transport.pid !== undefined;
    const why = this.#transport.ending ? this.describeEnd() : this.#reason(error);
    const more = hasStarted && !this.#transport.ending ? `. ${this.#lastWords()}` : '';
    return new SteersmanError(
      `Tool server ${name} did not start (command: ${label}): ${why}${more}`,
      `Run the command by hand to see why, mend it in .mcp.json, or set "enabled": false for ${name}.`,
    );
  }

  #reason(error: unknown): string {
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
      return `no answer to the handshake within ${this.server.startTimeoutMs / 1000} s (startTimeoutMs in .mcp.json)`;
    }
    const status = isHttpError(error) && (error.code ?? 0) >= 400 ? `it answered HTTP ${error.code}: ` : '';
    return this.server.redact(`${status}${errorTextWithCause(error)}`);
  }

  /** Ends the connection; a stdio server's process is gone when this resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    if ('terminateSession' in this.#transport && this.#transport.sessionId !== undefined) {
      await this.#transport.terminateSession().catch(() => undefined);
    }
    // Twice is harmless: the client forgets its transport when the handshake fails.
    await this.#transport.close();
  }
}
