/** What a simulated run has around it: the time and the people of its tree, and the runs above and below it. */
import type { Ports } from '../../src/workflows/run/ports.js';
import type { Crowd } from './crowd.js';
import type { Moments } from './moments.js';
import type { Timeline } from './timeline.js';
import type { TreeBook } from './tree-book.js';

export type AgentPorts = Pick<
  Ports,
  'callSubagent' | 'tellSubagent' | 'cancelSubagents' | 'tellCaller' | 'callerTold'
>;

export interface Surroundings {
  /** The way to the run: '' for the lead, then `search/1`, `middle/1/search/1`. */
  path: string;
  timeline: Timeline;
  /** All that people do, they do to the lead. */
  crowd: Crowd;
  moments: Moments;
  /** What people were promised of all. */
  book: TreeBook;
  agents: AgentPorts;
}
