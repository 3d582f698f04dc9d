/** Who works on a task: a side with its way of asking the same model. */
import type { Task } from './tasks.js';

/** What the work on a task came to. */
export interface Played {
  answer: string;
  /** Why there is no end to look at; null where there is one. */
  failure: string | null;
  /** In the side's own words. */
  ended: string;
  /** The side says itself that the work was verified. */
  verified: boolean;
  calls: number;
  /** Input tokens in all, and those of them that the endpoint read from its cache. */
  sent: number;
  cached: number;
  output: number;
}

export interface Side {
  name: string;
  /** Works on the task in a folder that has its files. `said` is called when the person has had their word. */
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
