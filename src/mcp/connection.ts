/** One live connection to one tool server. It never comes back to life: the pool makes a new one. */

import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ListRootsRequestSchema,
  type Progress,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { errorText } from '../core/error-text.js';
import { SteersmanError } from '../shared/errors.js';
import { AnswerWatch, answerWatch, type GivenUp } from './answer-watch.js';
import { McpCallError } from './call-failure.js';
import { CallTimer } from './call-timer.js';
import { serveCodeTools } from './code-tools.js';
import { FailureWords } from './failure-words.js';
import { createHttpTransport } from './http-transport.js';
import type { ResolvedServer } from './resolve-server.js';
import { resourceAnswerSchema, resourceContent, resourceRequest } from './resource-tools.js';
import { type Asked, RunningCalls } from './running-calls.js';
import { ServerTools } from './server-tools.js';
import { StdioTransport } from './stdio-transport.js';
import { readToolAnswer, type ToolAnswer, toolAnswerSchema } from './tool-answer.js';
import { type ListedTool, listPageSchema } from './tool-list.js';

/** Longest timer Node takes: the call's own timer is the only limit. */
const NO_TIMEOUT_MS = 2_147_483_647;
/** For a request that is no call of a tool. */
const REQUEST_TIMEOUT_MS = 30_000;
const BAD_RESULT = 'the tool ran, and its answer is not a valid MCP tool result';

export interface McpCall extends Asked {
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

interface AskOptions {
  timeoutMs: number;
  /** Gives the request up, for its reason. */
  over?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** What is said of an answer that is no MCP. */
  badAnswer?: string;
}

type Transport = Awaited<ReturnType<typeof transportTo>>;

async function transportTo(server: ResolvedServer) {
  if (server.type === 'code') return serveCodeTools(server.tools, server.workspace);
  return server.type === 'stdio' ? new StdioTransport(server) : createHttpTransport(server);
}

/** It says what it can do by what is served here, and no more. */
function clientFor({ root, type, sampling }: ResolvedServer): Client {
  const capabilities = {
    ...(root !== null && { roots: {} }),
    ...(type !== 'code' && { elicitation: { form: {} } }),
    ...(sampling && { sampling: {} }),
  };
  const client = new Client({ name: 'steersman', version: '0.1.0' }, { capabilities });
  if (root !== null) {
    const roots = [{ uri: pathToFileURL(root).href, name: basename(root) }];
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  }
  return client;
}

export class McpConnection {
  readonly server: ResolvedServer;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #tools: ServerTools;
  readonly #calls = new RunningCalls();
  readonly #words: FailureWords;
  #closed = false;

  // biome-ignore lint/style/useConsistentMemberAccessibility: JavaScript has no private constructors.
  private constructor(server: ResolvedServer, transport: Transport) {
    this.server = server;
    this.#transport = transport;
    this.#client = clientFor(server);
    this.#words = new FailureWords(server, transport);
    this.#tools = new ServerTools({
      name: server.name,
      capabilities: () => this.#client.getServerCapabilities(),
      hearsChanges: server.type === 'stdio',
      askFor: (params, timeoutMs) =>
        this.#ask({ method: 'tools/list', params }, listPageSchema, { timeoutMs }),
    });
    this.#calls.serve(this.#client, server);
    this.#client.onclose = () => {
      this.#closed = true;
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
    try {
      // The SDK's transport type is not written for exactOptionalPropertyTypes.
      const transport = connection.#transport as Parameters<Client['connect']>[0];
      await connection.#client.connect(transport, { timeout: server.startTimeoutMs, signal });
      return connection;
    } catch (error) {
      const failure = await connection.#words.ofStart(error);
      await connection.close();
      throw failure;
    }
  }

  /** A connection in use is never closed for being idle. */
  get callsInFlight(): number {
    return this.#calls.size;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Process id of a stdio server. */
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

  /** Entries of the last list of tools that are left out. */
  get unreadableTools(): number {
    return this.#tools.unreadable;
  }

  /** All tools of the server, every page. Kept until the server says that they changed, if it can say so. */
  listTools(): Promise<ListedTool[]> {
    return this.#tools.list();
  }

  /** Schema of a tool's arguments as last listed; undefined for a tool the server does not list. */
  inputSchemaOf(tool: string): Promise<unknown> {
    return this.#tools.inputSchemaOf(tool);
  }

  /** Whether the server has the tool at this moment. */
  listsTool(tool: string): Promise<boolean> {
    return this.#tools.lists(tool);
  }

  /** How a stdio server ended, with its last words; a general phrase for others. */
  describeEnd(): string {
    return this.#words.ofEnd();
  }

  /** Asks what is no call of a tool, for at most 30 s. @throws SteersmanError that says which server, and why. */
  async request<T extends z.ZodType>(
    asked: { method: string; params: Record<string, unknown> },
    answer: T,
  ): Promise<z.output<T>> {
    try {
      return await this.#ask(asked, answer, { timeoutMs: REQUEST_TIMEOUT_MS });
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
    if (this.#closed) throw new McpCallError('not_sent', this.describeEnd());
    const over = new AbortController();
    const giveUp = (reason: GivenUp) => over.abort(reason);
    const timer = new CallTimer(call.timeoutMs, () => giveUp('timed_out'));
    const onAbort = () => giveUp('aborted');
    if (call.signal.aborted) onAbort();
    call.signal.addEventListener('abort', onAbort);
    const end = this.#calls.begin({ call, timer });
    try {
      return await this.#call(call, over.signal);
    } finally {
      end();
      timer.stop();
      call.signal.removeEventListener('abort', onAbort);
    }
  }

  async #call(call: McpCall, over: AbortSignal): Promise<ToolAnswer> {
    const { onProgress } = call;
    const options = { timeoutMs: NO_TIMEOUT_MS, over, onProgress, badAnswer: BAD_RESULT };
    if (await this.#tools.isOfResources(call.tool)) {
      const asked = resourceRequest(call.tool, call.arguments);
      return readToolAnswer(resourceContent(await this.#ask(asked, resourceAnswerSchema, options)));
    }
    // Not `client.callTool`, which throws away a result that does not fit the tool's own output schema, nor the
    // protocol's own form, with which one odd part costs all.
    const params = { name: call.tool, arguments: call.arguments, _meta: call.meta };
    return readToolAnswer(await this.#ask({ method: 'tools/call', params }, toolAnswerSchema, options));
  }

  /** One request and its answer. @throws McpCallError. */
  async #ask<T extends z.ZodType>(
    asked: { method: string; params: Record<string, unknown> },
    answer: T,
    { timeoutMs, over, onProgress, badAnswer = 'its answer is not valid MCP' }: AskOptions,
  ): Promise<z.output<T>> {
    const watch = new AnswerWatch();
    const onOver = () => watch.give(over?.reason);
    if (over?.aborted) onOver();
    over?.addEventListener('abort', onOver);
    const options = {
      signal: watch.signal,
      timeout: timeoutMs,
      ...(onProgress && { onprogress: onProgress }),
      onresumptiontoken: () => watch.resumable(),
    };
    try {
      return await answerWatch.run(watch, () => this.#client.request(asked, answer, options));
    } catch (error) {
      throw this.#words.ofRequest(error, watch, { closed: this.#closed, badAnswer });
    } finally {
      over?.removeEventListener('abort', onOver);
      // Keeps a late end of stream from cancelling what is already answered.
      watch.resumable();
    }
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
