/** State that all runs of a client share, and the parts of this machine that a client uses: the module imports none of them. */
import type { RunSettings } from '../../run/agents/run-config.js';
import type { ModeName } from '../../run/position/modes.js';
import type { WorkerSettings } from '../../shared/local/protocol.js';
import type { Report } from '../../shared/process/output.js';
import type { Store } from '../../shared/store/store.js';
import type { Temporal } from './connect.js';

export interface ClientScope {
  temporal: Temporal;
  /** Null: there is no store, and nothing is looked up in it. */
  kept: ReadableStore | null;
  /** Null if no local stack can serve runs. */
  project: Project | null;
  report: Report;
  /** Aborted when the client is closed, with that reason. */
  closing: AbortSignal;
}

/** The parts of a store that clients read. */
export type ReadableStore = Pick<Store, 'sessions' | 'texts' | 'accounts'>;

/** This machine's configuration for starts. Its background workers use the same configuration. */
export interface Project {
  answering(start: Start, given: { ownQueue: boolean }): Promise<Answering>;
  /** Returns faults if such a worker does not know the mode or the role; else an empty list. */
  modeFaults(settings: Pick<RunSettings, 'mode' | 'role'>, configDir: string | undefined): Promise<string[]>;
  /** Throws a SteersmanError if the folder does not exist. */
  checkConfigDir(folder: string): Promise<void>;
  /** Returns the real path of a workspace. Throws a SteersmanError if the folder does not exist. */
  checkWorkspace(path: string): Promise<string>;
  /** True if the default configuration folder is trusted; an untrusted folder is not read. */
  isTrusted(): boolean;
  /** Returns a worker's settings, with the configuration of a folder, or of the default one. */
  workerOf(configDir: string | null): WorkerSettings;
  /** Returns the settings of a worker for a queue whose runs were left open. */
  workerOfQueue(home: string, taskQueue: string): WorkerSettings;
}

/** The options of a start that name a model, a role, a mode, or the configuration. */
export interface Start {
  model?: string;
  configuration?: string;
  configDir?: string;
  mode?: ModeName;
  role?: string;
}

/** The model that answers a start. */
export interface Answering {
  /** Model to set for the run: the named one, or the demo model. Absent: its worker's configuration decides. */
  model?: string;
  /** A note for people about the chosen model, if the start names no model. */
  note?: string;
  /** The reasons why the start is refused; empty if it is not. */
  faults: string[];
}
