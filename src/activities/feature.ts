/** What a feature beside the loop has on workers. `features/workers.ts` lists them. */
import type { ToolDefinition } from '../run/tools/tool.js';
import type { BlobStore } from '../shared/store/blob-store.js';
import type { HostDeps } from './tools/check-call.js';

/** What its activities may use of a worker. */
export interface WorkerParts extends Pick<HostDeps, 'readArguments' | 'deniedTools'> {
  blobs: BlobStore;
}

export interface WorkerFeature {
  name: string;
  /** Definitions of the tools that the run carries out itself. */
  tools?: readonly ToolDefinition[];
  /** Its activities, by their types on the wire. */
  activities?: Readonly<Record<string, (parts: WorkerParts) => (input: never) => Promise<unknown>>>;
}
