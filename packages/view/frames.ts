/** The protocol between the console's server and its page: JSON, and a stream of frames. Types only. */
import type { Gate, Limits, RunEvent, RunSnapshot, ToolInput, Usage } from 'steersman/client';
import type { PlannedTask } from 'steersman/run';

/** A gate of any run, as the page Waiting shows it. */
export interface WaitingGate {
  run: string;
  goal: string | null;
  /** Folder in which its run works; null if unknown. */
  workspace: string | null;
  gate: Gate;
  /** All arguments of the gate's tool call; null for other gates, and if no worker answers. */
  input: ToolInput | null;
  /** The tasks of a plan gate; the server leaves them out if its text has all of them. */
  tasks?: PlannedTask[];
}

/** A run that waits for a person, but has no worker that could name its gates. Known gates are still listed. */
export interface UntoldRun {
  run: string;
  goal: string | null;
}

/** Facts in a list of runs that only each run itself knows. */
export interface RunFigures {
  usage: Usage | null;
  /** Its model, or the first of those that it called; null if it is unknown. */
  model: string | null;
  /** How its last goal ended; null before. */
  outcome: string | null;
}

/** The settings with which a page starts a run, and which it reads to start a run again. */
export interface StartAsk {
  goal: string;
  mode?: string;
  model?: string;
  workspace?: string;
  limits?: Partial<Limits>;
  /** Commands that the goal must pass. */
  checks?: string[];
  attended?: boolean;
  autoApprove?: boolean;
  approvePlan?: boolean;
  /** Texts that the run has read when it begins. */
  files?: { name: string; text: string }[];
  pictures?: { name: string; mimeType: string; base64: string }[];
  keepOpenSeconds?: number;
}

/** The subscription of a page. */
export interface StreamAsk {
  /** Runs by id, each with the `seq` of its last event that the page has. 0: from the first event in memory. */
  runs: Record<string, { since: number }>;
  /** For a run from its first event: only this many of the last events. Default: all events in memory. */
  most?: number | undefined;
}

/** A message of the stream; it belongs to a run if it has `run`. */
export type Frame =
  /** Durable events have `seq`. A page ignores events that it has, by `path` and `seq`. */
  | { type: 'event'; run: string; event: RunEvent }
  /** The run's state, from its worker or the server: sent first, and after events that change it. */
  | { type: 'snapshot'; run: string; snapshot: RunSnapshot }
  /** All events up to now were sent. `from`: `seq` of the run's first event that the stream has sent. */
  | { type: 'caught_up'; run: string; from: number }
  /** The run can't be followed: its id is unknown, or it can't be read. */
  | { type: 'lost'; run: string; message: string }
  /** All open gates, oldest first, after each change. `more`: older runs wait too. */
  | { type: 'waiting'; gates: WaitingGate[]; untold: UntoldRun[]; more: boolean }
  /** Describes why Temporal can't be reached; null when it can be again. */
  | { type: 'trouble'; message: string | null }
  /** Sent every ten seconds: a stream without a ping for 25 s is dead. */
  | { type: 'ping'; at: number };
