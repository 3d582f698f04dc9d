/** The events of a run in the words of another system, which knows one reply at a time. */
import type { JournalEvent, JournalType } from '../../run/state/journal.js';
import type { RunEvent } from '../watch/run-event.js';

/** Takes the events of one run in order, and gives what each of them is in other words: nothing, one thing or more. */
export type Vocabulary<T> = (event: RunEvent) => T[];

/**
 * `for await (const event of translate(run.events(), turnEvents()))`: each vocabulary is made anew for each run that
 * it follows, for it remembers what was said. Ends when `events` ends, and throws what it throws.
 */
export async function* translate<T>(
  events: AsyncIterable<RunEvent>,
  vocabulary: Vocabulary<T>,
): AsyncGenerator<T> {
  for await (const event of events) yield* vocabulary(event);
}

/** What says something of a reply, or of the tools that it calls. */
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

/** The run itself, where it works on no task. */
const NO_TASK = '';

/**
 * A vocabulary that is told of one reply at a time: of that which began first as it comes, then of the next with what
 * has come of it meanwhile, each before the tools that it calls. All else it is told at once.
 */
export function oneAtATime<T>(vocabulary: Vocabulary<T>): Vocabulary<T> {
  const turns = new Turns();
  return event => turns.take(event).flatMap(vocabulary);
}

class Turns {
  /** The task whose reply is told as it comes; null for none. */
  #speaker: string | null = null;
  /** The reply of the speaker is whole, and it has called tools: what comes of that belongs behind it. */
  #isEnding = false;
  /** What is told later, by task, in the order in which they began to wait. */
  readonly #waiting = new Map<string, RunEvent[]>();
  /** Of calls in flight, of models and tools. */
  readonly #taskOfCall = new Map<string, string>();
  #lastSeq = 0;

  /** What is to be told now. */
  take(event: RunEvent): RunEvent[] {
    // These words are of the run alone.
    if (event.path !== undefined) return [];
    if ('seq' in event) return this.#takeJournal(event);
    if (event.type === 'text' || event.type === 'tool_progress') {
      const task = this.#taskOfCall.get(event.callId);
      // Its beginning was not seen, or its end was.
      return task === undefined ? [event] : this.#takeOfReply(task, event);
    }
    return event.type === 'end' ? [...this.#rest(), event] : [event];
  }

  #takeJournal(event: JournalEvent): RunEvent[] {
    // Where events are lost, ends of replies may be among them.
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
    // Where the run itself speaks, no task does.
    const before = task === NO_TASK && this.#speaker !== NO_TASK ? this.#rest() : [];
    const waits = this.#waiting.get(task);
    if (waits || (this.#speaker ?? task) !== task) {
      this.#waiting.set(task, [...(waits ?? []), item]);
      return [];
    }
    const isOver = this.#tell(task, item);
    return [...before, item, ...(isOver ? this.#next() : [])];
  }

  /** Notes what is told. True: the next may speak. */
  #tell(task: string, event: RunEvent): boolean {
    // What a reply says to the person beside its calls comes before these.
    if (!('seq' in event) || event.type === 'user_message') return false;
    const wasEnding = this.#isEnding;
    this.#isEnding = false;
    if (event.type === 'model_call_started') this.#speaker = task;
    else if (event.type === 'model_call_ended' && event.toolCalls > 0) this.#isEnding = true;
    else if (wasEnding || event.type === 'model_call_ended' || event.type === 'model_call_failed')
      this.#speaker = null;
    return this.#speaker === null;
  }

  /** Tells what waits, until somebody speaks who has not ended. */
  #next(): RunEvent[] {
    this.#speaker = null;
    this.#isEnding = false;
    const told: RunEvent[] = [];
    for (const [task, items] of this.#waiting) {
      this.#waiting.delete(task);
      for (const item of items) this.#tell(task, item);
      told.push(...items);
      if (this.#speaker !== null) break;
    }
    return told;
  }

  /** All that waits. */
  #rest(): RunEvent[] {
    const told = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#speaker = null;
    this.#isEnding = false;
    return told;
  }
}
