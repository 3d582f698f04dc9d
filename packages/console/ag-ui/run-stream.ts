/** Handles an AG-UI request: sends its contents to the run, and streams the run's events until it ends or asks. */

import { type AgUiAgent, type AgUiEvent, type AgUiSpoken, agUiEvents, Conversation } from '@steersman/ag-ui';
import type { Frame } from '@steersman/view';
import { errorText } from 'steersman/base';
import {
  explainError,
  ownSeq,
  type Run,
  type RunEvent,
  SteersmanError,
  type Vocabulary,
} from 'steersman/client';
import type { RouteScope } from '../routes.js';
import { endingOf } from './ending.js';
import { type Followed, note, see } from './followed.js';
import { type AgUiInput, speaks1 } from './input.js';
import { Listening } from './listening.js';
import { type Sent, send } from './send.js';
import { Shown } from './shown.js';
import { recall, recallStart, runsOf, startRun } from './thread.js';

export interface StreamScope extends RouteScope {
  /** Aborted when the stream must end. */
  signal: AbortSignal;
  /** Gets the number of the run's event after which the stream's new events begin. */
  placed?: (since: number) => void;
  /** Set to stream past events of a run again. In that case, nothing is sent to the run. */
  replay?: Replay;
}

/** A run whose events after the `seq` `since` are streamed again; `goal` means since the start of its last goal. */
export interface Replay {
  run: string;
  since: number | 'goal';
}

/** Streams `RUN_STARTED` first and `RUN_FINISHED` or `RUN_ERROR` last. A client that leaves does not stop the run. */
export async function* streamRun(input: AgUiInput, scope: StreamScope): AsyncGenerator<AgUiEvent> {
  const { threadId, runId } = input;
  yield { type: 'RUN_STARTED', threadId, runId, ...(speaks1(input) && { protocolVersion: '1.0' }) };
  try {
    yield* new RunStream(input, scope).events();
  } catch (error) {
    const known = explainError(error);
    const message = [known?.message ?? errorText(error), known?.remedy ?? ''].filter(Boolean).join(' ');
    yield { type: 'RUN_ERROR', message, code: known?.code ?? 'internal' };
  }
}

type Spoken = AgUiSpoken | AgUiAgent;

/** An event, the run's `seq` at that time, and what the client receives of it. */
interface Heard {
  event: RunEvent;
  at: number;
  told: Spoken[];
}

class RunStream {
  readonly #input: AgUiInput;
  readonly #scope: StreamScope;
  readonly #conversation = new Conversation();
  readonly #shown = new Shown();
  #words: Vocabulary<Spoken> = () => [];
  /** The client received messages that a reset made void. */
  #isStale = false;
  #isOver = false;

  constructor(input: AgUiInput, scope: StreamScope) {
    this.#input = input;
    this.#scope = scope;
  }

  async *events(): AsyncGenerator<AgUiEvent> {
    const client = await this.#scope.client();
    const { replay } = this.#scope;
    const all = await runsOf(client, this.#input.threadId);
    const runs = replay ? all.slice(0, 1 + all.findIndex(({ id }) => id === replay.run)) : all;
    const last = runs.pop();
    for (const run of runs) await recall(run, this.#conversation);
    if (last === undefined) return yield* this.#follow(await this.#start(true), null);
    const followed = await this.#followed(last);
    const listening = new Listening(this.#scope, last.id);
    try {
      if (replay) return yield* this.#again(followed, listening, replay.since);
      await this.#catchUp(followed, listening);
      this.#scope.placed?.(followed.told);
      const sent = await this.#send(followed);
      if (sent.now) see(followed, sent.now);
      yield* sent.told;
      if (sent.texts.length === 0) return yield* this.#tell(followed, listening, sent);
    } finally {
      listening.close();
    }
    // A message to an ended run becomes the goal of the next run.
    const next = await this.#start(false);
    yield* this.#follow(next, this.#conversation);
  }

  async #start(isFirst: boolean): Promise<Run> {
    const { messages } = this.#input;
    const news = this.#conversation.unheard(messages).filter(({ text }) => text !== '');
    const { workspace, client } = this.#scope;
    return startRun(await client(), this.#input, { said: news, isFirst, workspace });
  }

  #send(followed: Followed): Promise<Sent> {
    const news = this.#conversation.unheard(this.#input.messages).filter(({ text }) => text !== '');
    return send(this.#input, followed, { news, hub: this.#scope.hub });
  }

  async #followed(run: Run): Promise<Followed> {
    await recallStart(run, this.#conversation);
    this.#words = agUiEvents(run.id);
    return { run, snapshot: null, told: 0, goalEnd: null, end: null, gates: new Set() };
  }

  /** Follows a run that this request has started. */
  async *#follow(run: Run, before: Conversation | null): AsyncGenerator<AgUiEvent> {
    const listening = new Listening(this.#scope, run.id);
    const followed = await this.#followed(run);
    this.#scope.placed?.(0);
    try {
      if (before) yield this.#messages();
      yield* this.#until(followed, listening, { since: 0 });
    } finally {
      listening.close();
    }
  }

  /** Reads all events of the run up to now. Events that the console no longer has in memory are read from the run. */
  async #catchUp(followed: Followed, listening: Listening): Promise<Heard[]> {
    const frames: Frame[] = [];
    let earlier: RunEvent[] = [];
    for await (const frame of listening.frames()) {
      throwIfLost(frame);
      frames.push(frame);
      if (frame.type !== 'caught_up') continue;
      earlier = await eventsBefore(frame.from, followed.run, this.#scope.signal);
      break;
    }
    // With only a part of the conversation, the next message could be sent twice.
    this.#scope.signal.throwIfAborted();
    const heard = earlier.map(event => this.#hear(followed, event));
    const last = new Map(earlier.flatMap(event => ('seq' in event ? [[event.path, event.seq]] : [])));
    for (const frame of frames) {
      if (frame.type !== 'event') this.#take(followed, frame);
      // A watcher that began late repeats the past events of sub-agents at work.
      else if (!('seq' in frame.event) || frame.event.seq > (last.get(frame.event.path) ?? 0))
        heard.push(this.#hear(followed, frame.event));
    }
    return heard;
  }

  async *#again(followed: Followed, listening: Listening, since: number | 'goal'): AsyncGenerator<AgUiEvent> {
    const all = await this.#catchUp(followed, listening);
    const isGoal = ({ event }: { event: RunEvent }) =>
      event.type === 'goal_started' && event.path === undefined && event.number > 1;
    const first = since === 'goal' ? all.findLastIndex(isGoal) : all.findIndex(({ at }) => at > since);
    const from = first < 0 && since !== 'goal' ? all.length : Math.max(0, first);
    const replayed = all.slice(from).flatMap(each => each.told);
    yield* replayed;
    const begun = new Set(replayed.flatMap(each => ('messageId' in each ? [each.messageId] : [])));
    for (const each of this.#conversation.openAgain())
      if (!('messageId' in each && begun.has(each.messageId))) yield each;
    if (followed.snapshot) yield* this.#shown.take(followed.snapshot);
    yield* this.#until(followed, listening, { since: null });
  }

  async *#tell(followed: Followed, listening: Listening, sent: Sent): AsyncGenerator<AgUiEvent> {
    yield this.#messages();
    if (followed.snapshot) yield* this.#shown.take(followed.snapshot);
    yield* this.#conversation.openAgain();
    yield* this.#until(followed, listening, sent);
  }

  async *#until(
    followed: Followed,
    listening: Listening,
    sent: Pick<Sent, 'since'>,
  ): AsyncGenerator<AgUiEvent> {
    yield* this.#ending(followed, sent);
    if (this.#isOver) return;
    for await (const frame of listening.frames()) {
      yield* this.#take(followed, frame);
      if (frame.type === 'snapshot') yield* this.#shown.take(frame.snapshot);
      if (frame.type === 'trouble' && frame.message !== null)
        yield { type: 'CUSTOM', name: 'steersman.trouble', value: { message: frame.message } };
      yield* this.#ending(followed, sent);
      if (this.#isOver) return;
    }
  }

  async *#ending(followed: Followed, sent: Pick<Sent, 'since'>): AsyncGenerator<AgUiEvent> {
    const ending = endingOf(this.#input, followed, sent);
    if (ending === null) return;
    this.#isOver = true;
    yield* this.#conversation.closing();
    const asks = ending.type === 'RUN_FINISHED' && ending.outcome?.type === 'interrupt';
    if (asks || this.#isStale) yield this.#messages();
    if (asks) yield* this.#shown.all();
    // The watcher reads the state only after the event that ends the stream.
    else yield* this.#shown.take(await followed.run.show());
    yield ending;
  }

  #messages(): AgUiEvent {
    return { type: 'MESSAGES_SNAPSHOT', messages: this.#conversation.with(this.#input.messages) };
  }

  #take(followed: Followed, frame: Frame): Spoken[] {
    throwIfLost(frame);
    if (frame.type === 'snapshot') see(followed, frame.snapshot);
    return frame.type === 'event' ? this.#hear(followed, frame.event).told : [];
  }

  #hear(followed: Followed, event: RunEvent): Heard {
    note(followed, event);
    this.#conversation.hear(followed.run.id, event);
    const events = this.#words(event);
    for (const each of events) this.#conversation.take(each);
    this.#isStale ||= events.some(each => each.type === 'CUSTOM' && each.name === 'steersman.reset');
    return { event, at: followed.told, told: events.filter(each => !this.#isOfClient(each)) };
  }

  /** True for a result that the client sent itself: its message is in the conversation already. */
  #isOfClient(event: Spoken): boolean {
    if (event.type !== 'TOOL_CALL_RESULT') return false;
    return this.#input.messages.some(({ toolCallId }) => toolCallId === event.toolCallId);
  }
}

function throwIfLost(frame: Frame): void {
  if (frame.type === 'lost')
    throw new SteersmanError(frame.message, 'Ask again: the run goes on.', 'unreachable');
}

/** Returns the run's events before its own event `from`, which has happened. */
async function eventsBefore(from: number, run: Run, signal: AbortSignal): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  if (from <= 1) return events;
  for await (const event of run.events({ live: false, signal })) {
    if (event.type === 'end' || (ownSeq(event) ?? 0) >= from) break;
    events.push(event);
  }
  return events;
}
