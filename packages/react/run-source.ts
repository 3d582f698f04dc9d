/** A console's run for a page: follows it while there are listeners, and sends to it. Without React. */
import type { ComponentAction } from '@steersman/components';
import {
  AskFault,
  ask,
  type Console,
  type Item,
  RunFold,
  recordedAnswer,
  runPath,
  Stream,
  type StreamState,
  spokenText,
  takesNextGoal,
  wordsOf,
} from '@steersman/view';
import type { Gate, RunSnapshot } from 'steersman/client';
import { type PersonInput, replyTo } from 'steersman/rules';

/** A text of the conversation. */
export interface RunMessage {
  /** Unique in the run. */
  key: string;
  by: 'person' | 'role';
  /** The role that speaks; empty for a person. */
  role: string;
  /** For a person to read; JSON with components stays as it is, for `Content`. */
  text: string;
  at: number;
}

/** A reply that is being written. */
export interface LiveText {
  callId: string;
  role: string;
  /** Empty until there are words. */
  text: string;
  /** The model's reasoning. */
  reasoning: string;
}

export interface RunState {
  /** `live`: the state is current. `away`: the console does not answer. `refused`: the token is unknown. */
  connection: StreamState;
  messages: readonly RunMessage[];
  /** All entries of the conversation, with tool calls, receipts and notes. */
  entries: readonly Item[];
  /** The tasks of the plan. */
  plan: RunSnapshot['tasks'];
  /** The run's questions, oldest first. */
  gates: readonly Gate[];
  live: readonly LiveText[];
  /** Null until the run was found. */
  snapshot: RunSnapshot | null;
  ended: boolean;
  /** The reason why the run can't be followed; else null. */
  lost: string | null;
}

/** The state of a sent message. */
export interface Receipt {
  id: string;
  state: string;
  how: string;
}

export interface SendOptions {
  /** A message that is sent again under its id has no second effect. Default: a new one. */
  id?: string;
  /** When a message to a run at work takes effect. */
  when?: 'skip' | 'after-batch' | 'interrupt';
  /** The role or sub-agent that reads it. Default: the role at work. */
  to?: string;
}

const NOTHING: RunState = {
  ...{ connection: 'connecting', messages: [], entries: [], plan: [], gates: [], live: [] },
  ...{ snapshot: null, ended: false, lost: null },
};

export class RunSource {
  readonly #id: string | null;
  readonly #console: Console;
  readonly #listeners = new Set<() => void>();
  #fold: RunFold;
  #stream: Stream | null = null;
  #state: RunState = NOTHING;
  #connection: StreamState = 'connecting';

  /** `id`: null for no run yet. */
  constructor(id: string | null, console: Console) {
    this.#id = id;
    this.#console = console;
    this.#fold = new RunFold(id ?? '', () => undefined);
  }

  /** Follows the run until the returned function is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#stream === null) this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stream?.close();
      this.#stream = null;
    };
  };

  /** Returns one and the same object until something changes. */
  readonly state = (): RunState => this.#state;

  /** Says a text to the run: as its next goal if it has answered, else as steering. @throws {AskFault} */
  readonly send = (text: string, { id = crypto.randomUUID(), ...how }: SendOptions = {}): Promise<Receipt> =>
    takesNextGoal(this.#fold)
      ? this.#post('follow-up', { id, text })
      : this.#post('steer', { id, text, ...how });

  /** Answers a gate, by a decision or in a person's words. @throws {AskFault} if it does not fit, or the run refuses it. */
  readonly answer = async (gateId: string, given: PersonInput): Promise<void> => {
    const gate = this.#state.gates.find(({ id }) => id === gateId);
    if (gate === undefined) throw fault('The gate is closed.', 'rejected');
    const reply = replyTo(gate, given);
    if (!('input' in reply)) throw fault(reply.error, 'usage');
    await this.#post('answer', { ...reply.input, gateId });
  };

  /** Sends a person's choice in a component. @throws {AskFault} */
  readonly act = (action: ComponentAction): Promise<Receipt> => this.#post('component-action', action);

  /** Stops the run. @throws {AskFault} */
  readonly stop = async (): Promise<void> => {
    await this.#post('stop', {});
  };

  #follow(): void {
    if (this.#id === null) return;
    const stream = new Stream(
      this.#console.token ?? '',
      {
        frames: frames => {
          for (const frame of frames) if ('run' in frame && frame.run === this.#id) this.#fold.take(frame);
          this.#changed();
        },
        state: state => {
          if (state === this.#connection) return;
          this.#connection = state;
          this.#changed();
        },
      },
      this.#console.url,
    );
    this.#stream = stream;
    stream.want({ [this.#id]: { since: this.#fold.lastSeq } });
  }

  #changed(): void {
    this.#state = stateOf(this.#fold, this.#connection);
    for (const listener of this.#listeners) listener();
  }

  #post<T>(what: string, body: object): Promise<T> {
    if (this.#id === null) return Promise.reject(fault('There is no run yet.', 'usage'));
    return ask<T>(this.#console, runPath(this.#id, what), { body });
  }
}

function fault(message: string, code: string): AskFault {
  return new AskFault({ code, message, remedy: '' });
}

function stateOf(run: RunFold, connection: StreamState): RunState {
  const { fold, progress, snapshot, ended, lost } = run;
  const recorded = recordedAnswer(fold, snapshot);
  const entries = recorded === null ? [...fold.items] : [...fold.items, recorded];
  return {
    connection,
    messages: entries.filter(({ path }) => path === '').flatMap(messageOf),
    entries,
    plan: snapshot?.tasks ?? [],
    gates: snapshot?.gates ?? [],
    live: [...progress.calls].map(([callId, call]) => ({
      callId,
      role: call.role,
      text: (call.form === 'words' ? call.heard.text.text : wordsOf(call)) ?? '',
      reasoning: call.heard.reasoning.text,
    })),
    snapshot,
    ended: ended || (snapshot !== null && snapshot.endedAt !== null),
    lost,
  };
}

function messageOf(item: Item): RunMessage[] {
  const { key, at } = item;
  const message = (by: RunMessage['by'], role: string, text: string | null): RunMessage[] =>
    text === null || text === '' ? [] : [{ key, by, role, text, at }];
  switch (item.kind) {
    case 'goal':
    case 'message':
      return message('person', '', item.text);
    case 'told':
      return message('role', item.role, item.text);
    case 'said':
      return message('role', item.role, item.form === 'words' ? item.text : spokenText(item.text, item.form));
    case 'answer':
      return item.repeats ? [] : message('role', 'answer', item.text);
    default:
      return [];
  }
}
