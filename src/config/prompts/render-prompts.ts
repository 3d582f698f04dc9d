/** Prompts as a run pins them, with their placeholders filled in once. */

import { MESSAGE_BYTES } from '../../base/sizes/bounds.js';
import { delimit, lineOf, placeholdersOf, renderTemplate } from '../../base/words/prompt.js';
import { CALL_PLACEHOLDERS, type PinnedRole } from '../../run/agents/role.js';
import type { PinnedRun } from '../../run/agents/run-config.js';
import type { Limits } from '../../run/limits/limits.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { displayPath } from '../files/files.js';
import { type Opening, type PromptTemplate, type RoleTemplate, shownPlace, withPlaces } from './prompts.js';

const OVERVIEW_CHARS = 200;
/** The placeholders that list the run's tools. */
export const TOOL_PLACEHOLDERS: readonly string[] = ['toolOverview', 'AVAILABLE_TOOLS'];

export interface PromptValues {
  limits: Limits;
  tools: readonly ToolDefinition[];
  /** The day on which the run began, `2026-11-22`; it never changes during the run. */
  today: string;
  workspace: string;
}

/** Renders the beginning of requests of roles that share a conversation, after the run's extra system text. */
export function renderPrefix(
  { team, shared }: Opening,
  values: PromptValues,
  systemMessage?: string,
): PinnedRun['prefix'] {
  refuseVarying(team);
  const system = behind(render(team, values), renderAlone({ shared }, values));
  return { system: behind(systemMessage, system) };
}

/** Renders the text after the prompt of a role that has its own system text although it could share one. */
export function renderAlone({ shared }: Pick<Opening, 'shared'>, values: PromptValues): string {
  refuseVarying(shared);
  return render(shared, values);
}

/** Returns the only role that speaks in the run's conversation; null if several share it. */
export function aloneAmong(roles: readonly RoleTemplate[]): RoleTemplate | null {
  const [first, ...more] = roles.filter(
    ({ profile }) => profile.memory === 'shared' || profile.prefix === 'shared',
  );
  return first?.profile.prefix === 'shared' && more.length === 0 ? first : null;
}

interface RoleOpening {
  systemMessage?: string | undefined;
  /** The text from `renderAlone`. */
  opening?: string;
  /** The role has the run's conversation for itself. */
  isAlone?: boolean;
}

/**
 * Renders a role's prompt. The prompt of a role that speaks alone, or one that is too long for a message, becomes the
 * role's system text, after the run's extra system text (P5). Any other is a message of the shared conversation.
 * @throws SteersmanError with `file:line` for an unknown placeholder.
 */
export function renderRole(
  role: RoleTemplate,
  values: PromptValues,
  { systemMessage, opening = '', isAlone = false }: RoleOpening = {},
): PinnedRole {
  const named = new Set(placeholdersOf(role.template));
  const context = CALL_PLACEHOLDERS.filter(name => named.has(name));
  const profile = { ...role.profile, ...(context.length > 0 && { context }) };
  const names = [...CALL_PLACEHOLDERS, ...(profile.output === 'route' ? [INTENT] : [])];
  const prompt = render(role, values, {
    ...Object.fromEntries(names.map(name => [name, `\`${name}\``])),
    ...(profile.maxRounds !== null && { executionRounds: String(profile.maxRounds) }),
  });
  if (profile.prefix === 'own') return { ...profile, prompt: behind(systemMessage, prompt) };
  if (!isAlone && Buffer.byteLength(prompt) <= MESSAGE_BYTES) return { ...profile, prompt };
  return { ...profile, prefix: 'own', prompt: behind(systemMessage, behind(prompt, opening)).trim() };
}

function behind(systemMessage: string | undefined, text: string): string {
  const extra = systemMessage?.trim() ?? '';
  return extra === '' ? text : `${extra}\n\n${text}`;
}

/** The placeholder that a router's instruction always fills in. */
const INTENT = 'INTENT_ANALYSIS';

/** Refuses placeholders that vary in the beginning of requests: endpoints would read every conversation anew. */
function refuseVarying(prefix: PromptTemplate): void {
  const names: readonly string[] = [...CALL_PLACEHOLDERS, INTENT];
  const name = placeholdersOf(prefix.template).find(found => names.includes(found));
  if (name === undefined) return;
  const line = lineOf(prefix.template, prefix.template.indexOf(name)) + prefix.firstLine - 1;
  throw new SteersmanError(
    `${displayPath(prefix.file)}:${line}: {{${name}}} varies from request to request, but all requests begin with this text.`,
    `Move {{${name}}} to the prompt of a role: each instruction to the role then has its value.`,
  );
}

function render(
  prompt: PromptTemplate,
  { limits, tools, today, workspace }: PromptValues,
  more: Readonly<Record<string, string>> = {},
): string {
  const businessContext = prompt.businessContext.trim();
  const template = businessContext === '' ? prompt.template.replace(ONLY_CONTEXT, '') : prompt.template;
  return withPlaces(() =>
    renderTemplate(
      template,
      {
        businessContext,
        planningRounds: String(limits.planning),
        executionRounds: String(limits.execution),
        maxTasks: String(limits.tasks),
        ...Object.fromEntries(TOOL_PLACEHOLDERS.map(name => [name, toolOverview(tools)])),
        today,
        workspace,
        ...more,
      },
      shownPlace(prompt),
    ),
  ).trim();
}

/** A section with only the business context: if that is empty, its heading is left out too. */
const ONLY_CONTEXT = /^(#+) .*\n\s*\{\{\s*businessContext\s*\}\}\s*(?=\1 )/gm;

/** Returns the planners' view of tools: names, and the first sentence of their servers' descriptions. */
function toolOverview(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return '(No tools are connected.)';
  const lines = tools.map(tool => `- ${tool.name}: ${firstSentence(tool.description)}`);
  return delimit('tools', lines.join('\n'));
}

function firstSentence(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const sentence = /^.*?[.。](?=\s|$)/u.exec(flat)?.[0] ?? flat;
  return sentence.length <= OVERVIEW_CHARS ? sentence : `${sentence.slice(0, OVERVIEW_CHARS - 1)}…`;
}

/** Returns a date by this computer's clock and zone, such as `2026-11-22`. */
export function dayOf(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
