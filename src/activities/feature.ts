/** What a feature beside the loop has on workers. `features/workers.ts` lists them. */
import type { Settings } from '../config/settings.js';
import type { PinnedRun, RunSettings } from '../run/agents/run-config.js';
import type { ToolDefinition } from '../run/tools/tool.js';
import type { BlobStore } from '../shared/store/blob-store.js';
import type { AccountStore } from '../shared/store/store.js';
import type { Settle } from './hook.js';
import type { HostDeps } from './tools/check-call.js';

/** What its activities may use of a worker. */
export interface WorkerParts extends Pick<HostDeps, 'readArguments' | 'deniedTools'> {
  blobs: BlobStore;
  accounts: AccountStore;
}

export interface WorkerFeature {
  name: string;
  /** Definitions of the tools that the run carries out itself. */
  tools?: readonly ToolDefinition[];
  /** Its activities, by their types on the wire. */
  activities?: Readonly<Record<string, (parts: WorkerParts) => (input: never) => Promise<unknown>>>;
  /** What it does at moments of a run: see `workflows/beside/tell.ts`. */
  settles?(parts: WorkerParts): Settle;
  /** What a run pins of it. */
  pins?(parts: WorkerParts, settings: Settings, run: RunSettings): Promise<Partial<PinnedRun>>;
  /** Whether each model of the run needs a price. */
  needsPrices?(settings: Settings, run: RunSettings): boolean;
}
