/** `POST /ag-ui`: a run as an agent of the AG-UI protocol, over server-sent events. */
import type { AgUiEvent } from '@steersman/ag-ui';
import { bodyOf } from '../guard.js';
import { jsonOf, type RouteScope, read } from '../routes.js';
import { AG_UI_INPUT } from './input.js';
import { talk } from './talk.js';

/** Proxies end what is silent; clients pass a comment over. */
const COMMENT_MS = 10_000;

export async function agUiAnswer(request: Request, scope: RouteScope): Promise<Response> {
  const input = read(AG_UI_INPUT, jsonOf(await bodyOf(request)));
  const leaving = new AbortController();
  const events = talk(input, { ...scope, signal: leaving.signal });
  return new Response(streamOf(events, leaving), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** One event after the other, as the client takes them. */
function streamOf(events: AsyncGenerator<AgUiEvent>, leaving: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let comments: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      comments = setInterval(() => {
        // Who takes nothing is told nothing more.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(':\n\n'));
      }, COMMENT_MS);
    },
    async pull(controller) {
      const { done, value } = await events.next();
      if (!done) return controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
      clearInterval(comments);
      controller.close();
    },
    cancel() {
      clearInterval(comments);
      leaving.abort();
      void events.return(undefined);
    },
  });
}
