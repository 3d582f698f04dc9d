/** What the tools need of the runs: the client of a Temporal server, or a fake of tests. */

import type { ListedRun, RunEvent, RunSnapshot, SentMessage } from '../client/index.js';
import type { SteerTime } from '../core/inbox.js';
import type { Limits } from '../core/limits.js';

/** What a start says besides its goal. */
export interface StartWishes {
  id?: string;
  /** Absolute. */
  workspace: string;
  model?: string;
  autoApprove: boolean;
  /** Gates wait for an answer. */
  attended: boolean;
  approvePlan: boolean;
  keepOpenSeconds?: number;
  limits?: Partial<Limits>;
  /** Id of an ended run to go on from. */
  after?: string;
}

export interface StartedRun {
  id: string;
  webUi: string | null;
  /** What whoever started it should know. */
  notes: string[];
}

export interface SaidToRun {
  text: string;
  when: SteerTime;
  to?: string;
  /** The text is the next goal instead. */
  followUp: boolean;
}

/** All of them reject with a SteersmanError for what a caller can mend. */
export interface RunsApi {
  start(goal: string, wishes: StartWishes): Promise<StartedRun>;
  /** What happens in the run after the event number `since`, until its end. */
  watch(id: string, options: { since: number; signal: AbortSignal }): AsyncIterable<RunEvent>;
  /** Where it stands: as its worker says, else what the server knows. */
  look(id: string): Promise<RunSnapshot>;
  /** The first word on the message; its status is `sent` where no worker has one yet. */
  say(id: string, said: SaidToRun): Promise<Pick<SentMessage, 'id' | 'status' | 'how'>>;
  answerGate(id: string, answer: Record<string, unknown>): Promise<void>;
  submitToolResult(id: string, result: Record<string, unknown>): Promise<void>;
  stop(id: string, reason: string): Promise<void>;
  /** Newest first. */
  list(wanted: { open: boolean; waiting: boolean; limit: number }): Promise<ListedRun[]>;
}
