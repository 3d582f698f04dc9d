/** Composes and checks one role's prompt as its requests have it, without a run (P16). */

import { resolve } from 'node:path';
import { placeholdersOf } from '../../base/words/prompt.js';
import { roleNamed } from '../../run/agents/role.js';
import { type ModeName, modeFor } from '../../run/position/modes.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { displayPath } from '../files/files.js';
import { promptRoots } from '../files/prompt-files.js';
import type { ConfigInCode } from '../settings/in-code.js';
import { loadSettings, mergeLimits, type Settings } from '../settings/settings.js';
import { loadPrefix, loadRoles, type RoleTemplate } from './prompts.js';
import {
  aloneAmong,
  dayOf,
  renderAlone,
  renderPrefix,
  renderRole,
  TOOL_PLACEHOLDERS,
} from './render-prompts.js';
import { modeOfStart, requireRoles } from './required-roles.js';

type Tools = readonly ToolDefinition[];

export interface ComposeOptions extends Pick<ConfigInCode, 'settings' | 'roles' | 'prompts'> {
  /** Folder of `steersman.yaml` and `prompts`. Default: no folder, so that the package's prompts apply. */
  configDir?: string;
  /** The mode of the run. Default: `team` for its roles, else `react` with this role. */
  mode?: ModeName;
  /** The tools of the run; a function is called only if the prompt lists them. Default: none. */
  tools?: Tools | (() => Promise<Tools>);
  /** Default: the current folder. */
  workspace?: string;
  /** Default: today by this computer's clock, such as `2026-11-22`. */
  today?: string;
  /** The run's extra system text. Default: none. */
  systemMessage?: string;
}

export interface ComposedPrompt {
  role: string;
  /** The file of the template. */
  file: string;
  /** The system text with which each request of the role begins, without skills. */
  system: string;
  /** The prompt as a message of the shared conversation; null if it is the system text. */
  message: string | null;
  /** Placeholders that each instruction to the role fills in anew. */
  told: string[];
  warnings: string[];
}

/** @throws SteersmanError with `file:line` for a fault of the role's files, and for an unknown role or mode. */
export async function composePrompt(said: string, options: ComposeOptions = {}): Promise<ComposedPrompt> {
  const { configDir, mode, tools = [], workspace = '.', today = dayOf(new Date()), systemMessage } = options;
  const folder = configDir === undefined ? null : resolve(configDir);
  const settings = await loadSettings(folder, options);
  const roots = promptRoots(folder);
  const templates = await loadRoles(roots, settings.language, options);
  const role = roleNamed(
    said,
    templates.map(({ profile }) => profile.name),
  );
  const template = templates.find(({ profile }) => profile.name === role);
  if (!template) throw unknownRole(role, templates);
  const prefix = await loadPrefix(roots, settings.language, options);
  const listed =
    typeof tools === 'function' ? await toolsFor([template, ...Object.values(prefix)], tools) : tools;
  const values = {
    limits: mergeLimits(settings.limits, {}),
    tools: listed,
    today,
    workspace: resolve(workspace),
  };
  const opening = renderAlone(prefix, values);
  const isAlone = aloneAmong(matesOf(template, settings, { templates, mode })) === template;
  const pinned = renderRole(template, values, { ...(systemMessage && { systemMessage }), opening, isAlone });
  const isSystem = pinned.prefix === 'own';
  return {
    role,
    file: displayPath(template.file),
    system: isSystem ? pinned.prompt : renderPrefix(prefix, values, systemMessage).system,
    message: isSystem ? null : pinned.prompt,
    told: [...(pinned.context ?? [])],
    warnings: template.warnings,
  };
}

/** Returns the roles that speak in a run with this one. */
function matesOf(
  template: RoleTemplate,
  settings: Settings,
  { templates, mode }: { templates: readonly RoleTemplate[]; mode: ModeName | undefined },
): RoleTemplate[] {
  const { name, output } = template.profile;
  const namesIn = (way: { mode: ModeName; role?: string }) =>
    requireRoles(modeOfStart(way, settings), settings, { templates, named: way.role });
  const own = namesIn({ mode: mode ?? modeFor(undefined) });
  const alone = !own.includes(name) && output === 'text' ? namesIn({ mode: modeFor(name), role: name }) : own;
  return templates.filter(({ profile }) => alone.includes(profile.name));
}

/** Tool servers need not be asked for a prompt that does not list their tools. */
async function toolsFor(texts: readonly { template: string }[], list: () => Promise<Tools>): Promise<Tools> {
  const named = texts.flatMap(({ template }) => placeholdersOf(template));
  return named.some(name => TOOL_PLACEHOLDERS.includes(name)) ? list() : [];
}

function unknownRole(role: string, templates: readonly RoleTemplate[]): SteersmanError {
  const names = templates.map(({ profile }) => profile.name).join(', ');
  return new SteersmanError(`There is no role "${role}".`, `The roles are: ${names}.`, 'usage');
}
