/** What all runs of a client share, and what a client is given of its machine: it imports none of it. */
import type { ModeName } from '../../run/position/modes.js';
import type { WorkerSettings } from '../../shared/local/protocol.js';
import type { Report } from '../../shared/process/output.js';
import type { Store } from '../../shared/store/store.js';
import type { Temporal } from './connect.js';

export interface ClientScope {
  temporal: Temporal;
  /** Null: nothing is looked up there. */
  kept: KeptStore | null;
  /** Null where no local stack can serve runs. */
  project: Project | null;
  report: Report;
  /** Aborted when the client is closed, with that as its reason. */
  closing: AbortSignal;
}

/** What clients read of the store of conversations. */
export type KeptStore = Pick<Store, 'sessions' | 'texts' | 'accounts'>;

/** What the configuration of this machine says of starts: its background workers go by the same. */
export interface Project {
  answering(start: Start, given: { ownQueue: boolean }): Promise<Answering>;
  /** Why such a worker does not know the mode; none where it does. */
  modeFaults(mode: string, configDir: string | undefined): Promise<string[]>;
  /** Throws a SteersmanError where there is no such folder. */
  checkConfigDir(folder: string): Promise<void>;
  /** The real path of a workspace. Throws a SteersmanError where there is no such folder. */
  checkWorkspace(path: string): Promise<string>;
  /** Whether the folder whose configuration holds here is trusted: nothing is read of one that is not. */
  isTrusted(): boolean;
  /** A worker's settings: with the configuration of a folder, or of the one that holds here. */
  workerOf(configDir: string | null): WorkerSettings;
  /** The same for runs of a queue that were left open. */
  workerOfQueue(home: string, taskQueue: string): WorkerSettings;
}

/** What a start says of models, of who asks them, and where the configuration is. */
export interface Start {
  model?: string;
  configuration?: string;
  configDir?: string;
  mode?: ModeName;
  role?: string;
}

/** Which model answers a start. */
export interface Answering {
  /** To name for the run: what the person named, or the demo model. Left out: its worker goes by its configuration. */
  model?: string;
  /** For people: which model answers, where nobody named one. */
  note?: string;
  /** Why the start is refused. */
  faults: string[];
}
