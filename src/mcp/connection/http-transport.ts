/** MCP over streamable HTTP. It adds what the SDK's transport does not report: what became of a request without an answer. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { exactText } from '../../base/json/json.js';
import { type NotBegun, proofOfHttp, proofOfSocket } from '../../run/tools/effect.js';
import { fetchSameOrigin } from '../../shared/http/same-origin-fetch.js';
import { retryAfterMs } from '../../shared/retry-after.js';
import { answerWatch } from './answer-watch.js';
import { HttpStatusError, NotBegunError } from './call-failure.js';
import type { ResolvedHttpServer } from './resolve-server.js';
import { MAX_MESSAGE_BYTES } from './stdio-transport.js';

/**
 * Separates the server's own requests from the request whose response carries them. Our answer is a new HTTP request,
 * whose end says nothing about the other one.
 */
export function answerApart(transport: Transport): void {
  const take = transport.onmessage;
  if (!take) return;
  transport.onmessage = (message, extra) => {
    if (isJSONRPCRequest(message)) answerWatch.run(null, () => take(message, extra));
    else take(message, extra);
  };
}

/** Creates a transport. Requests fail with NotBegunError if nothing was sent, and with HttpStatusError by their status. */
export function createHttpTransport(server: ResolvedHttpServer): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: server.headers },
    fetch: fetchWatched,
  });
}

async function fetchWatched(url: string | URL, init?: RequestInit): Promise<Response> {
  const watch = answerWatch.getStore();
  const given = await fetchOrNotBegun(url, init);
  const isStream = given.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const isPage = init?.method === 'GET' && given.ok && !isStream;
  const response = isPage ? await noStream(given) : given;
  // If a stream should be resumed here, the SDK takes this status as permitted and keeps waiting.
  if (init?.method === 'GET' && response.status === NO_STREAMS_HERE) watch?.lost();
  const body =
    response.body?.pipeThrough(boundMessages(isStream)).pipeThrough(exactNumbers(isStream)) ?? null;
  if (init?.method === 'POST' && !response.ok)
    throw await statusError(new Response(body, response), new Headers(init.headers));
  const onEnd = () => watch?.streamEnded();
  if (body === null) onEnd();
  return body === null ? response : new Response(watchEnd(body, onEnd), response);
}

const NO_STREAMS_HERE = 405;

/** The SDK would take the page for a stream that has ended, and ask again each second. */
async function noStream(page: Response): Promise<Response> {
  await page.body?.cancel();
  return new Response(null, { status: NO_STREAMS_HERE });
}

const SESSION_HEADER = 'mcp-session-id';

async function statusError(response: Response, asked: Headers): Promise<HttpStatusError> {
  const { status, headers } = response;
  const body = await response.text().catch(() => '');
  const inSession = asked.has(SESSION_HEADER);
  const waitMs = retryAfterMs(headers, Date.now());
  const proof = proofOfHttp({ status, inSession, asksAgain: waitMs !== null });
  return new HttpStatusError({ status, proof, retryAfterMs: waitMs, inSession }, body || response.statusText);
}

/** Ends an oversized answer or event with an error, because an endless one would fill the worker's memory. */
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

/** Preserves the digits of numbers as they were sent. A JSON token never spans lines, so each line is read separately. */
function exactNumbers(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  // As latin1, each character is one byte; only digits and quotes matter here.
  const bytesOf = (line: string) =>
    Buffer.from(isStream && !line.startsWith('data:') ? line : exactText(line), 'latin1');
  let begun: string[] = [];
  return new TransformStream({
    transform(chunk, controller) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      for (const part of text.split(/(?<=[\r\n])/)) {
        begun.push(part);
        if (!/[\r\n]$/.test(part)) continue;
        controller.enqueue(bytesOf(begun.join('')));
        begun = [];
      }
    },
    flush(controller) {
      if (begun.length > 0) controller.enqueue(bytesOf(begun.join('')));
    },
  });
}

async function fetchOrNotBegun(url: string | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetchSameOrigin(url, init);
  } catch (error) {
    const met = socketProof(error);
    if (met) throw new NotBegunError(met.proof, `${new URL(url).host} cannot be reached (${met.code})`);
    throw error;
  }
}

/** undici wraps the cause, or several causes if a name has several addresses. All of them must prove that nothing was sent. */
function socketProof(error: unknown): { proof: NotBegun; code: string } | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall }: NodeJS.ErrnoException = error;
  const proof = proofOfSocket({ code, syscall });
  if (proof) return { proof, code: String(code) };
  if (!(error instanceof AggregateError)) return socketProof(error.cause);
  const met = error.errors.map(socketProof);
  return met.every(each => each !== null) ? (met[0] ?? null) : null;
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
      // The last event is still passing through the SDK's parser, which takes a few promise turns.
      setTimeout(onEnd, 50);
    },
    cancel(reason) {
      setTimeout(onEnd, 50);
      return reader.cancel(reason);
    },
  });
}
