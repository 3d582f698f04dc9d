/** The tools of a run: of its servers, its client, the workflow and features. */

import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/json/json.js';
import { applyToolOverrides } from '../../config/settings/settings.js';
import { toolNamer } from '../../mcp/tools/tool-names.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { PinnedRun, RunSettings } from '../../run/agents/run-config.js';
import { idlePermissions, isDenied } from '../../run/tools/permission.js';
import { RECALL, type ToolDefinition } from '../../run/tools/tool.js';
import { addWorkflowTools, mergeClientTools } from '../../run/tools/workflow-tools.js';
import type { Beside, FeatureTools } from '../feature.js';
import { type RunFiles, roleWarnings } from './read-run-files.js';

export interface ListedTools {
  tools: ToolDefinition[];
  warnings: string[];
  /** The server that gets calls of unlisted tools. Default: no server. */
  fallbackServer?: string | null;
}

/** Returns the run's tools, with what features offer; `allowed`: those that the permissions do not deny. */
export async function offerTools(
  beside: Beside | undefined,
  { listed, read, run }: { listed: ListedTools; read: RunFiles; run: RunSettings },
) {
  const taken = new Set([...listed.tools, ...(run.clientTools ?? [])].map(({ name }) => name));
  const { files, offers, ownTools, warnings } = await offeredBy(beside, read, taken);
  const plain = toolsFor(listed, files, run, ownTools);
  return {
    files,
    offers,
    tools: plain.tools,
    allowed: plain.tools.filter(tool => !isDenied(tool, read.settings.permissions)),
    warnings: [...listed.warnings, ...plain.warnings, ...warnings],
  };
}

interface Offered {
  /** The files with the offered tools among the tools of their roles. */
  files: RunFiles;
  ownTools: readonly ToolDefinition[] | undefined;
  offers: readonly FeatureTools[];
  warnings: string[];
}

/**
 * Asks the features. `taken`: names of other tools, which take precedence: a role would otherwise get another tool than
 * it names.
 */
async function offeredBy(
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
  const clash = ({ tools }: FeatureTools) => tools.find(({ name }) => taken.has(name));
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
  offers: readonly FeatureTools[],
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

/** Returns the tools of servers, client and workflow, with the configuration's overrides. */
function toolsFor(
  listed: ListedTools,
  { settings, roles, callable, agentWarnings }: RunFiles,
  run: RunSettings,
  ownTools?: readonly ToolDefinition[],
): Pick<ListedTools, 'tools' | 'warnings'> {
  const withClient = mergeClientTools(listed.tools, run.clientTools ?? [], namerFor(listed.tools));
  const own = addWorkflowTools(
    withClient.tools,
    roles.map(({ profile }) => profile),
    ownTools,
  );
  const { tools: plain, warnings } = applyToolOverrides(own.tools, settings.tools, ownTools);
  const tools = plain.map(tool => (tool.origin.type === 'workflow' ? tool : withDigest(tool)));
  return {
    tools,
    warnings: [
      ...withClient.warnings,
      ...warnings,
      ...own.warnings,
      ...roleWarnings([...roles, ...callable], tools, ownTools),
      ...agentWarnings,
      ...idlePermissions(settings.permissions, tools, ownTools),
    ],
  };
}

function namerFor(tools: readonly ToolDefinition[]): (name: string) => string {
  const nameOf = toolNamer(
    ['client'],
    tools.map(tool => tool.name),
  );
  return name => nameOf('client', name);
}

// Distinguishes tools of the same name, so that a lasting permission applies to only one of them.

/** Adds a digest of what a person judges a tool by: its server, description, arguments and effects. */
function withDigest(tool: ToolDefinition): ToolDefinition {
  const { serverToolName, origin, description, inputSchema, policy } = tool;
  const { readOnly, idempotent, destructive } = policy;
  const whole = { serverToolName, origin, description, inputSchema, readOnly, idempotent, destructive };
  const digest = createHash('sha256').update(canonicalJson(whole)).digest('base64url').slice(0, DIGEST_CHARS);
  return { ...tool, digest };
}

/** 96 bits. */
const DIGEST_CHARS = 16;
