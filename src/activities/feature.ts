/** The part of a feature that runs on workers. `features/workers.ts` lists all. */
import type { Settings } from '../config/settings/settings.js';
import type { PinnedRun, RunSettings } from '../run/agents/run-config.js';
import type { Message } from '../run/messages/message.js';
import type { ToolDefinition } from '../run/tools/tool.js';
import type { BlobStore } from '../shared/store/blob-store.js';
import type { AccountStore } from '../shared/store/store.js';
import type { HostDeps } from './check-call.js';
import type { RunHooks } from './run-hooks.js';
import type { Hears } from './tell.js';

/** The parts of a worker that its activities may use. */
export interface WorkerParts extends Pick<HostDeps, 'readArguments' | 'deniedTools'> {
  blobs: BlobStore;
  accounts: AccountStore;
  /** The settings at the worker's start. */
  settings: Settings;
  /** Functions of the worker's program. */
  hooks: RunHooks;
  /** Returns a variable of the worker's environment. */
  lookup(name: string): string | undefined;
  /** Asks the run for messages. */
  readMessages(ids: string[]): Promise<Message[]>;
  redact<T>(value: T): T;
  /** Folder of the worker's configuration; null without one. */
  configDir: string | null;
  /** Returns whether that folder is trusted in its present state. */
  isTrusted(): boolean;
  /** Folders of skills that the worker's program names. */
  skills: readonly string[];
}

export interface WorkerFeature {
  name: string;
  /** Definitions of the tools that the run carries out itself. */
  tools?: readonly ToolDefinition[];
  /** Its activities, by their types on the wire. */
  activities?: Readonly<Record<string, (parts: WorkerParts) => (input: never) => Promise<unknown>>>;
  /** Its action at moments of a run. It may stop the worker from starting. @throws SteersmanError */
  hears?(parts: WorkerParts): Hears;
  /** Environment variables whose values are secrets. */
  secretVariables?(settings: Settings): string[];
  /** Returns details for the failure of a run that can't begin. */
  refusal?(parts: WorkerParts): Record<string, unknown>;
  /** The values that a run pins for it. */
  pins?(parts: WorkerParts, settings: Settings, run: RunSettings): Promise<Partial<PinnedRun>>;
  /** Texts and tools that it adds for models; null: the run is the same as without the feature. */
  offers?(parts: WorkerParts, settings: Settings): Promise<FeatureTools | null>;
  /** True if each model of the run needs a price. */
  needsPrices?(settings: Settings, run: RunSettings): boolean;
}

/** A feature's offer to the roles of a run that work with tools. */
export interface FeatureTools {
  /** Tools that the run carries out itself. Each of these roles may call them. */
  tools: readonly ToolDefinition[];
  /** A section at the beginning of these roles' requests. */
  beginning: string;
  pinned: Partial<PinnedRun>;
  warnings: readonly string[];
}

/** All features of a worker, and what they may use of it. */
export interface Beside {
  features: readonly WorkerFeature[];
  parts: WorkerParts;
  ownTools: readonly ToolDefinition[];
}
