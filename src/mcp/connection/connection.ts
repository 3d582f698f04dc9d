/** One live connection to one tool server. A closed connection is not reopened; the pool makes a new one. */

import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type Progress, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { errorText } from '../../base/text/error-text.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { STOP_METHOD } from '../tools/code-tools.js';
import { readToolAnswer, type ToolAnswer, toolAnswerSchema } from '../tools/tool-answer.js';
import { answerWatch, CallTimer, type GivenUp } from './answer-watch.js';
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
  /** Name on the server. */
  tool: string;
  arguments: Record<string, unknown>;
  /** Sent as the request's `_meta`. */
  meta: Record<string, unknown>;
  /** The only limit of the request. */
  timeoutMs: number;
  /** Aborting tells the server to cancel it. */
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
  /** Waits for the moment at which nothing is under way. */
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
   * Starts and greets the server; `signal` gives up at once.
   * @throws SteersmanError that says which server, its command or address, how it ended, and its last words.
   */
  static async open(server: ResolvedServer, signal: AbortSignal): Promise<McpConnection> {
    const connection = new McpConnection(server, await transportTo(server));
    await connection.#start(signal);
    return connection;
  }

  async #start(signal: AbortSignal): Promise<void> {
    // The SDK listens to a signal for ever, and this one outlives the connection.
    const giveUp = new AbortController();
    const onAbort = () => giveUp.abort(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
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
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Nothing is under way on it. Else it is never closed while the worker runs. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** The next caller needs another connection: this one is closed, lost its session, or cannot reach its server. */
  get closed(): boolean {
    return this.#requests.closed || this.#requests.isUseless;
  }

  get pid(): number | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.pid : undefined;
  }

  get hasPrompts(): boolean {
    return this.#client.getServerCapabilities()?.prompts !== undefined;
  }

  /** When the server last said that its tools changed, milliseconds since the epoch. */
  get toolsChangedAt(): number | null {
    return this.#tools.changedAt;
  }

  get unreadableTools(): number {
    return this.#tools.unreadable;
  }

  /** All tools of the server, every page. Kept until the server says that they changed, if it can say so. */
  listTools(): Promise<ListedTool[]> {
    return this.#during(() => this.#tools.list());
  }

  /**
   * A tool as last listed; one that was not there is looked for anew. Undefined for one that the server does not list.
   */
  findTool(tool: string): Promise<ListedTool | undefined> {
    return this.#tools.find(tool);
  }

  /** How a stdio server ended, with its last words; a general phrase for others. */
  describeEnd(): string {
    return this.#requests.ofEnd();
  }

  /**
   * Sends a request other than a tool call, for at most 30 s, or so long. @throws SteersmanError that says which server, and why.
   */
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
   * Calls a tool once. Every failure is an McpCallError, whose kind says whether the server may have seen it.
   * A result that the tool itself marks as an error is a result, not a failure.
   */
  async callTool(call: McpCall): Promise<ToolAnswer> {
    if (this.#requests.closed)
      throw new McpCallError('not_begun', this.describeEnd(), { proof: 'not_sent', reconnect: true });
    const over = new AbortController();
    const giveUp = (reason: GivenUp) => over.abort(reason);
    const timer = new CallTimer(call.timeoutMs, () => giveUp('timed_out'));
    const onAbort = () => giveUp('aborted');
    if (call.signal.aborted) onAbort();
    call.signal.addEventListener('abort', onAbort);
    const running: Running = { call, timer };
    this.#calls.add(running);
    try {
      return await this.#during(() => this.#call(call, over.signal));
    } finally {
      this.#calls.delete(running);
      timer.stop();
      call.signal.removeEventListener('abort', onAbort);
    }
  }

  /** Tells a tool of ours to stop: its call still has an answer. */
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
    // Not `client.callTool`, which throws away a result that does not fit the tool's own output schema, nor the
    // protocol's own form, with which one odd part costs all.
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

  /** Closes the connection once it is idle, so that its trouble does not reach other runs. */
  async closeWhenIdle(): Promise<void> {
    this.#requests.isUseless = true;
    if (!this.isIdle)
      await new Promise<void>(resolve => {
        this.#onIdle = resolve;
      });
    await this.close();
  }

  /** Ends the connection; a stdio server's process is gone when this resolves. */
  async close(): Promise<void> {
    this.#requests.closed = true;
    this.#onIdle?.();
    if ('terminateSession' in this.#transport && this.#transport.sessionId !== undefined)
      await this.#transport.terminateSession().catch(() => undefined);
    // Twice is harmless: the client forgets its transport when the handshake fails.
    await this.#transport.close();
  }
}
