/**
 * Prompts from files, in two layers: the core template of a role and the business context that anyone
 * can edit (P1, P4). What comes out is pinned in a run: editing a file changes new runs only.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MESSAGE_BYTES } from '../core/bounds.js';
import type { Limits } from '../core/limits.js';
import {
  delimit,
  lineOf,
  PromptError,
  placeholdersOf,
  renderTemplate,
  validateCoreTemplate,
} from '../core/prompt.js';
import { CALL_PLACEHOLDERS, type PinnedRole, type RoleProfile } from '../core/role.js';
import type { PinnedRun } from '../core/run-config.js';
import type { ToolDefinition } from '../core/tools/tool.js';
import { SteersmanError } from '../shared/errors.js';
import { displayPath, listFolder, readTextIfPresent } from './files.js';
import { type ConfigInCode, roleFilesInCode } from './in-code.js';
import { parseRoleFile, profileOf, type RoleFile } from './role-file.js';

/** The language of the files directly in `prompts/core`; others have a folder of their name there. */
const BASE_LANGUAGE = 'en';

const DEFAULT_CONTEXT = 'default';
/** Beside the roles, in `core` and its language folders: what requests of all roles that share an opening begin with. */
const OPENING = 'opening';
const OVERVIEW_CHARS = 200;

/** A text as its files give it, not rendered yet. */
export interface PromptTemplate {
  file: string;
  template: string;
  /** Line of `file` at which `template` begins. */
  firstLine: number;
  businessContext: string;
}

export interface RoleTemplate extends PromptTemplate {
  profile: RoleProfile;
  /** What of its file counts for nothing. */
  warnings: string[];
}

/** Values of the placeholders that a core template may use. */
export interface PromptValues {
  limits: Limits;
  tools: readonly ToolDefinition[];
  /** The day on which the run began, `2026-11-22`: it stays the same however long the run goes on. */
  today: string;
  workspace: string;
}

/**
 * Folders that prompts are read from, the first that has a file wins: `prompts` of the configuration
 * folder, then those that come with Steersman, so that a folder need hold only what it changes. Null: these alone.
 */
export function promptRoots(configDir: string | null): string[] {
  const shipped = shippedPrompts();
  if (configDir === null) return shipped === null ? [] : [shipped];
  const own = join(configDir, 'prompts');
  return shipped === null || shipped === own ? [own] : [own, shipped];
}

/** Names of all roles, sorted: the files in `core` and in its language folders. */
export async function listRoles(roots: readonly string[], language: string): Promise<string[]> {
  const folders = roots.flatMap(root => coreFolders(root, language));
  const listings = await Promise.all(folders.map(listFolder));
  const files = listings.flatMap(listing => listing ?? []).filter(name => name.endsWith('.md'));
  const names = files.map(name => name.slice(0, -'.md'.length)).filter(name => name !== OPENING);
  return [...new Set(names)].sort();
}

/**
 * Reads what the requests of all roles that share an opening begin with, with the default business context.
 * @throws SteersmanError with `file:line` for a missing `{{businessContext}}`.
 */
export async function loadOpening(
  roots: readonly string[],
  language: string,
  { prompts: contexts = {} }: ConfigInCode = {},
): Promise<PromptTemplate> {
  const folders = roots.flatMap(root => coreFolders(root, language));
  const found = await firstFile(folders.map(folder => join(folder, `${OPENING}.md`)));
  if (found === null) throw new SteersmanError('prompts/core/opening.md is gone.', 'Restore that file.');
  const context = await businessContext(DEFAULT_CONTEXT, { roots, language, contexts });
  const opening = { file: found.file, template: found.text, firstLine: 1, businessContext: context.text };
  withPlaces(() => validateCoreTemplate(opening.template, placeOf(opening)));
  return opening;
}

/**
 * Reads all roles in a language; a role that has no file in it is read in the base language (P13).
 * @throws SteersmanError with `file:line` for bad front matter and a missing `{{businessContext}}`,
 *   and for a language without a folder.
 */
export async function loadRoles(
  roots: readonly string[],
  language: string,
  inCode: ConfigInCode = {},
): Promise<RoleTemplate[]> {
  await checkLanguage(roots, language);
  const given = roleFilesInCode(inCode.roles ?? []);
  const names = new Set([...(await listRoles(roots, language)), ...given.keys()]);
  const { prompts: contexts = {} } = inCode;
  return allOrEveryFault(
    [...names].sort().map(async name => {
      const file = given.get(name);
      const files = file ? { own: file, translation: null } : await readRole(name, roots, language);
      return roleOf(name, files, await businessContext(name, { roots, language, contexts }));
    }),
  );
}

/** The values; where some can not be had, the faults of all of them in one error. */
async function allOrEveryFault<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(work);
  const reasons = settled.flatMap(one => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const faults = reasons.filter(reason => reason instanceof SteersmanError);
  const [first] = faults;
  if (first !== undefined && faults.length === reasons.length) {
    const remedies = [...new Set(faults.map(fault => fault.remedy))];
    throw new SteersmanError(faults.map(fault => fault.message).join('\n'), remedies.join('\n'));
  }
  return Promise.all(work);
}

/**
 * Renders the prompt of a role. As a system text it has the extra system text of a run in front (P5). One too long
 * for a message is a system text, whatever the profile says.
 * @throws SteersmanError with `file:line` for a placeholder that is not known.
 */
export function renderRole(role: RoleTemplate, values: PromptValues, systemMessage?: string): PinnedRole {
  const named = new Set(placeholdersOf(role.template));
  const context = CALL_PLACEHOLDERS.filter(name => named.has(name));
  const profile = { ...role.profile, ...(context.length > 0 && { context }) };
  const names = [...CALL_PLACEHOLDERS, ...(profile.output === 'route' ? [INTENT] : [])];
  const prompt = render(role, values, {
    ...Object.fromEntries(names.map(name => [name, `\`${name}\``])),
    ...(profile.maxRounds !== null && { executionRounds: String(profile.maxRounds) }),
  });
  if (role.profile.opening === 'shared' && Buffer.byteLength(prompt) <= MESSAGE_BYTES)
    return { ...profile, prompt };
  return { ...profile, opening: 'own', prompt: behind(systemMessage, prompt) };
}

/** Renders a shared opening, with the extra system text of a run in front. */
export function renderOpening(
  opening: PromptTemplate,
  values: PromptValues,
  systemMessage?: string,
): PinnedRun['opening'] {
  refuseVarying(opening);
  return { system: behind(systemMessage, render(opening, values)) };
}

function behind(systemMessage: string | undefined, text: string): string {
  const extra = systemMessage?.trim() ?? '';
  return extra === '' ? text : `${extra}\n\n${text}`;
}

/** What a router's brief always tells. */
const INTENT = 'INTENT_ANALYSIS';

/** What all requests begin with may not vary: endpoints would read every conversation anew. */
function refuseVarying(opening: PromptTemplate): void {
  const names: readonly string[] = [...CALL_PLACEHOLDERS, INTENT];
  const name = placeholdersOf(opening.template).find(found => names.includes(found));
  if (name === undefined) return;
  const line = lineOf(opening.template, opening.template.indexOf(name)) + opening.firstLine - 1;
  throw new SteersmanError(
    `${displayPath(opening.file)}:${line}: {{${name}}} varies from request to request, and this text is what all of them begin with.`,
    'Write it in the prompt of a role: it is told with each of its instructions.',
  );
}

function render(
  prompt: PromptTemplate,
  { limits, tools, today, workspace }: PromptValues,
  more: Readonly<Record<string, string>> = {},
): string {
  return withPlaces(() =>
    renderTemplate(
      prompt.template,
      {
        businessContext: prompt.businessContext.trim(),
        planningRounds: String(limits.planning),
        executionRounds: String(limits.execution),
        maxTasks: String(limits.tasks),
        toolOverview: toolOverview(tools),
        AVAILABLE_TOOLS: toolOverview(tools),
        today,
        workspace,
        ...more,
      },
      placeOf(prompt),
    ),
  ).trim();
}

function placeOf({ file, firstLine }: Pick<PromptTemplate, 'file' | 'firstLine'>) {
  return { file: displayPath(file), firstLine };
}

interface RoleFiles {
  own: RoleFile;
  /** What is said in the run's language over it. */
  translation: RoleFile | null;
}

async function readRole(name: string, roots: readonly string[], language: string): Promise<RoleFiles> {
  const translated = await firstFile(
    roots.flatMap(root => coreFolders(root, language)).map(dir => join(dir, `${name}.md`)),
  );
  const base = await firstFile(roots.map(root => join(root, 'core', `${name}.md`)));
  const chosen = translated ?? base;
  if (chosen === null)
    throw new SteersmanError(`The prompt of the role ${name} is gone.`, 'Restore its file.');
  const text = parseRoleFile(chosen.text, chosen.file);
  // A role that exists in one language only is its own base.
  const own = base === null || base.file === chosen.file ? text : parseRoleFile(base.text, base.file);
  return { own, translation: own === text ? null : text };
}

function roleOf(name: string, { own, translation }: RoleFiles, context: BusinessContext): RoleTemplate {
  const { file, template, firstLine, plain = false } = translation ?? own;
  const profile = profileOf(name, own, translation);
  const warnings = [...(own.warnings ?? []), ...(translation?.warnings ?? [])];
  // The default one stands in the shared opening already.
  const businessContext = profile.opening === 'shared' && !context.isOwn ? '' : context.text;
  const role = { profile, file, firstLine, warnings };
  // What is filled in is not searched for placeholders: that is how a text stays as it is.
  if (plain)
    return {
      ...role,
      template: '{{businessContext}}',
      businessContext: `${template.trim()}\n\n${businessContext}`,
    };
  withPlaces(() => validateCoreTemplate(template, placeOf({ file, firstLine })));
  return { ...role, template, businessContext };
}

interface BusinessContext {
  text: string;
  /** Of the role, not the default. */
  isOwn: boolean;
}

interface ContextSource {
  roots: readonly string[];
  language: string;
  /** Given in code: each before the files of its name. */
  contexts: Readonly<Record<string, string>>;
}

/** The role's own context, else the default one; within each, the language's before the base one. */
async function businessContext(role: string, source: ContextSource): Promise<BusinessContext> {
  const { roots, language, contexts } = source;
  for (const name of [role, DEFAULT_CONTEXT]) {
    const isOwn = name !== DEFAULT_CONTEXT;
    if (Object.hasOwn(contexts, name)) return { text: contexts[name] ?? '', isOwn };
    const found = await firstFile(
      roots.flatMap(root => [
        join(root, 'business', language, `${name}.md`),
        join(root, 'business', `${name}.md`),
      ]),
    );
    if (found) return { text: found.text, isOwn };
  }
  return { text: '', isOwn: false };
}

/** Where a root keeps core templates for a language, preferred first. */
function coreFolders(root: string, language: string): string[] {
  const base = join(root, 'core');
  return language === BASE_LANGUAGE ? [base] : [join(base, language), base];
}

async function firstFile(files: readonly string[]): Promise<{ file: string; text: string } | null> {
  for (const file of files) {
    const text = await readTextIfPresent(file);
    if (text !== null) return { file, text };
  }
  return null;
}

async function checkLanguage(roots: readonly string[], language: string): Promise<void> {
  if (language === BASE_LANGUAGE) return;
  const folders = await namesIn(roots, 'core', '/');
  const languages = [...new Set([BASE_LANGUAGE, ...folders, ...(await namesIn(roots, 'words', '.yaml'))])];
  if (languages.includes(language)) return;
  throw new SteersmanError(
    `steersman.yaml: language: there are no prompts in "${language}".`,
    `Use one of ${languages.join(', ')}, or add a folder prompts/core/${language}.`,
  );
}

/** Names in a folder of each root that end so, without the ending. */
async function namesIn(roots: readonly string[], folder: string, ending: string): Promise<string[]> {
  const listings = await Promise.all(roots.map(root => listFolder(join(root, folder))));
  const names = listings.flatMap(listing => listing ?? []).filter(name => name.endsWith(ending));
  return names.map(name => name.slice(0, -ending.length));
}

/** What planners may know of tools: names and the first sentence of what their servers say. */
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

/** Prompt errors already name file and line: they only need to say what to do. */
function withPlaces<T>(render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof PromptError)) throw error;
    throw new SteersmanError(error.message, 'Correct the template; docs/prompts.md lists the placeholders.');
  }
}

/** Built code may lie elsewhere than sources: the folder is looked for upwards. */
export function shippedPrompts(): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const prompts = join(folder, 'prompts');
    if (existsSync(join(prompts, 'core', 'planner.md'))) return prompts;
    if (dirname(folder) === folder) return null;
  }
}
