/**
 * Reads sub-agent files of coding agents (`name`, `description`, `tools`, `model`, then the plain prompt) as role
 * files: a warning names keys without a counterpart here, and nothing is guessed.
 */
import { isRecord } from '../../base/json/json.js';
import type { YamlSource } from '../files/yaml-source.js';

/** Only sub-agent files have a name; a role is named by its file, and states its output. */
const MARK = 'name';
const MEMORIES: readonly unknown[] = ['shared', 'private'];
/** Keys handled elsewhere, or useless here. */
const SILENT: readonly string[] = [MARK, 'tools', 'model', 'color'];

export function isSubagentFile({ value }: YamlSource): boolean {
  return isRecord(value) && typeof value[MARK] === 'string' && value.output === undefined;
}

/** True if invalid YAML may be the front matter of such a file. */
export function mayBeSubagentFile(text: string): boolean {
  return /^name:/m.test(text);
}

/** Quotes unquoted descriptions, which may contain any characters: line by line, except numbers and booleans. */
export function withQuotes(text: string): string {
  return text.replace(
    /^([\w-]+): +(?!(?:true|false|[\d.]+)\s*$)([^\s"'|>[{&*!].*)$/gm,
    (_, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
  );
}

/** Returns a role's front matter. `keys`: the known keys of front matter; `isModel`: true for a well-formed model id. */
export function asRoleFrontMatter(
  source: YamlSource,
  {
    roleName,
    keys,
    isModel,
  }: { roleName: string; keys: readonly string[]; isModel: (id: string) => boolean },
): { frontMatter: YamlSource; warnings: string[] } {
  const { value, at } = source;
  const known = Object.entries(value).filter(([key, given]) => keys.includes(key) && isMeant(key, given));
  const ignored = Object.entries(value).filter(
    ([key, given]) => !SILENT.includes(key) && !(keys.includes(key) && isMeant(key, given)),
  );
  const model = typeof value.model === 'string' ? value.model.trim() : 'inherit';
  const inherits = model === 'inherit' || model === '';
  const warnings = [
    ...(value[MARK] === roleName
      ? []
      : [`${at([MARK])}: the role is called ${roleName}, as its file is, not "${String(value[MARK])}".`]),
    ...(inherits || isModel(model)
      ? []
      : [`${at(['model'])}: model "${model}" is not written as endpoint/model: the run's is taken.`]),
    ...ignored.map(([key]) => `${at([key])}: ${key} means nothing here and is left out.`),
  ];
  const profile = {
    output: 'text',
    memory: 'private',
    ...Object.fromEntries(known),
    tools: toolsOf(value.tools),
    ...(inherits || !isModel(model) || value.models !== undefined ? {} : { models: model }),
  };
  return { frontMatter: { value: profile, at }, warnings };
}

/** In such files the key `memory` has another meaning. */
function isMeant(key: string, given: unknown): boolean {
  return key !== 'memory' || MEMORIES.includes(given);
}

/** Reads a list, or names separated by commas; all tools if absent. */
function toolsOf(given: unknown): unknown {
  if (given === undefined) return ['*'];
  const names = typeof given === 'string' ? namesIn(given) : given;
  return Array.isArray(names) ? names.map((name: unknown) => WORKSPACE_TOOLS.get(name) ?? name) : names;
}

function namesIn(text: string): string[] {
  const names = text.split(COMMA).map(name => name.trim());
  return names.filter(name => name !== '');
}

/** Matches commas outside the brackets of a name, such as `Bash(ls, cat)`. */
const COMMA = /,(?![^()]*\))/;

/** Tools of coding agents with an equivalent of the workspace. A name with brackets allows less, so it stays. */
const WORKSPACE_TOOLS: ReadonlyMap<unknown, string> = new Map([
  ['Read', 'read'],
  ['Write', 'write'],
  ['Edit', 'edit'],
  ['Bash', 'run'],
  ['Glob', 'find'],
  ['Grep', 'grep'],
  ['LS', 'list'],
  ['WebFetch', 'fetch'],
]);
