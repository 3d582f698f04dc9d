/** The messages of a thread in the form of AG-UI, folded from its events, for clients that connect later. */
import { isRecord, preview, stringOr } from 'steersman/base';
import type { RunEvent } from 'steersman/client';
import type { AgUiAgent, AgUiMessage, AgUiSpoken } from './events.js';

type Streamed = AgUiSpoken | AgUiAgent;
/** A message of the client; other fields are unchanged. */
export type ClientMessage = { id: string; role: string } & Record<string, unknown>;

interface Open {
  begin: AgUiSpoken[];
  message: Extract<AgUiMessage, { role: 'assistant' | 'reasoning' }>;
}

export class Conversation {
  /** Messages in order, without open ones. */
  readonly #messages = new Map<string, AgUiMessage>();
  readonly #open = new Map<string, Open>();
  readonly #agents = new Map<string, Extract<AgUiAgent, { type: 'SUBAGENT_STARTED' }>>();
  /** Ids of the run's goals, oldest first. */
  readonly #goals: string[] = [];
  /** Ids of the goals whose whole text is known: events have one line of it. */
  readonly #wholeGoals = new Set<string>();
  /** Ids of the other messages from people. */
  readonly #receipts = new Set<string>();
  /** Ids of messages that a restart made void. */
  readonly #dropped = new Set<string>();

  /** Adds the whole first goal of a run, before its events. */
  begin(run: string, goal: string): void {
    const id = firstGoal(run);
    this.#wholeGoals.add(id);
    this.#addGoal(id, goal);
  }

  /** Adds a person's message from an event of the run `run` itself. */
  hear(run: string, event: RunEvent): void {
    if (event.path !== undefined) return;
    if (event.type === 'run_started' && !this.#messages.has(firstGoal(run)))
      this.#addGoal(firstGoal(run), event.goal);
    if (event.type === 'goal_started' && event.number > 1)
      this.#nextGoal(`${run}/goal-text-${event.number}`, event.text);
    if (event.type !== 'receipt' || this.#receipts.has(event.id)) return;
    this.#receipts.add(event.id);
    this.#add({ id: event.id, role: 'user', content: event.text ?? '' });
  }

  take(event: Streamed): void {
    switch (event.type) {
      case 'TEXT_MESSAGE_START': {
        const { messageId: id, name, subagentRunId } = event;
        const message = { id, role: 'assistant' as const, name, content: '', ...of(subagentRunId) };
        this.#open.set(id, { begin: [event], message });
        return;
      }
      case 'REASONING_START':
      case 'REASONING_MESSAGE_START': {
        const { messageId: id, subagentRunId } = event;
        const begin = [...(this.#open.get(id)?.begin ?? []), event];
        this.#open.set(id, { begin, message: { id, role: 'reasoning', content: '', ...of(subagentRunId) } });
        return;
      }
      case 'TEXT_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CONTENT': {
        const open = this.#open.get(event.messageId);
        if (open) open.message.content = (open.message.content ?? '') + event.delta;
        return;
      }
      case 'TEXT_MESSAGE_END':
      case 'REASONING_END': {
        const open = this.#open.get(event.messageId);
        this.#open.delete(event.messageId);
        if (open) this.#add(open.message);
        return;
      }
      default:
        this.#takeOther(event);
    }
  }

  #takeOther(event: Streamed): void {
    switch (event.type) {
      case 'TOOL_CALL_START': {
        const { toolCallId: id, toolCallName: name, parentMessageId, subagentRunId } = event;
        const parent = this.#messages.get(parentMessageId);
        const message =
          parent?.role === 'assistant'
            ? parent
            : { id: parentMessageId, role: 'assistant' as const, ...of(subagentRunId) };
        const call = { id, type: 'function' as const, function: { name, arguments: '' } };
        this.#add({ ...message, toolCalls: [...(message.toolCalls ?? []), call] });
        return;
      }
      case 'TOOL_CALL_ARGS': {
        const call = this.#call(event.toolCallId);
        if (call) call.function.arguments += event.delta;
        return;
      }
      case 'TOOL_CALL_RESULT': {
        const { messageId: id, toolCallId, content, subagentRunId } = event;
        this.#add({ id, role: 'tool', toolCallId, content, ...of(subagentRunId) });
        return;
      }
      case 'SUBAGENT_STARTED':
        this.#agents.set(event.subagentRunId, event);
        return;
      case 'SUBAGENT_FINISHED':
      case 'SUBAGENT_ERROR':
        this.#agents.delete(event.subagentRunId);
        return;
      case 'CUSTOM':
        if (event.name === 'steersman.reset') this.#forget(event.value);
        return;
      default:
    }
  }

  /** Sends open parts again from their beginning: agents first, because messages refer to them. */
  *openAgain(): Generator<Streamed> {
    yield* this.#agents.values();
    for (const { begin, message } of this.#open.values()) {
      yield* begin;
      const { id: messageId, role, content, subagentRunId } = message;
      const type = role === 'reasoning' ? 'REASONING_MESSAGE_CONTENT' : 'TEXT_MESSAGE_CONTENT';
      if (content) yield { type, messageId, delta: content, ...of(subagentRunId) };
    }
  }

  /** Sends the ends of all open parts, because clients refuse a stream that ends before them. */
  *closing(): Generator<Streamed> {
    for (const { message } of this.#open.values()) {
      const own = { messageId: message.id, ...of(message.subagentRunId) };
      if (message.role === 'assistant') yield { type: 'TEXT_MESSAGE_END', ...own };
      else
        yield* [
          { type: 'REASONING_MESSAGE_END' as const, ...own },
          { type: 'REASONING_END' as const, ...own },
        ];
    }
    for (const subagentRunId of [...this.#agents.keys()].reverse())
      yield { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'suspended' } };
  }

  /** Returns all messages: the client's in its order, in the run's version, then those that it lacks. */
  with(client: readonly ClientMessage[]): unknown[] {
    const same = this.#sameAs(client);
    const known = new Set<string>();
    const kept = client.flatMap(message => {
      const id = same.get(message.id) ?? message.id;
      known.add(id);
      // An open message is left out, because the stream sends it again from its beginning.
      if (this.#open.has(id) || this.#dropped.has(id)) return [];
      const own = this.#messages.get(id);
      return [own === undefined || own.role === 'user' || own.role === 'tool' ? message : own];
    });
    const results = new Set(
      client.flatMap(({ toolCallId }) => (typeof toolCallId === 'string' ? [toolCallId] : [])),
    );
    const lacks = [...this.#messages.values()].filter(
      message => !known.has(message.id) && !(message.role === 'tool' && results.has(message.toolCallId)),
    );
    return [...kept, ...lacks];
  }

  /** Returns the person's messages that the run lacks: those after the last one that it knows or an agent answered. */
  unheard(client: readonly ClientMessage[]): { id: string; text: string; pictures: AgUiPicture[] }[] {
    const same = this.#sameAs(client);
    const isKnown = ({ id, role }: ClientMessage) =>
      same.has(id) || role === 'assistant' || this.#messages.has(id);
    const news = client.slice(client.findLastIndex(isKnown) + 1);
    return news
      .filter(({ role }) => role === 'user')
      .map(message => ({ id: message.id, text: textOfMessage(message), pictures: picturesOf(message) }));
  }

  /** Returns the run's goal ids by the client's message ids. A start has no message id, so text and order identify it. */
  #sameAs(client: readonly ClientMessage[]): Map<string, string> {
    const goals = [...this.#goals];
    const same = new Map<string, string>();
    for (let at = 0; at < client.length && goals.length > 0; ) {
      const [goal = ''] = goals;
      const covered = client.slice(at, at + this.#covers(goal, client, at));
      for (const { id } of covered) same.set(id, goal);
      if (covered.length > 0) goals.shift();
      at += Math.max(1, covered.length);
    }
    return same;
  }

  /** Returns how many messages from `at` on are the goal: a start joins all that are new. */
  #covers(goal: string, client: readonly ClientMessage[], at: number): number {
    const own = this.#messages.get(goal);
    if (own?.role !== 'user') return 0;
    const isWhole = this.#wholeGoals.has(goal);
    const given = isWhole ? own.content.trim() : preview(own.content);
    let text = '';
    for (let count = 1; text.length <= own.content.length; count += 1) {
      const message = client[at + count - 1];
      if (message?.role !== 'user' || this.#receipts.has(message.id)) return 0;
      if (message.id === goal && count === 1) return 1;
      text = [text, textOfMessage(message)].filter(Boolean).join(BETWEEN);
      if ((isWhole ? text.trim() : preview(text)) === given) return count;
    }
    return 0;
  }

  /** Completes the text of a message that became a goal; a goal of a joining start has no message and is added. */
  #nextGoal(id: string, text: string): void {
    const words = preview(text, text.length);
    for (const receipt of this.#receipts) {
      const message = this.#messages.get(receipt);
      if (message?.role !== 'user' || !words.startsWith(message.content.replace(/…$/, ''))) continue;
      if (message.content === '') continue;
      this.#add({ ...message, content: text });
      return;
    }
    this.#addGoal(id, text);
  }

  #addGoal(id: string, content: string): void {
    this.#goals.push(id);
    this.#add({ id, role: 'user', content });
  }

  #add(message: AgUiMessage): void {
    this.#messages.set(message.id, message);
  }

  #call(id: string) {
    for (const message of [...this.#messages.values()].reverse()) {
      const call = message.role === 'assistant' && message.toolCalls?.find(each => each.id === id);
      if (call) return call;
    }
    return null;
  }

  #forget(value: unknown): void {
    const ids = isRecord(value) && Array.isArray(value.messageIds) ? value.messageIds.map(String) : [];
    for (const id of ids) {
      this.#messages.delete(id);
      this.#dropped.add(id);
    }
  }
}

function firstGoal(run: string): string {
  return `${run}/goal`;
}

/** Stands between messages that become one goal. */
const BETWEEN = '\n\n';

/** Returns the goal that new messages of a client become together. */
export function goalOf(said: readonly { text: string }[]): string {
  return said.map(({ text }) => text).join(BETWEEN);
}

/** Returns the text of a message, without other parts. */
export function textOf({ content }: ClientMessage): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.filter(isRecord).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.join('\n');
}

/** The text of a message that has only pictures, because a run needs words. */
const PICTURES_ALONE = 'See the picture.';

function textOfMessage(message: ClientMessage): string {
  return textOf(message) || (picturesOf(message).length > 0 ? PICTURES_ALONE : '');
}

export interface AgUiPicture {
  name: string;
  mimeType: string;
  base64: string;
}

/** Returns the pictures of a message that come as data, in the forms of 0.x (`binary`) and 1.0 (`image`). */
function picturesOf({ content }: ClientMessage): AgUiPicture[] {
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return parts.flatMap((part, index) => {
    const source = isRecord(part.source) ? part.source : part;
    const { data = source.value, url = source.value, mimeType: type } = source;
    const [, ofUrl, inUrl] = DATA_URL.exec(stringOr(url, '')) ?? [];
    const [mimeType, base64] = [
      inUrl === undefined ? stringOr(type, '') : ofUrl,
      inUrl ?? stringOr(data, ''),
    ];
    if (mimeType === undefined || !mimeType.startsWith('image/') || base64 === '') return [];
    const name = stringOr(part.filename, `picture ${index + 1}`).slice(0, 100);
    return [{ name, mimeType, base64 }];
  });
}

const DATA_URL = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/;

function of(subagentRunId: string | undefined): { subagentRunId?: string } {
  return subagentRunId === undefined ? {} : { subagentRunId };
}
