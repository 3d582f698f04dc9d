/** Frames as a stream of server-sent events: read by `fetch`, so that the token is a header. */
import type { Frame } from './api.js';
import type { Push } from './feed.js';

const PING_MS = 10_000;
/** A page that takes nothing for so long asks again. */
const MOST_WAITING_BYTES = 8_000_000;

/** `begin` listens, and gives what ends that. `drop`: ends the connection; default: its server sees that the stream broke. */
export function frameStream(begin: (push: Push) => Promise<() => void>, drop?: () => void): Response {
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        let open = true;
        let pushed: string[] = [];
        // What is told at once is sent at once: a page that opens a long run hears thousands.
        const send = () => {
          const bytes = encoder.encode(pushed.join(''));
          pushed = [];
          if (!open) return;
          if (-(controller.desiredSize ?? 0) <= MOST_WAITING_BYTES) return controller.enqueue(bytes);
          // What waits is let go with it.
          if (drop) drop();
          else controller.error(new Error('The page is too slow.'));
          end();
        };
        const push: Push = frame => {
          if (pushed.length === 0) queueMicrotask(send);
          pushed.push(`data: ${JSON.stringify(frame)}\n\n`);
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
