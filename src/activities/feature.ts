/** The part of a feature that runs on workers. `features/workers.ts` lists all. */
import type { Settings } from '../config/settings/settings.js';
import type { PinnedRole } from '../run/agents/role.js';
import type { PinnedRun, RunSettings } from '../run/agents/run-config.js';
import type { Message } from '../run/messages/message.js';
import { isDenied } from '../run/tools/permission.js';
import { RECALL, type ToolDefinition } from '../run/tools/tool.js';
import type { BlobStore } from '../shared/store/blob-store.js';
import type { AccountStore } from '../shared/store/store.js';
import type { HostDeps } from './check-call.js';
import type { RunFiles } from './read-run-files.js';
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
  /** Folder of the worker's configuration; null for none. */
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
  /** What it lets models read and call; null: nothing, and the run is the same as without the feature. */
  offers?(parts: WorkerParts, settings: Settings): Promise<Offer | null>;
  /** True if each model of the run needs a price. */
  needsPrices?(settings: Settings, run: RunSettings): boolean;
}

/** A feature's offer to the roles of a run that work with tools. */
export interface Offer {
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

interface Offered {
  /** The files with the offered tools among the tools of their roles. */
  files: RunFiles;
  ownTools: readonly ToolDefinition[] | undefined;
  offers: readonly Offer[];
  warnings: string[];
}

/**
 * Asks the features. `taken`: names of other tools, which take precedence: a role would otherwise get another tool than
 * it names.
 */
export async function offeredBy(
  beside: Beside | undefined,
  files: RunFiles,
  taken: ReadonlySet<string>,
): Promise<Offered> {
  const { settings, roles } = files;
  const works = ({ tools }: { tools: readonly string[] }) => tools.some(name => name !== RECALL);
  if (!beside || !roles.some(({ profile }) => works(profile)))
    return { files, ownTools: beside?.ownTools, offers: [], warnings: [] };
  const given = await Promise.all(beside.features.map(({ offers }) => offers?.(beside.parts, settings)));
  const all = given.filter(offer => offer !== null && offer !== undefined);
  const clash = ({ tools }: Offer) => tools.find(({ name }) => taken.has(name));
  const offers = all.filter(
    offer => !clash(offer) && offer.tools.some(tool => !isDenied(tool, settings.permissions)),
  );
  const tools = offers.flatMap(offer => offer.tools);
  const names = tools.map(({ name }) => name);
  const withTools = roles.map(role =>
    works(role.profile)
      ? { ...role, profile: { ...role.profile, tools: [...role.profile.tools, ...names] } }
      : role,
  );
  const clashes = all.flatMap(offer => clash(offer) ?? []);
  return {
    files: names.length === 0 ? files : { ...files, roles: withTools },
    ownTools: [...beside.ownTools, ...tools],
    offers,
    warnings: [
      ...all.flatMap(offer => offer.warnings),
      ...clashes.map(
        ({ name }) => `Steersman's own tool ${name} is left out: there is a tool of this name already.`,
      ),
    ],
  };
}

/** Appends the sections, so that requests of runs with and without them begin alike. */
export function withBeginning(
  { roles, prefix }: Pick<PinnedRun, 'prefix'> & { roles: PinnedRole[] },
  offers: readonly Offer[],
): Pick<PinnedRun, 'prefix'> & { roles: PinnedRole[] } {
  const names = offers.flatMap(({ tools }) => tools.map(({ name }) => name));
  const has = (role: PinnedRole, kind: PinnedRole['prefix']) =>
    role.prefix === kind && names.some(name => role.tools.includes(name));
  const behind = (text: string) => [text, ...offers.map(({ beginning }) => beginning)].join('\n\n');
  return {
    roles: roles.map(role => (has(role, 'own') ? { ...role, prompt: behind(role.prompt) } : role)),
    prefix: roles.some(role => has(role, 'shared')) ? { system: behind(prefix.system) } : prefix,
  };
}
