/** Streams of replies as chat front ends listen to them: content, tool calls, reasoning, then done or stopped. */
import type { SaidCall } from '../../run/messages/message.js';
import type { RunEvent } from '../watch/run-event.js';
import { type Addition, ReplyText } from './reply-text.js';
import { oneAtATime, translate, type Vocabulary } from './translate.js';
import { failureOf } from './turn-events.js';

/** A call as chat completions write it; `arguments` is JSON, as the model said it. */
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
  /** The tools that the reply calls: all of them, before it is done. */
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
  /** The reply at hand is kept no more: its calls are told when they start. */
  let isGone = false;
  return oneAtATime(event => {
    const told = reply.heard(event).map(ofAddition);
    if (event.type === 'model_call_ended') {
      const { calls, toolCalls, stopReason } = event;
      isGone = calls === undefined;
      if (calls && toolCalls > 0) told.push({ type: 'tool_calls', tool_calls: calls.map(chatCall) });
      told.push({ type: stopReason === 'interrupted' ? 'stopped' : 'done' });
    }
    if (event.type === 'tool_call_started' && isGone) {
      const { toolUseId: id = event.callId, tool: name } = event;
      told.push({ type: 'tool_calls', tool_calls: [chatCall({ id, name, arguments: event.arguments })] });
    }
    return told;
  });
}

function ofAddition(added: Addition): StreamEvent {
  if (added.kind === 'reset') return { type: 'reset' };
  return { type: added.kind === 'thought' ? 'reasoning' : 'content', content: added.text };
}

export function chatCall({ id, ...call }: SaidCall): StreamToolCall {
  return { id, type: 'function', function: call };
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
  /** A goal has its answer, which was told. */
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
      if (isAnswer(event) && listening) callbacks.onDone?.();
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
  else if (event.type === 'reset') callbacks.onReset?.();
  else if (event.type === 'stopped') callbacks.onStopped?.();
}

/** A goal of the run itself has ended; one that failed is told as an error. */
function isAnswer(event: RunEvent): boolean {
  return event.type === 'goal_ended' && event.path === undefined && event.outcome !== 'failed';
}
