/** Translates the events of a run for a system that handles one reply at a time. */
import type { JournalEvent, JournalType } from '../../run/state/journal.js';
import type { RunEvent } from '../watch/run-event.js';

/** Takes the events of one run in order, and returns the translation of each: zero, one or several items. */
export type Vocabulary<T> = (event: RunEvent) => T[];

/**
 * Use `for await (const event of translate(run.events(), turnEvents()))`, with a new vocabulary for each run, because
 * it has state. Ends when `events` ends, and throws its errors.
 */
export async function* translate<T>(
  events: AsyncIterable<RunEvent>,
  vocabulary: Vocabulary<T>,
): AsyncGenerator<T> {
  for await (const event of events) yield* vocabulary(event);
}

/** Events of a reply, or of its tool calls. */
const OF_REPLIES = [
  'model_call_started',
  'model_call_ended',
  'model_call_failed',
  'tool_call_started',
  'tool_call_ended',
  'user_message',
] as const satisfies readonly JournalType[];

type OfReply = Extract<JournalEvent, { type: (typeof OF_REPLIES)[number] }>;

function isOfReply(event: JournalEvent): event is OfReply {
  return OF_REPLIES.some(type => type === event.type);
}

/** Stands for the run itself, when it works on no task. */
const NO_TASK = '';

/**
 * Orders events so that a vocabulary sees one reply at a time: the one that began first live, then the next with its
 * collected events, each before its tool calls. Other events are passed on at once.
 */
export function oneAtATime<T>(vocabulary: Vocabulary<T>): Vocabulary<T> {
  const turns = new Turns();
  return event => turns.take(event).flatMap(vocabulary);
}

class Turns {
  /** The task whose reply is passed on live; null for no task. */
  #speaker: string | null = null;
  /** The speaker's reply is complete and has called tools: events of these calls follow it. */
  #isEnding = false;
  /** Delayed events by task, in the order in which they began to wait. */
  readonly #waiting = new Map<string, RunEvent[]>();
  /** Tasks of the model and tool calls in flight. */
  readonly #taskOfCall = new Map<string, string>();
  #lastSeq = 0;

  /** Returns the events to pass on now. */
  take(event: RunEvent): RunEvent[] {
    // A vocabulary covers only the run itself.
    if (event.path !== undefined) return [];
    if ('seq' in event) return this.#takeJournal(event);
    if (event.type === 'text' || event.type === 'tool_progress') {
      const task = this.#taskOfCall.get(event.callId);
      // The call's start was not seen, or it has ended.
      return task === undefined ? [event] : this.#takeOfReply(task, event);
    }
    return event.type === 'end' ? [...this.#rest(), event] : [event];
  }

  #takeJournal(event: JournalEvent): RunEvent[] {
    // If events were lost, ends of replies may be among them.
    const lost = event.seq > this.#lastSeq + 1 ? this.#rest() : [];
    this.#lastSeq = event.seq;
    const task = ('taskId' in event ? event.taskId : null) ?? NO_TASK;
    if (isOfReply(event)) {
      if (event.type !== 'user_message') this.#noteCall(event, task);
      return [...lost, ...this.#takeOfReply(task, event)];
    }
    const goesOn = this.#isEnding && (task === this.#speaker || task === NO_TASK);
    return [...lost, event, ...(goesOn ? this.#next() : [])];
  }

  #noteCall({ type, callId }: Exclude<OfReply, { type: 'user_message' }>, task: string): void {
    if (type.endsWith('_started')) this.#taskOfCall.set(callId, task);
    else this.#taskOfCall.delete(callId);
  }

  #takeOfReply(task: string, item: RunEvent): RunEvent[] {
    // Tasks do not speak while the run itself does.
    const before = task === NO_TASK && this.#speaker !== NO_TASK ? this.#rest() : [];
    const waits = this.#waiting.get(task);
    if (waits || (this.#speaker ?? task) !== task) {
      this.#waiting.set(task, [...(waits ?? []), item]);
      return [];
    }
    const isOver = this.#tell(task, item);
    return [...before, item, ...(isOver ? this.#next() : [])];
  }

  /** Records a passed event. Returns true if the next task may speak. */
  #tell(task: string, event: RunEvent): boolean {
    // A reply's message to the person comes before its calls.
    if (!('seq' in event) || event.type === 'user_message') return false;
    const wasEnding = this.#isEnding;
    this.#isEnding = false;
    if (event.type === 'model_call_started') this.#speaker = task;
    else if (event.type === 'model_call_ended' && event.toolCalls > 0) this.#isEnding = true;
    else if (wasEnding || event.type === 'model_call_ended' || event.type === 'model_call_failed')
      this.#speaker = null;
    return this.#speaker === null;
  }

  /** Returns the delayed events of each task, up to and with the first task that has not ended its reply. */
  #next(): RunEvent[] {
    this.#speaker = null;
    this.#isEnding = false;
    const released: RunEvent[] = [];
    for (const [task, items] of this.#waiting) {
      this.#waiting.delete(task);
      for (const item of items) this.#tell(task, item);
      released.push(...items);
      if (this.#speaker !== null) break;
    }
    return released;
  }

  /** Returns all delayed events. */
  #rest(): RunEvent[] {
    const released = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#speaker = null;
    this.#isEnding = false;
    return released;
  }
}
