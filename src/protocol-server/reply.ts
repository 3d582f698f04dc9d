/** Writes one streamed reply of the OpenAI protocol, or one error. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

export type WireFinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** Token counts as the wire reports them. */
export interface WireUsage {
  promptTokens: number;
  completionTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
}

export interface ReplyInfo {
  index: number;
  model: string;
}

/** What goes wrong over HTTP: the body defaults to the protocol's error shape. */
export interface WireError {
  status: number;
  message?: string;
  type?: string;
  code?: string | null;
  param?: string | null;
  headers?: Record<string, string>;
  /** Sent as it is instead of the protocol's error shape. */
  body?: string;
}

export class ReplyWriter {
  readonly #res: ServerResponse;
  readonly #info: ReplyInfo;
  readonly #withUsage: boolean;
  /** Unique for each reply: caches and measurements key on it. */
  readonly id = `chatcmpl-${randomUUID()}`;
  servedModel: string;

  constructor(res: ServerResponse, info: ReplyInfo, withUsage: boolean) {
    this.#res = res;
    this.#info = info;
    this.#withUsage = withUsage;
    this.servedModel = info.model;
  }

  /** Sends the headers and the first chunk, which names the role. Called by the other methods when needed. */
  open(): void {
    if (this.#res.headersSent) return;
    this.#res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    this.#delta({ role: 'assistant', content: '' });
  }

  text(text: string): void {
    this.open();
    this.#delta({ content: text });
  }

  /** Thinking text, in the field that most endpoints use. */
  reasoning(text: string): void {
    this.open();
    this.#delta({ reasoning_content: text });
  }

  /** Begins a tool call; leave out `id` to play an endpoint that gives none. */
  toolStart(index: number, name: string, id?: string): void {
    this.open();
    const call = {
      index,
      ...(id === undefined ? {} : { id }),
      type: 'function',
      function: { name, arguments: '' },
    };
    this.#delta({ tool_calls: [call] });
  }

  toolInput(index: number, text: string): void {
    this.open();
    this.#delta({ tool_calls: [{ index, function: { arguments: text } }] });
  }

  /** Ends the reply. Usage is sent only to a client that asked for it; `null` for an endpoint that reports none. */
  finish(reason: WireFinishReason, usage: WireUsage | null): void {
    this.open();
    this.#event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    if (usage && this.#withUsage) this.#event({ choices: [], usage: toWireUsage(usage) });
    this.#res.end('data: [DONE]\n\n');
  }

  /** An HTTP error; after the reply has begun, an error event in the stream. */
  error(error: WireError): void {
    const { status, message = `HTTP ${status}`, type = 'error', code = null, param = null } = error;
    const body = error.body ?? JSON.stringify({ error: { message, type, code, param } });
    if (this.#res.headersSent) {
      this.#res.end(`data: ${body}\n\n`);
      return;
    }
    this.#res.writeHead(status, { 'content-type': 'application/json', ...error.headers }).end(body);
  }

  /** Sends any bytes, to play an endpoint that does not speak the protocol. */
  raw(text: string, contentType = 'text/event-stream'): void {
    if (!this.#res.headersSent) this.#res.writeHead(200, { 'content-type': contentType });
    this.#res.write(text);
  }

  end(): void {
    this.#res.end();
  }

  /** Cuts the connection in the middle, once what was written has left: the client sees those chunks. */
  drop(): void {
    if (this.#res.headersSent) this.#res.write(': cut\n\n', () => this.#res.destroy());
    else this.#res.destroy();
  }

  #delta(delta: object): void {
    this.#event({ choices: [{ index: 0, delta, finish_reason: null }] });
  }

  #event(part: object): void {
    const head = {
      id: this.id,
      object: 'chat.completion.chunk',
      created: this.#info.index,
      model: this.servedModel,
    };
    this.#res.write(`data: ${JSON.stringify({ ...head, ...part })}\n\n`);
  }
}

function toWireUsage(usage: WireUsage): object {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  };
}
