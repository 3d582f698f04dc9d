/** Streams of replies as chat front ends listen to them: content, tool calls, reasoning, then done or stopped. */
import type { RunEvent } from '../watch/run-event.js';
import { ReplyText } from './reply-text.js';
import { oneAtATime, translate, type Vocabulary } from './translate.js';
import { failureOf } from './turn-events.js';

/** A call as chat completions write it; `arguments` is JSON, its beginning where it is long. */
export interface StreamToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export type StreamEvent =
  /** More of the answer's text. */
  | { type: 'content'; content: string }
  /** More of what a reasoning model thinks: to be shown apart. */
  | { type: 'reasoning'; content: string }
  /** A tool is called. */
  | { type: 'tool_calls'; tool_calls: StreamToolCall[] }
  /** The call failed or is made again: what came of this reply does not count. */
  | { type: 'reset' }
  /** The reply is whole. */
  | { type: 'done' }
  /** A person interrupted the reply: what came of it is all, and its tool calls do not run. */
  | { type: 'stopped' };

/** `content` is the words of the answer: no JSON for the run, nothing that other roles say. */
export function streamEvents(): Vocabulary<StreamEvent> {
  const reply = new ReplyText();
  return oneAtATime(event => {
    const { reset, text, isThought } = reply.heard(event);
    const words: StreamEvent[] = [
      ...(reset ? [{ type: 'reset' } as const] : []),
      ...(text === '' ? [] : [{ type: isThought ? 'reasoning' : 'content', content: text } as const]),
    ];
    if (event.type === 'model_call_ended')
      words.push({ type: event.stopReason === 'interrupted' ? 'stopped' : 'done' });
    if (event.type === 'tool_call_started') {
      const call = { name: event.tool, arguments: event.arguments };
      words.push({
        type: 'tool_calls',
        tool_calls: [{ id: event.callId, type: 'function', function: call }],
      });
    }
    return words;
  });
}

/** The words of the answer alone; what is said anew, and each further reply, is a paragraph of its own. */
export async function* wordsOf(events: AsyncIterable<RunEvent>): AsyncGenerator<string> {
  let begun = false;
  let anew = false;
  for await (const event of translate(events, streamEvents())) {
    if (event.type === 'content') {
      yield begun && anew && !event.content.startsWith('\n') ? `\n\n${event.content}` : event.content;
      begun = true;
      anew = false;
    } else if (event.type !== 'reasoning') anew = true;
  }
}

export interface StreamCallbacks {
  onContent?: (content: string) => void;
  onReasoning?: (content: string) => void;
  onToolCalls?: (toolCalls: StreamToolCall[]) => void;
  onReset?: () => void;
  onDone?: () => void;
  onStopped?: () => void;
  /** The run failed, or can be followed no more. */
  onError?: (error: Error) => void;
}

/** Calls back for each event of a run, and returns the function that ends that: `listenToStream(run.events(), …)`. */
export function listenToStream(events: AsyncGenerator<RunEvent>, callbacks: StreamCallbacks): () => void {
  let listening = true;
  const failed = (error: Error) => listening && callbacks.onError?.(error);
  const hear = async () => {
    const words = streamEvents();
    for await (const event of events) {
      const failure = event.type === 'end' ? failureOf(event.end) : null;
      if (failure !== null) failed(new Error(failure));
      for (const word of words(event)) if (listening) tell(callbacks, word);
    }
  };
  hear().catch(error => failed(error instanceof Error ? error : new Error(String(error))));
  return () => {
    listening = false;
    void events.return(undefined);
  };
}

function tell(callbacks: StreamCallbacks, event: StreamEvent): void {
  if (event.type === 'content') callbacks.onContent?.(event.content);
  else if (event.type === 'reasoning') callbacks.onReasoning?.(event.content);
  else if (event.type === 'tool_calls') callbacks.onToolCalls?.(event.tool_calls);
  else ({ reset: callbacks.onReset, done: callbacks.onDone, stopped: callbacks.onStopped })[event.type]?.();
}
