/**
 * Streams of server-sent events: frames for pages, and events of protocols. Pages read them with `fetch`, so that the
 * token is a header.
 */
import type { Frame } from '@steersman/view';
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Push } from './feed.js';

const PING_MS = 10_000;
/** A page that has this many unread bytes is disconnected, and must ask again. */
const MOST_WAITING_BYTES = 8_000_000;

const CHECK_MS = 5_000;

/** Ends a stream once its token is unknown. It is checked when data is sent, at least every ten seconds. */
export function whileTrue(isKnown: () => boolean, answer: Response): Response {
  if (answer.body === null || !answer.headers.get('content-type')?.startsWith('text/event-stream'))
    return answer;
  let checkedAt = performance.now();
  const checked = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const now = performance.now();
      const isDue = now - checkedAt >= CHECK_MS;
      if (isDue) checkedAt = now;
      if (isDue && !isKnown()) controller.terminate();
      else controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(checked), answer);
}

/**
 * Streams what `tell` writes, as fast as the client reads it. `signal`: the client has left. Proxies close silent
 * connections, so comments are sent meanwhile, which clients ignore.
 */
export function eventStream(
  c: Context,
  tell: (stream: SSEStreamingApi, signal: AbortSignal) => Promise<void>,
): Response {
  const leaving = new AbortController();
  return streamSSE(c, async stream => {
    stream.onAbort(() => leaving.abort());
    const comments = setInterval(() => void stream.write(':\n\n'), PING_MS);
    try {
      await tell(stream, leaving.signal);
    } finally {
      clearInterval(comments);
    }
  });
}

const encoder = new TextEncoder();
const encoded = new WeakMap<Frame, Uint8Array>();

/** Returns the bytes of a frame. All pages share them: otherwise each slow page would hold its own megabytes. */
function bytesOf(frame: Frame): Uint8Array {
  const bytes = encoded.get(frame) ?? encoder.encode(`data: ${JSON.stringify(frame)}\n\n`);
  encoded.set(frame, bytes);
  return bytes;
}

/** `begin` starts listening and returns a function that ends it. `drop` ends the connection; default: the stream fails. */
export function frameStream(begin: (push: Push) => Promise<() => void>, drop?: () => void): Response {
  let end = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        let open = true;
        let pushed: Uint8Array[] = [];
        // Frames of the same tick are sent together: a page that opens a long run receives thousands.
        const send = () => {
          const [first = new Uint8Array(), ...more] = pushed;
          const bytes = more.length === 0 ? first : Buffer.concat(pushed);
          pushed = [];
          if (!open) return;
          if (-(controller.desiredSize ?? 0) <= MOST_WAITING_BYTES) return controller.enqueue(bytes);
          // This also frees the unread bytes.
          if (drop) drop();
          else controller.error(new Error('The page is too slow.'));
          end();
        };
        const push: Push = frame => {
          if (pushed.length === 0) queueMicrotask(send);
          pushed.push(bytesOf(frame));
        };
        const ping = setInterval(() => push({ type: 'ping', at: Date.now() }), PING_MS);
        let leave = () => {};
        end = () => {
          open = false;
          clearInterval(ping);
          leave();
        };
        push({ type: 'ping', at: Date.now() } satisfies Frame);
        leave = await begin(push);
        if (!open) leave();
      },
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
  });
}
