/** One request of AG-UI: what it says reaches the run, and what the run says is told until it ends or asks. */

import { type AgUiAgent, type AgUiEvent, type AgUiSpoken, agUiEvents, Conversation } from '@steersman/ag-ui';
import { errorText } from 'steersman/base';
import { explainError, type Run, SteersmanError, type Vocabulary } from 'steersman/client';
import type { Frame } from '../api.js';
import type { RouteScope } from '../routes.js';
import { endingOf } from './ending.js';
import { type Followed, note } from './followed.js';
import { type AgUiInput, speaks1 } from './input.js';
import { Listening } from './listening.js';
import { type Sent, send } from './send.js';
import { Shown } from './shown.js';
import { recall, runsOf, startRun } from './thread.js';

export interface TalkScope extends RouteScope {
  /** Ends the telling. */
  signal: AbortSignal;
}

/** First `RUN_STARTED`, last `RUN_FINISHED` or `RUN_ERROR`. Who leaves it stops nothing. */
export async function* talk(input: AgUiInput, scope: TalkScope): AsyncGenerator<AgUiEvent> {
  const { threadId, runId } = input;
  yield { type: 'RUN_STARTED', threadId, runId, ...(speaks1(input) && { protocolVersion: '1.0' }) };
  try {
    yield* new Talk(input, scope).events();
  } catch (error) {
    const known = explainError(error);
    const message = [known?.message ?? errorText(error), known?.remedy ?? ''].filter(Boolean).join(' ');
    yield { type: 'RUN_ERROR', message, code: known?.code ?? 'internal' };
  }
}

class Talk {
  readonly #input: AgUiInput;
  readonly #scope: TalkScope;
  readonly #conversation = new Conversation();
  readonly #shown = new Shown();
  #words: Vocabulary<AgUiSpoken | AgUiAgent> = () => [];
  /** Messages were told that do not count. */
  #isStale = false;
  #isOver = false;

  constructor(input: AgUiInput, scope: TalkScope) {
    this.#input = input;
    this.#scope = scope;
  }

  async *events(): AsyncGenerator<AgUiEvent> {
    const client = await this.#scope.client();
    const runs = await runsOf(client, this.#input.threadId);
    const last = runs.pop();
    for (const run of runs) await recall(run, this.#conversation);
    if (last === undefined) return yield* this.#follow(await this.#start(true), null);
    const followed = this.#followed(last);
    const listening = new Listening(this.#scope, last.id);
    try {
      await this.#catchUp(followed, listening);
      const sent = await this.#send(followed);
      yield* sent.told;
      if (sent.texts.length === 0) return yield* this.#tell(followed, listening, sent);
    } finally {
      listening.close();
    }
    // What is said to a run that has ended is the goal of the next one.
    const next = await this.#start(false);
    yield* this.#follow(next, this.#conversation);
  }

  async #start(isFirst: boolean): Promise<Run> {
    const { messages } = this.#input;
    const said = this.#conversation.unheard(messages).filter(({ text }) => text !== '');
    const { workspace, client } = this.#scope;
    return startRun(await client(), this.#input, { said, isFirst, workspace });
  }

  #send(followed: Followed): Promise<Sent> {
    const news = this.#conversation.unheard(this.#input.messages).filter(({ text }) => text !== '');
    return send(this.#input, followed, { news, hub: this.#scope.hub });
  }

  #followed(run: Run): Followed {
    this.#words = agUiEvents(run.id);
    return { run, snapshot: null, told: 0, goalEnd: null, end: null, gates: new Set() };
  }

  /** A run that this request has begun. */
  async *#follow(run: Run, before: Conversation | null): AsyncGenerator<AgUiEvent> {
    const listening = new Listening(this.#scope, run.id);
    const followed = this.#followed(run);
    try {
      if (before) yield this.#messages();
      yield* this.#until(followed, listening, { since: 0 });
    } finally {
      listening.close();
    }
  }

  /** All that the run has told up to now. */
  async #catchUp(followed: Followed, listening: Listening): Promise<void> {
    for await (const frame of listening.frames()) {
      this.#take(followed, frame);
      if (frame.type === 'caught_up') return;
    }
    // Who knows half of what was said would say the rest twice.
    this.#scope.signal.throwIfAborted();
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
    // The watcher reads it a moment after the event that ends the stream.
    else yield* this.#shown.take(await followed.run.show());
    yield ending;
  }

  #messages(): AgUiEvent {
    return { type: 'MESSAGES_SNAPSHOT', messages: this.#conversation.with(this.#input.messages) };
  }

  #take(followed: Followed, frame: Frame): (AgUiSpoken | AgUiAgent)[] {
    if (frame.type === 'lost')
      throw new SteersmanError(frame.message, 'Ask again: the run goes on.', 'unreachable');
    if (frame.type === 'snapshot') followed.snapshot = frame.snapshot;
    if (frame.type !== 'event') return [];
    const { event } = frame;
    note(followed, event);
    this.#conversation.hear(followed.run.id, event);
    const told = this.#words(event);
    for (const each of told) this.#conversation.take(each);
    this.#isStale ||= told.some(each => each.type === 'CUSTOM' && each.name === 'steersman.reset');
    return told.filter(each => !this.#isOfClient(each));
  }

  /** A result that the client brought is a message of its own, and would be there twice. */
  #isOfClient(told: AgUiSpoken | AgUiAgent): boolean {
    if (told.type !== 'TOOL_CALL_RESULT') return false;
    return this.#input.messages.some(({ toolCallId }) => toolCallId === told.toolCallId);
  }
}
