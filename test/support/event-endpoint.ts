/** An endpoint that answers each request with the next list of events, or with an error, and keeps what it was sent. */
import { serve } from './serve.js';

/** A list of events, or the error that stands in its place. */
export type Answer = readonly object[] | { status: number; error: object };

export interface EventEndpoint {
  baseUrl: string;
  /** Of the requests, oldest first. */
  bodies: Record<string, unknown>[];
  paths: string[];
}

/** The last answer is given again where there are more requests. */
export async function startEventEndpoint(...answers: readonly Answer[]): Promise<EventEndpoint> {
  const bodies: Record<string, unknown>[] = [];
  const paths: string[] = [];
  const baseUrl = await serve(async (req, res) => {
    let text = '';
    for await (const part of req) text += part;
    const answer = answers[Math.min(bodies.length, answers.length - 1)] ?? [];
    bodies.push(JSON.parse(text));
    paths.push(req.url ?? '');
    if ('status' in answer) {
      res.writeHead(answer.status, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ error: answer.error }));
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(answer.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''));
  });
  return { baseUrl, bodies, paths };
}
