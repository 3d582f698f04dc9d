/** Decides which tool calls run, ask a person, or are denied (S4, T9). */

import { utf8Length } from '../../base/json/json.js';
import { isTooMuch, matchesAny, newWork, type Work } from '../../base/text/glob.js';
import {
  type CalledWith,
  commandOf,
  coversArguments,
  pathMatcher,
  readPattern,
  touchesArgument,
} from './argument-pattern.js';
import type { ToolDefinition } from './tool.js';
import { namesOwnTool } from './workflow-tools.js';

/** Patterns (run/tools/argument-pattern.ts) over tools and their arguments, from `steersman.yaml`. Default: all empty. */
export interface Permissions {
  auto: string[];
  confirm: string[];
  deny: string[];
}

/**
 * `deny` precedes everything; then `--yes` and "always" for this exact command, which answer in a person's place; then
 * `confirm` with arguments, "always" for the whole tool, other `confirm`, `auto`, and the tool's hint: read-only tools
 * run. `deny` and `confirm` also match the name on the server, so a longer name can't evade them. `too_much`: comparing
 * with `deny` costs too much, so the call does not run.
 */
export function decidePermission(
  tool: Pick<ToolDefinition, 'name' | 'serverToolName' | 'policy'>,
  called: CalledWith,
  permissions: Permissions,
  given: { alwaysThisRun: readonly string[]; autoApprove: boolean; comparisons?: Comparisons },
): Permission {
  const { alwaysThisRun, autoApprove, comparisons = new Comparisons() } = given;
  const say = (kind: keyof Permissions, compare: typeof isAbout, label: string = kind) =>
    comparisons.once(`${label} ${namesOf(tool).join(' ')}`, called.input, work =>
      compare(kind === 'auto' ? [tool.name] : namesOf(tool), called, { patterns: permissions[kind], work }),
    );
  const denied = say('deny', isAbout);
  if (denied !== false) return denied === 'too_much' ? denied : 'deny';
  const allowed = allowedBy(tool.name, called.input);
  if (autoApprove || (allowed !== tool.name && allowed !== null && alwaysThisRun.includes(allowed)))
    return 'run';
  const isAllowed = alwaysThisRun.includes(tool.name);
  // "Always" for the whole tool does not cover calls that `confirm` names by arguments.
  if (isAllowed && say('confirm', isAboutArguments, 'narrow') === false) return 'run';
  if (isAllowed || say('confirm', isAbout) !== false) return 'ask';
  if (say('auto', isCovered) === true) return 'run';
  return tool.policy.readOnly ? 'run' : 'ask';
}

/** The limit for a command; a longer one is allowed once. A start takes an entry with its digest (`LONGEST_ALLOWED_TOOL`). */
const LONGEST_ALLOWED_BYTES = 120;

/**
 * Returns what "always" at a call's gate allows, as an entry of the allowed tools: every call of a tool by its name, or
 * for a tool that runs commands only this command, such as `run(ls -l)`. Null: "always" allows only this call.
 */
export function allowedBy(tool: string, input: Readonly<Record<string, unknown>>): string | null {
  const command = commandOf(input);
  if (command === null) return tool;
  const entry = `${tool}(${command})`;
  return utf8Length(entry) <= LONGEST_ALLOWED_BYTES ? entry : null;
}

/** Returns what "always" at a gate allows: the gate's `always`, or for edited arguments, what they allow. */
export function allowedAt(
  { tool, always }: { tool: string; always?: string | null },
  edited: Readonly<Record<string, unknown>> | null = null,
): string | null {
  if (edited !== null) return allowedBy(tool, edited);
  return always === undefined ? tool : always;
}

/** Returns the tool name of an entry. */
export function toolAllowedBy(entry: string): string {
  return entry.replace(/\(.*$/s, '');
}

export type Permission = 'run' | 'ask' | 'deny' | 'too_much';

type Compared = boolean | 'too_much';

/** Compares the arguments of one reply's calls with patterns. The calls share one allowance of work; no comparison is made twice. */
export class Comparisons {
  readonly #work = newWork();
  readonly #made = new WeakMap<object, Map<string, Compared>>();

  once(key: string, input: object, compare: (work: Work) => Compared): Compared {
    const made = this.#made.get(input) ?? new Map<string, Compared>();
    const compared = made.get(key) ?? compare(this.#work);
    this.#made.set(input, made.set(key, compared));
    return compared;
  }
}

type Named = Pick<ToolDefinition, 'name' | 'serverToolName'>;

/** True for tools that `deny` excludes entirely: they never run, and no role is offered them. */
export function isDenied(tool: Named, { deny }: Pick<Permissions, 'deny'>): boolean {
  return deny.map(readPattern).some(({ names, args }) => args === null && matchesEither(tool, names));
}

/** True if patterns of `deny` or `confirm` apply, or may apply, to this call of a tool with these names. */
export function matchesCall(
  names: readonly string[],
  called: CalledWith,
  patterns: readonly string[],
): boolean {
  return isAbout(names, called, { patterns, work: newWork() }) !== false;
}

/** Returns a test for paths that patterns name for calls of one of these tools. */
export function deniedPath(
  names: readonly string[],
  patterns: readonly string[],
  workspace: string,
): (path: string) => boolean {
  return pathMatcher(globsFor(names, patterns).filter(isGlob), workspace);
}

interface Comparing {
  patterns: readonly string[];
  work: Work;
}

function isAbout(names: readonly string[], called: CalledWith, { patterns, work }: Comparing): Compared {
  const globs = globsFor(names, patterns);
  if (globs.length === 0 || globs.includes(null)) return globs.length > 0;
  return touchesArgument(globs.filter(isGlob), called, work) || (isTooMuch(work) && 'too_much');
}

function isAboutArguments(
  names: readonly string[],
  called: CalledWith,
  { patterns, work }: Comparing,
): Compared {
  const narrow = patterns.filter(pattern => readPattern(pattern).args !== null);
  return isAbout(names, called, { patterns: narrow, work });
}

function isCovered(names: readonly string[], called: CalledWith, { patterns, work }: Comparing): boolean {
  const globs = globsFor(names, patterns);
  return globs.includes(null) || (globs.length > 0 && coversArguments(globs.filter(isGlob), called, work));
}

function globsFor(names: readonly string[], patterns: readonly string[]): (string | null)[] {
  return patterns
    .map(readPattern)
    .filter(pattern => names.some(name => matchesAny(name, [pattern.names])))
    .map(({ args }) => args);
}

function isGlob(glob: string | null): glob is string {
  return glob !== null;
}

function namesOf({ name, serverToolName }: Named): string[] {
  return [name, serverToolName];
}

function matchesEither(tool: Named, glob: string): boolean {
  return namesOf(tool).some(name => matchesAny(name, [glob]));
}

/** Warns of permissions that match no tool: a typing error in `deny` would silently protect nothing. */
export function idlePermissions(
  permissions: Permissions,
  tools: readonly Named[],
  own?: readonly ToolDefinition[],
): string[] {
  const kinds = ['auto', 'confirm', 'deny'] as const;
  return kinds.flatMap(kind =>
    permissions[kind]
      .map(glob => ({ glob, names: readPattern(glob).names }))
      .filter(({ names }) => !tools.some(tool => matchesEither(tool, names)) && !namesOwnTool(names, own))
      .map(({ glob }) => `steersman.yaml: permissions.${kind} "${glob}" matches no tool of this run.`),
  );
}

// Tools that a person allowed permanently, each by its name and its definition at that time.

/** Tool names never contain it, nor does the part after an entry's command. */
const MARK = '#';

/** Returns an entry of `allowTools`. `digest`: the digest of the tool's definition; '' for an unlisted tool. */
export function allowedTool(name: string, digest: string): string {
  return `${name}${MARK}${digest}`;
}

/** Returns the names of valid entries, and of those whose tool has changed. A name without a digest is always valid. */
export function allowedAtStart(
  entries: readonly string[],
  tools: readonly Pick<ToolDefinition, 'name' | 'digest'>[],
): { allowed: string[]; changed: string[] } {
  const allowed: string[] = [];
  const changed: string[] = [];
  for (const entry of entries) {
    // A command may contain the mark, a digest can't.
    const [, given = entry, digest] = /^(.*)#([^#()]*)$/s.exec(entry) ?? [];
    const tool = tools.find(candidate => candidate.name === toolAllowedBy(given));
    if (digest === undefined || digest === (tool?.digest ?? '')) allowed.push(given);
    else if (tool) changed.push(given);
  }
  return { allowed, changed };
}
