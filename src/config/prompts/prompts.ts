/**
 * Prompts from files, in two layers: a role's core template, and the business context that anyone can edit (P1, P4). A
 * run pins the result: edited files affect new runs only.
 */
import { join } from 'node:path';
import { lineOf, PromptError, validateCoreTemplate } from '../../base/words/prompt.js';
import { builtInWords, fill } from '../../base/words/words.js';
import type { RoleProfile } from '../../run/agents/role.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { displayPath } from '../files/files.js';
import { checkLanguage, coreFolders, firstFile, listRoles, OPENING } from '../files/prompt-files.js';
import { type ConfigInCode, roleFilesInCode } from '../settings/in-code.js';
import { parseRoleFile, profileOf, type RoleFile, type RoleFiles } from '../settings/role-file.js';

const DEFAULT_CONTEXT = 'default';

/** A text from its files, not rendered yet. */
export interface PromptTemplate {
  file: string;
  template: string;
  firstLine: number;
  businessContext: string;
}

export interface RoleTemplate extends PromptTemplate {
  profile: RoleProfile;
  /** Warnings about parts of the role's file that have no effect. */
  warnings: string[];
}

/** The beginning of requests: `shared` if one role speaks alone; if several do, `team` precedes it. */
export type Opening = Record<keyof typeof OPENING, PromptTemplate>;

/**
 * Reads the beginning of requests, with the default business context.
 * @throws SteersmanError with `file:line` for a missing `{{businessContext}}`.
 */
export async function loadPrefix(
  roots: readonly string[],
  language: string,
  { prompts: contexts = {} }: ConfigInCode = {},
): Promise<Opening> {
  const context = await businessContext(DEFAULT_CONTEXT, { roots, language, contexts });
  const read = async (name: string): Promise<PromptTemplate> => {
    const folders = roots.flatMap(root => coreFolders(root, language));
    const found = await firstFile(folders.map(folder => join(folder, `${name}.md`)));
    if (found === null) throw new SteersmanError(`prompts/core/${name}.md is missing.`, 'Restore that file.');
    return { file: found.file, template: found.text, firstLine: 1, businessContext: context.text };
  };
  const opening = { shared: await read(OPENING.shared), team: await read(OPENING.team) };
  withPlaces(() => validateCoreTemplate(opening.shared.template, shownPlace(opening.shared)));
  return opening;
}

/**
 * Reads all roles in a language; a role without a file in it is read in the base language (P13).
 * @throws SteersmanError with `file:line` for bad front matter and a missing `{{businessContext}}`, and for a language
 * without a folder.
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
      const files = file
        ? { own: file, translation: null, shipped: await shippedRole(name, roots, file) }
        : await readRole(name, roots, language);
      return roleOf(name, files, {
        context: await businessContext(name, { roots, language, contexts }),
        language,
      });
    }),
  );
}

/** Returns the values; if some fail, one error has all their faults. */
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

async function readRole(name: string, roots: readonly string[], language: string): Promise<RoleFiles> {
  const translated = await firstFile(
    roots.flatMap(root => coreFolders(root, language)).map(dir => join(dir, `${name}.md`)),
  );
  const base = await firstFile(roots.map(root => join(root, 'core', `${name}.md`)));
  const chosen = translated ?? base;
  if (chosen === null) throw new SteersmanError(`prompts/core/${name}.md is missing.`, 'Restore that file.');
  const text = parseRoleFile(chosen.text, chosen.file);
  // A role that exists in only one language is its own base.
  const own = base === null || base.file === chosen.file ? text : parseRoleFile(base.text, base.file);
  return { own, translation: own === text ? null : text, shipped: await shippedRole(name, roots, own) };
}

/** Returns a role's file in the last root, unless it is `own`. */
async function shippedRole(name: string, roots: readonly string[], own: RoleFile): Promise<RoleFile | null> {
  const found = await firstFile(roots.slice(-1).map(root => join(root, 'core', `${name}.md`)));
  return found === null || found.file === own.file ? null : parseRoleFile(found.text, found.file);
}

function roleOf(
  name: string,
  files: RoleFiles,
  { context, language }: { context: BusinessContext; language: string },
): RoleTemplate {
  const { own, translation } = files;
  const { file, template, firstLine, plain = false } = translation ?? own;
  const profile = profileOf(name, files);
  const warnings = [...(own.warnings ?? []), ...(translation?.warnings ?? [])];
  // The opening already has the default context.
  const businessContext = profile.prefix === 'shared' && !context.isOwn ? '' : context.text;
  const role = { profile, file, firstLine, warnings };
  // Inserted values are not searched for placeholders, which keeps a plain text unchanged.
  if (plain)
    return {
      ...role,
      template:
        profile.prefix === 'own' ? `{{businessContext}}\n\n${plainRole(language)}` : '{{businessContext}}',
      businessContext: `${template.trim()}\n\n${businessContext}`,
    };
  withPlaces(() => validateCoreTemplate(template, shownPlace({ file, firstLine })));
  return {
    ...role,
    warnings: [...warnings, ...othersPlaceholders({ file, template, firstLine })],
    template,
    businessContext,
  };
}

/** Placeholders of other systems, by their names here. */
const MEANT: Readonly<Record<string, string>> = {
  tool_definitions: 'AVAILABLE_TOOLS',
  available_tools: 'AVAILABLE_TOOLS',
  conversation_history: 'HISTORY',
  user_message: 'USER_GOAL',
  user_goal: 'USER_GOAL',
};

/** Warns of placeholders in single braces, because models would read them unchanged. */
function othersPlaceholders({ file, template, firstLine }: Omit<RoleFile, 'frontMatter'>): string[] {
  return [...template.matchAll(/(?<!\{)\{(\w+)\}(?!\})/g)].flatMap(({ index, 1: name = '' }) => {
    const meant = Object.hasOwn(MEANT, name.toLowerCase()) ? MEANT[name.toLowerCase()] : undefined;
    if (meant === undefined) return [];
    const line = lineOf(template, index) + firstLine - 1;
    return [
      `${displayPath(file)}:${line}: {${name}} stays as it is, for single braces are text: write {{${meant}}}.`,
    ];
  });
}

/** Facts that every role needs: plain files lack them, because other agents add such facts themselves. */
function plainRole(language: string): string {
  const { plainRole } = builtInWords(language);
  return fill(plainRole, { today: '{{today}}', workspace: '{{workspace}}' });
}

interface BusinessContext {
  text: string;
  /** True if it is the role's own context, not the default. */
  isOwn: boolean;
}

interface ContextSource {
  roots: readonly string[];
  language: string;
  /** Contexts in code: each precedes the files of its name. */
  contexts: Readonly<Record<string, string>>;
}

/** Returns the role's own context, else the default; within each, the language's precedes the base one. */
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

export function shownPlace({ file, firstLine }: Pick<PromptTemplate, 'file' | 'firstLine'>) {
  return { file: displayPath(file), firstLine };
}

/** Prompt errors already name file and line, so only the remedy is added. */
export function withPlaces<T>(render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof PromptError)) throw error;
    throw new SteersmanError(error.message, 'Correct the template; docs/prompts.md lists the placeholders.');
  }
}
