/** Hooks as programs write them: functions of a worker that are called during runs. */
import type { Cause, Outcome } from '../run/limits/cause.js';
import type { Message, Usage } from '../run/messages/message.js';
import type { Note } from '../run/state/note.js';

export interface HookCause {
  /** Identifies the hook's cause uniquely: the same in every attempt. */
  key: string;
  /** Workflow id of the run. */
  runId: string;
  /** Number of the goal in the run, from 1. */
  goal: number;
  /** The `context` that the run was started with. */
  context: Readonly<Record<string, string>>;
  /** Adds a note, 20 at most at one moment: an event for people, which no model gets. A failed hook adds no notes. */
  note(note: Note): void;
}

/** A moment as it is sent to an address. */
export type Facts<T extends HookCause = HookCause> = Omit<T, 'note'>;

/** A reply has arrived, and its tools have not begun. */
export interface EndedTurn extends HookCause {
  /** Number of the reply in the run, from 1. */
  turn: number;
  role: string;
  /** `endpoint/model`. */
  model: string;
  /** The endpoint. */
  provider: string;
  usage: Usage;
}

/** A reply, or a tool's result. */
export interface HookMessage extends HookCause {
  message: Message;
}

/** A model has finally failed a role, with all its attempts and all possible replacements. */
export interface FailedModel extends HookCause {
  role: string;
  model: string;
  error: string;
  /** A later attempt may succeed. */
  isRetryable: boolean;
}

export interface EndedRun extends HookCause {
  outcome: Outcome;
  cause: Cause;
}

/** Functions called during runs, each within 10 s. After a worker's death another calls again: the key identifies the call. */
export interface RunHooks {
  /** False ends the goal before its tools. If it throws in three attempts, the run ends as failed. */
  onTurnEnd?(turn: EndedTurn): boolean | undefined | Promise<boolean | undefined>;
  /** An error becomes one warning. */
  onMessage?(said: HookMessage): unknown;
  /** An error is ignored. */
  onError?(failed: FailedModel): unknown;
  /** An error becomes one warning. */
  onRunEnd?(ended: EndedRun): unknown;
}
