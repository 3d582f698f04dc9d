/** One live connection to one tool server. A closed connection is not reopened; the pool makes a new one. */

import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type Progress, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { errorText } from '../../base/text/error-text.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { onAbort } from '../../shared/waits.js';
import { STOP_METHOD } from '../tools/code-tools.js';
import { readToolAnswer, type ToolAnswer, toolAnswerSchema } from '../tools/tool-answer.js';
import { answerWatch, CallTimer, type NoAnswer } from './answer-watch.js';
import { McpCallError } from './call-failure.js';
import { type Asked, clientFor, type Running, type Transport, transportTo } from './client-for.js';
import { answerApart } from './http-transport.js';
import { NO_TIMEOUT_MS, Requests } from './requests.js';
import type { ResolvedServer } from './resolve-server.js';
import { resourceAnswerSchema, resourceContent, resourceRequest } from './resource-tools.js';
import { type ListedTool, ServerTools } from './server-tools.js';
import { StdioTransport } from './stdio-transport.js';

const BAD_RESULT = 'the tool ran, and its answer is not a valid MCP tool result';

export interface McpCall extends Asked {
  /** The name on the server. */
  tool: string;
  arguments: Record<string, unknown>;
  /** Sent as the request's `_meta`. */
  meta: Record<string, unknown>;
  /** The only limit of the request, milliseconds. */
  timeoutMs: number;
  /** Aborting it makes the server cancel the call. */
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

export class McpConnection {
  readonly server: ResolvedServer;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #tools: ServerTools;
  readonly #calls = new Set<Running>();
  readonly #requests: Requests;
  #underWay = 0;
  /** Resolves `closeWhenIdle` once no request is running. */
  #onIdle: (() => void) | null = null;

  // biome-ignore lint/style/useConsistentMemberAccessibility: JavaScript has no private constructors.
  private constructor(server: ResolvedServer, transport: Transport) {
    this.server = server;
    this.#transport = transport;
    this.#client = clientFor(server, this.#calls);
    this.#requests = new Requests(this.#client, server, transport);
    this.#tools = new ServerTools(server, this.#client, this.#requests);
    this.#client.onclose = () => {
      this.#requests.closed = true;
    };
    this.#client.onerror = error => answerWatch.getStore()?.failed(error);
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#tools.changed());
  }

  /**
   * Starts the server and performs the handshake; `signal` aborts both at once.
   * @throws SteersmanError naming the server, its command or address, how it ended, and its last output.
   */
  static async open(server: ResolvedServer, signal: AbortSignal): Promise<McpConnection> {
    const connection = new McpConnection(server, await transportTo(server));
    await connection.#start(signal);
    return connection;
  }

  async #start(signal: AbortSignal): Promise<void> {
    // The SDK never removes its listener from a signal, and this one outlives the connection.
    const giveUp = new AbortController();
    const release = onAbort(signal, () => giveUp.abort(signal.reason));
    try {
      // The SDK's transport type is not written for exactOptionalPropertyTypes.
      const transport = this.#transport as Parameters<Client['connect']>[0];
      const options = { timeout: this.server.startTimeoutMs, signal: giveUp.signal };
      await this.#client.connect(transport, options);
      answerApart(transport);
    } catch (error) {
      const failure = await this.#requests.ofStart(error);
      await this.close();
      throw failure;
    } finally {
      release();
    }
  }

  /** True if no request is running. A busy connection is not closed while the worker runs. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** True if the next caller needs another connection: this one is closed, lost its session, or can't reach its server. */
  get closed(): boolean {
    return this.#requests.closed || this.#requests.isUseless;
  }

  get pid(): number | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.pid : undefined;
  }

  get hasPrompts(): boolean {
    return this.#client.getServerCapabilities()?.prompts !== undefined;
  }

  /** When the server last reported that its tools changed, milliseconds since the epoch; null if it never did. */
  get toolsChangedAt(): number | null {
    return this.#tools.changedAt;
  }

  get unreadableTools(): number {
    return this.#tools.unreadable;
  }

  /** Returns all tools of the server. The list is cached until the server reports a change, if it can report one. */
  listTools(): Promise<ListedTool[]> {
    return this.#during(() => this.#tools.list());
  }

  /** Returns a tool as last listed; the list is read again if the tool is missing. Undefined if the server does not list it. */
  findTool(tool: string): Promise<ListedTool | undefined> {
    return this.#tools.find(tool);
  }

  /** Returns how a stdio server ended, with its last output; a general phrase for others. */
  describeEnd(): string {
    return this.#requests.ofEnd();
  }

  /** Sends a request other than a tool call, for at most `timeoutMs` (default 30 s). @throws SteersmanError with the cause. */
  async request<T extends z.ZodType>(
    asked: { method: string; params: Record<string, unknown> },
    answer: T,
    timeoutMs?: number,
  ): Promise<z.output<T>> {
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    try {
      return await this.#during(() => this.#requests.ask(asked, answer, options));
    } catch (error) {
      const where = `Tool server ${this.server.name}, ${asked.method}`;
      throw new SteersmanError(`${where}: ${errorText(error)}`, '', 'rejected');
    }
  }

  /**
   * Calls a tool once. Every failure is an McpCallError, whose kind says whether the server may have received the call.
   * A result that the tool itself marks as an error is a result, not a failure.
   */
  async callTool(call: McpCall): Promise<ToolAnswer> {
    if (this.#requests.closed)
      throw new McpCallError('not_begun', this.describeEnd(), { proof: 'not_sent', reconnect: true });
    const over = new AbortController();
    const giveUp = (reason: NoAnswer) => over.abort(reason);
    const timer = new CallTimer(call.timeoutMs, () => giveUp('timed_out'));
    const release = onAbort(call.signal, () => giveUp('aborted'));
    const running: Running = { call, timer };
    this.#calls.add(running);
    try {
      return await this.#during(() => this.#call(call, over.signal));
    } finally {
      this.#calls.delete(running);
      timer.stop();
      release();
    }
  }

  /** Tells one of our own tools to stop; its call still gets an answer. */
  async tellStop(idempotencyKey: string): Promise<void> {
    await this.#client
      .notification({ method: STOP_METHOD, params: { idempotencyKey } })
      .catch(() => undefined);
  }

  async #call({ tool, onProgress, ...call }: McpCall, over: AbortSignal): Promise<ToolAnswer> {
    // The call's own timer is the only limit.
    const options = { timeoutMs: NO_TIMEOUT_MS, over, onProgress, badAnswer: BAD_RESULT };
    if (await this.#isForResources(tool)) {
      const asked = resourceRequest(tool, call.arguments);
      return readToolAnswer(resourceContent(await this.#requests.ask(asked, resourceAnswerSchema, options)));
    }
    // `client.callTool` is avoided because it discards a result that does not fit the tool's output schema. The
    // protocol's own schema is avoided because one invalid part would reject the whole result.
    const asked = {
      method: 'tools/call',
      params: { name: tool, arguments: call.arguments, _meta: call.meta },
    };
    return readToolAnswer(await this.#requests.ask(asked, toolAnswerSchema, options));
  }

  #isForResources(tool: string): Promise<boolean> {
    return this.#tools.isForResources(tool).catch(error => {
      this.#requests.isUseless = true;
      throw new McpCallError('not_begun', errorText(error), { proof: 'not_sent', reconnect: true });
    });
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.isIdle) this.#onIdle?.();
    }
  }

  /** Closes the connection once it is idle, so that its trouble does not affect other runs. */
  async closeWhenIdle(): Promise<void> {
    this.#requests.isUseless = true;
    if (!this.isIdle)
      await new Promise<void>(resolve => {
        this.#onIdle = resolve;
      });
    await this.close();
  }

  /** Closes the connection; a stdio server's process has ended when this resolves. */
  async close(): Promise<void> {
    this.#requests.closed = true;
    this.#onIdle?.();
    if ('terminateSession' in this.#transport && this.#transport.sessionId !== undefined)
      await this.#transport.terminateSession().catch(() => undefined);
    // Closing the transport again is harmless. It is needed because the client forgets its transport if the handshake
    // fails.
    await this.#transport.close();
  }
}
