/** Hooks as programs write them: functions of a worker that are called as runs go on. */
import type { Cause, Outcome } from '../run/limits/cause.js';
import type { Message, Usage } from '../run/messages/message.js';

export interface Told {
  /** Names what the hook is called for, and nothing else: the same in every try. */
  key: string;
  /** Workflow id of the run. */
  runId: string;
  /** Number of the goal in the run, from 1. */
  goal: number;
  /** What the run was started with as `context`. */
  context: Readonly<Record<string, string>>;
}

/** A reply has come, and its tools have not begun. */
export interface EndedTurn extends Told {
  /** Number of the reply in the run, from 1. */
  turn: number;
  role: string;
  /** `endpoint/model`. */
  model: string;
  /** The endpoint. */
  provider: string;
  usage: Usage;
}

/** A reply, or a result of a tool. */
export interface SaidMessage extends Told {
  message: Message;
}

/** A model has failed a role for good, with all its tries and all that could take its place. */
export interface FailedModel extends Told {
  role: string;
  model: string;
  error: string;
  /** A later try may bring a reply. */
  isRetryable: boolean;
}

export interface EndedRun extends Told {
  outcome: Outcome;
  cause: Cause;
}

/** Functions that are called as runs go on, each in 10 s. A worker that dies meanwhile is replaced: by its key a function knows what it has done. */
export interface RunHooks {
  /** False ends the goal before its tools. What it throws, in three tries, ends the run as failed. */
  onTurnEnd?(turn: EndedTurn): boolean | undefined | Promise<boolean | undefined>;
  /** What it throws is one warning. */
  onMessage?(said: SaidMessage): unknown;
  /** What it throws is ignored. */
  onError?(failed: FailedModel): unknown;
  /** What it throws is one warning. */
  onRunEnd?(ended: EndedRun): unknown;
}
