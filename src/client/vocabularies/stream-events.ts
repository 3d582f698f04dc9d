/** Translates replies into the streams of chat user interfaces: content, tool calls, reasoning, then done or stopped. */
import type { WrittenCall } from '../../run/messages/message.js';
import type { RunEvent } from '../watch/run-event.js';
import { type Addition, ReplyText } from './reply-text.js';
import { oneAtATime, translate, type Vocabulary } from './translate.js';
import { failureOf } from './turn-events.js';

/** A call in the form of chat completions; `arguments` is the model's JSON. */
export interface StreamToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export type StreamEvent =
  /**
   * A further part of the answer's text, or with `roles` of any reply; `role`: its author, only with the option
   * `roles`.
   */
  | { type: 'content'; content: string; role?: string }
  /** A further part of the reasoning, to be displayed separately. */
  | { type: 'reasoning'; content: string; role?: string }
  /** All tool calls of the reply, before it is done. */
  | { type: 'tool_calls'; tool_calls: StreamToolCall[] }
  /** The call failed or is repeated: this reply's earlier text is void. */
  | { type: 'reset' }
  /** The reply is complete. */
  | { type: 'done' }
  /** A person interrupted the reply: its text stays incomplete, and its tool calls do not run. */
  | { type: 'stopped' };

export interface StreamOptions {
  /**
   * Replies of all roles are content, as they write them: JSON of a planner, an executor and a verifier too. An answer
   * that is not in a reply follows without a role. Default false: content is only the answer's text.
   */
  roles?: boolean;
}

/** `content` is the answer's text: no JSON for the run, no text of other roles, unless `roles` asks for them. */
export function streamEvents({ roles = false }: StreamOptions = {}): Vocabulary<StreamEvent> {
  const reply = new ReplyText({ ofAll: roles });
  let role: string | null = null;
  /** True if the run no longer stores the current reply: its calls are then sent when they start. */
  let isGone = false;
  return oneAtATime(event => {
    if (event.type === 'model_call_started') role = event.role;
    if (event.type === 'goal_ended') role = null;
    const events = reply.heard(event).map(added => ofAddition(added, roles ? role : null));
    if (event.type === 'model_call_ended') {
      const { calls, toolCalls, stopReason } = event;
      isGone = calls === undefined;
      if (calls && toolCalls > 0) events.push({ type: 'tool_calls', tool_calls: calls.map(chatCall) });
      events.push({ type: stopReason === 'interrupted' ? 'stopped' : 'done' });
    }
    if (event.type === 'tool_call_started' && isGone) {
      const { toolUseId: id = event.callId, tool: name } = event;
      events.push({ type: 'tool_calls', tool_calls: [chatCall({ id, name, arguments: event.arguments })] });
    }
    return events;
  });
}

function ofAddition(added: Addition, role: string | null): StreamEvent {
  if (added.kind === 'reset') return { type: 'reset' };
  const type = added.kind === 'thought' ? 'reasoning' : 'content';
  return { type, content: added.text, ...(role !== null && { role }) };
}

export function chatCall({ id, ...call }: WrittenCall): StreamToolCall {
  return { id, type: 'function', function: call };
}

/** Yields the text of the answer; a repeated beginning, and each further reply, starts a new paragraph. */
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
  /** `role`: its author, with the option `roles`; absent for an answer that is not in a reply. */
  onContent?: (content: string, role?: string) => void;
  onReasoning?: (content: string, role?: string) => void;
  onToolCalls?: (toolCalls: StreamToolCall[]) => void;
  onReset?: () => void;
  /** A goal has its answer, which was sent. */
  onDone?: () => void;
  onStopped?: () => void;
  /** The run failed, or can't be followed further. */
  onError?: (error: Error) => void;
}

/** Calls back for each event of a run; returns a function that ends that: `listenToStream(run.events(), …)`. */
export function listenToStream(
  events: AsyncGenerator<RunEvent>,
  callbacks: StreamCallbacks,
  options: StreamOptions = {},
): () => void {
  let listening = true;
  const failed = (error: Error) => listening && callbacks.onError?.(error);
  const hear = async () => {
    const words = streamEvents(options);
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
  if (event.type === 'content') callbacks.onContent?.(event.content, event.role);
  else if (event.type === 'reasoning') callbacks.onReasoning?.(event.content, event.role);
  else if (event.type === 'tool_calls') callbacks.onToolCalls?.(event.tool_calls);
  else if (event.type === 'reset') callbacks.onReset?.();
  else if (event.type === 'stopped') callbacks.onStopped?.();
}

/** True if a goal of the run itself has ended; a failed one is reported as an error instead. */
function isAnswer(event: RunEvent): boolean {
  return event.type === 'goal_ended' && event.path === undefined && event.outcome !== 'failed';
}
