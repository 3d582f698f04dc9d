/** MCP over streamable HTTP, with what the SDK's transport does not tell: whether a request left at all. */
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCRequest, LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { retryAfterMs } from '../models/retry-after.js';
import { fetchSameOrigin, RedirectRefusedError } from '../shared/same-origin-fetch.js';
import { answerWatch } from './answer-watch.js';
import { BusyError, NotSentError } from './call-failure.js';
import type { ResolvedHttpServer } from './resolve-server.js';
import { MAX_MESSAGE_BYTES } from './stdio-transport.js';

/**
 * What a server asks may come with what carries the answer of a request of ours. Our answer is a request of its own, whose
 * end says nothing of the other.
 */
export function answerApart(transport: Transport): void {
  const take = transport.onmessage;
  if (!take) return;
  transport.onmessage = (message, extra) => {
    if (isJSONRPCRequest(message)) answerWatch.run(null, () => take(message, extra));
    else take(message, extra);
  };
}

/** Failures before a connection stood: the request can not have been seen. */
const CONNECT_ERRORS: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * A transport for `server`. Its requests fail with NotSentError where nothing was sent. `session`: one to go on in, of
 * the latest version of the protocol.
 */
export function createHttpTransport(
  server: ResolvedHttpServer,
  session?: string,
): StreamableHTTPClientTransport {
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: server.headers },
    fetch: fetchWatched,
    ...(session !== undefined && { sessionId: session }),
  });
  if (session !== undefined) transport.setProtocolVersion(LATEST_PROTOCOL_VERSION);
  return transport;
}

async function fetchWatched(url: string | URL, init?: RequestInit): Promise<Response> {
  const watch = answerWatch.getStore();
  const response = await fetchOrNotSent(url, init);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  // Where a stream was to be taken up again, the SDK takes this for the server's right, and waits.
  if (init?.method === 'GET' && response.status === NO_STREAMS_HERE) watch?.lost();
  const body = response.body?.pipeThrough(boundMessages(isStream)) ?? null;
  if (response.status === TOO_MANY) throw await busyError(new Response(body, response));
  const onEnd = () => watch?.streamEnded();
  if (body === null) onEnd();
  return body === null ? response : new Response(watchEnd(body, onEnd), response);
}

const NO_STREAMS_HERE = 405;
const TOO_MANY = 429;

async function busyError(response: Response): Promise<BusyError> {
  const said = await response.text().catch(() => '');
  return new BusyError(
    `it answered HTTP ${response.status}${said === '' ? '' : `: ${said}`}`,
    retryAfterMs(response.headers, Date.now()),
  );
}

/** An answer, or an event of a stream, that does not end would fill the worker's memory: it ends as an error. */
function boundMessages(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      // A blank line ends an event.
      if (isStream && ['\n\n', '\r\n\r\n', '\r\r'].some(blank => text.includes(blank))) bytes = 0;
      if (bytes <= MAX_MESSAGE_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`it sent a message over ${MAX_MESSAGE_BYTES / 1024 / 1024} MB`));
    },
  });
}

async function fetchOrNotSent(url: string | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetchSameOrigin(url, init);
  } catch (error) {
    if (error instanceof RedirectRefusedError) throw new NotSentError(error.message);
    const code = connectErrorCode(error);
    if (code) throw new NotSentError(`${new URL(url).host} can not be reached (${code})`);
    throw error;
  }
}

/** undici wraps the cause, and several of them where a name has several addresses. */
function connectErrorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string' && CONNECT_ERRORS.has(error.code)) return error.code;
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  for (const cause of inner) {
    const code = connectErrorCode(cause);
    if (code) return code;
  }
  return null;
}

function watchEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      // The last event is still on its way through the SDK's parser, which takes some turns of promises.
      setTimeout(onEnd, 50);
    },
    cancel(reason) {
      setTimeout(onEnd, 50);
      return reader.cancel(reason);
    },
  });
}

/** HTTP answers that say the request was not taken up: a lost session (400, 404), no permission. */
export function isRefused(error: unknown): error is StreamableHTTPError {
  return (
    error instanceof StreamableHTTPError &&
    error.code !== undefined &&
    error.code >= 400 &&
    error.code < 500 &&
    error.code !== 408
  );
}

/** An HTTP answer of any other kind than a JSON-RPC one. */
export function isHttpError(error: unknown): error is StreamableHTTPError {
  return error instanceof StreamableHTTPError;
}
