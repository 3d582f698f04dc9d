/** What the console's server and its page say to each other: JSON, and a stream of frames. Types alone. */
import type { Gate, RunEvent, RunSnapshot, ToolInput } from 'steersman/client';
import type { PlannedTask } from 'steersman/run';

/** A gate of any run, as the page Waiting has it. */
export interface WaitingGate {
  run: string;
  goal: string | null;
  gate: Gate;
  /** All arguments of the tool call that it is about; null for another gate, and where no worker tells them. */
  input: ToolInput | null;
  /** What a plan gate asks about, where its text holds only a part of it. */
  tasks?: PlannedTask[];
}

/** A run that waits for a person, and no worker tells now for what: gates of it that are known stay. */
export interface UntoldRun {
  run: string;
  goal: string | null;
}

/** What a page wants to hear. */
export interface StreamAsk {
  /** Runs by id, each with the number of the last own event that the page has; 0: from the first that is kept at hand. */
  runs: Record<string, { since: number }>;
  /** Of a run from its first event: so many events, the last. Left out: all that are kept at hand. */
  most?: number | undefined;
}

/** One message of the stream, of a run where it has `run`. */
export type Frame =
  /** Durable events come with `seq`; what a page has already it passes over, by `path` and `seq`. */
  | { type: 'event'; run: string; event: RunEvent }
  /** The run as its worker or the server has it: first of all, and after what changes it. */
  | { type: 'snapshot'; run: string; snapshot: RunSnapshot }
  /** All events up to now were told. `from`: number of the first own event that the stream has told. */
  | { type: 'caught_up'; run: string; from: number }
  /** The run can't be followed: there is none of this id, or it can't be read. */
  | { type: 'lost'; run: string; message: string }
  /** All that waits for a person, oldest first: whenever that changes. `more`: older runs wait, too. */
  | { type: 'waiting'; gates: WaitingGate[]; untold: UntoldRun[]; more: boolean }
  /** Temporal can't be reached, in words; null: it is back. */
  | { type: 'trouble'; message: string | null }
  /** Each ten seconds: a stream without one for 25 s is dead. */
  | { type: 'ping'; at: number };

/** What every refusal and failure says. */
export interface Fault {
  error: { code: string; message: string; remedy: string };
}
