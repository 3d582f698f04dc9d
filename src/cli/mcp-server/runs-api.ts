/** What the tools use of the client API, so that a fake can stand in for it. */
import type { ListedRun, ListOptions, Run, StartOptions } from '../../client/index.js';

export type RunHandle = Pick<
  Run,
  | 'id'
  | 'webUi'
  | 'workspace'
  | 'events'
  | 'show'
  | 'steer'
  | 'followUp'
  | 'answerGate'
  | 'submitToolResult'
  | 'stop'
>;

/** A `SteersmanClient`. */
export interface RunsApi {
  readonly address: string;
  readonly namespace: string;
  start(goal: string, options: StartOptions): Promise<RunHandle>;
  attach(id: string): Promise<RunHandle>;
  list(options: ListOptions): AsyncIterable<ListedRun>;
}
