/** One live connection to one tool server. It never comes back to life: the pool makes a new one. */

import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CreateMessageRequest,
  CreateMessageRequestSchema,
  type CreateMessageResult,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  ErrorCode,
  ListRootsRequestSchema,
  McpError,
  type Progress,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { errorTextWithCause } from '../core/error-text.js';
import type { FormQuestion } from '../core/gates/form.js';
import { SteersmanError } from '../shared/errors.js';
import { AnswerWatch, answerWatch } from './answer-watch.js';
import { BusyError, McpCallError, NotSentError } from './call-failure.js';
import { CallTimer } from './call-timer.js';
import { serveCodeTools } from './code-tools.js';
import { createHttpTransport, isHttpError, isRefused } from './http-transport.js';
import type { ResolvedServer } from './resolve-server.js';
import {
  resourceAnswerSchema,
  resourceContent,
  resourceRequest,
  resourceToolsBeside,
} from './resource-tools.js';
import { StdioTransport } from './stdio-transport.js';
import { readToolAnswer, type ToolAnswer, toolAnswerSchema } from './tool-answer.js';
import { type ListedTool, listAll, listPageSchema } from './tool-list.js';

/** Longest timer Node takes: the call's own timer is the only limit. */
const NO_TIMEOUT_MS = 2_147_483_647;
/** For a request that is no call of a tool. */
const REQUEST_TIMEOUT_MS = 30_000;
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
  /** Puts what the server asks to a person, while the call's time stands still. Default: it is declined. */
  onForm?: (question: FormQuestion, signal: AbortSignal) => Promise<ElicitResult>;
  /** Asks a model for the server. Default: refused. */
  onSample?: (params: SampleParams, signal: AbortSignal) => Promise<CreateMessageResult>;
}

export type SampleParams = CreateMessageRequest['params'];

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
  readonly #calls = new Set<{ call: McpCall; timer: CallTimer }>();
  /** Entries of the last list that are left out. */
  unreadableTools = 0;
  readonly #client: Client;
  readonly #transport: Transport;
  #closed = false;
  #tools: ListedTool[] | null = null;
  /** Tools of ours that stand for its resources; null before its tools are listed. */
  #resourceTools: ReadonlySet<string> | null = null;
  #toolsEpoch = 0;
  /** When the server last said that its tools changed, milliseconds since the epoch. */
  toolsChangedAt: number | null = null;

  // biome-ignore lint/style/useConsistentMemberAccessibility: JavaScript has no private constructors.
  private constructor(server: ResolvedServer, transport: Transport) {
    this.server = server;
    this.#transport = transport;
    this.#client = clientFor(server);
    if (server.type !== 'code')
      this.#client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) =>
        this.#ask(params, signal),
      );
    if (server.sampling)
      this.#client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { signal }) =>
        this.#sample(params, signal),
      );
    this.#client.onclose = () => {
      this.#closed = true;
    };
    this.#client.onerror = error => answerWatch.getStore()?.failed(error);
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#toolsEpoch += 1;
      this.toolsChangedAt = Date.now();
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

  /** All tools of the server, every page. Kept until the server says that they changed, if it can say so. */
  async listTools(): Promise<ListedTool[]> {
    if (this.#tools && this.#tellsChanges()) return this.#tools;
    const epoch = this.#toolsEpoch;
    const tools = await this.#listAll();
    this.#tools = epoch === this.#toolsEpoch ? tools : null;
    return tools;
  }

  get hasPrompts(): boolean {
    return this.#client.getServerCapabilities()?.prompts !== undefined;
  }

  /** Asks what is no call of a tool, for at most 30 s. @throws SteersmanError that says which server, and why. */
  async request<T extends z.ZodType>(
    asked: { method: string; params: Record<string, unknown> },
    answer: T,
  ): Promise<z.output<T>> {
    const watch = new AnswerWatch();
    const options = {
      timeout: REQUEST_TIMEOUT_MS,
      signal: watch.signal,
      onresumptiontoken: () => watch.resumable(),
    };
    try {
      return await answerWatch.run(watch, () => this.#client.request(asked, answer, options));
    } catch (error) {
      const why =
        error instanceof z.core.$ZodError
          ? 'its answer is not valid MCP'
          : this.#classify(error, watch).message;
      throw new SteersmanError(`Tool server ${this.server.name}, ${asked.method}: ${why}`, '', 'rejected');
    } finally {
      watch.resumable();
    }
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
    const { tools: hasTools, resources: hasResources } = this.#client.getServerCapabilities() ?? {};
    const none = { tools: [], unreadable: 0 };
    const { tools, unreadable } = hasTools
      ? await listAll(this.server.name, (params, timeout) => this.#listPage(params, timeout))
      : none;
    this.unreadableTools = unreadable;
    const own = hasResources ? resourceToolsBeside(tools) : [];
    this.#resourceTools = new Set(own.map(({ name }) => name));
    return [...tools, ...own];
  }

  async #listPage(params: { cursor?: string }, timeout: number) {
    const watch = new AnswerWatch();
    const options = {
      timeout,
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
    const timer = new CallTimer(call.timeoutMs, () => watch.give('timed_out'));
    const running = { call, timer };
    const onAbort = () => watch.give('aborted');
    if (call.signal.aborted) onAbort();
    call.signal.addEventListener('abort', onAbort);
    this.#calls.add(running);
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
      this.#calls.delete(running);
      timer.stop();
      call.signal.removeEventListener('abort', onAbort);
      // Keeps a late end of stream from cancelling what is already answered.
      watch.resumable();
    }
  }

  /** What a server asks belongs to the one call that runs; of several, nobody can tell to which. */
  #sample(params: SampleParams, signal: AbortSignal): Promise<CreateMessageResult> {
    const [running, ...others] = this.#calls;
    if (!running?.call.onSample || others.length > 0)
      throw new McpError(
        ErrorCode.InvalidRequest,
        'a model is asked for the one call that runs, where it may be',
      );
    return running.call.onSample(params, AbortSignal.any([signal, running.call.signal]));
  }

  async #ask(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    const [running, ...others] = this.#calls;
    if (!running || others.length > 0 || !('requestedSchema' in params)) return { action: 'cancel' };
    const { call, timer } = running;
    if (!call.onForm) return { action: 'decline' };
    timer.pause();
    try {
      const schema: Record<string, unknown> = { ...params.requestedSchema };
      return await call.onForm({ message: params.message, schema }, AbortSignal.any([signal, call.signal]));
    } finally {
      timer.resume();
    }
  }

  async #request(call: McpCall, options: RequestOptions): Promise<ToolAnswer> {
    // Not `client.callTool`, which throws away a result that does not fit the tool's own output schema, nor the
    // protocol's own form, with which one odd part costs all.
    if (this.#resourceTools === null && this.#client.getServerCapabilities()?.resources)
      await this.listTools();
    if (this.#resourceTools?.has(call.tool)) return this.#resource(call, options);
    const params = { name: call.tool, arguments: call.arguments, _meta: call.meta };
    return readToolAnswer(
      await this.#client.request({ method: 'tools/call', params }, toolAnswerSchema, options),
    );
  }

  async #resource(call: McpCall, options: RequestOptions): Promise<ToolAnswer> {
    const asked = resourceRequest(call.tool, call.arguments);
    return readToolAnswer(resourceContent(await this.#client.request(asked, resourceAnswerSchema, options)));
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
