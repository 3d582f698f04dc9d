/** A side that works on tasks, by its own way of asking the same model. */
import type { Task } from './tasks.js';

/** The result of a side's work on a task. */
export interface Played {
  answer: string;
  /** The reason why the work has no end that could be checked; null if it has one. */
  failure: string | null;
  /** In the side's own words. */
  ended: string;
  /** True if the side itself says that the work was verified. */
  verified: boolean;
  calls: number;
  /** Input tokens in total. `cached` are those of them that the endpoint read from its cache. */
  sent: number;
  cached: number;
  output: number;
}

export interface Side {
  name: string;
  /** Works on the task in a folder that has its files. It calls `said` once the person's message was sent. */
  play(
    task: Pick<Task, 'goal' | 'steer' | 'checks'>,
    folder: string,
    said: () => void,
    signal: AbortSignal,
  ): Promise<Played>;
}

export const NOTHING_PLAYED: Readonly<Played> = {
  answer: '',
  failure: null,
  ended: '',
  verified: false,
  calls: 0,
  sent: 0,
  cached: 0,
  output: 0,
};
