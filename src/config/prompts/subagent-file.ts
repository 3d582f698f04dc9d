/**
 * Sub-agent files of coding agents (`name`, `description`, `tools`, `model`, then the prompt as it is), read as the
 * files of roles: what has no counterpart here is named in a warning, and nothing is guessed.
 */
import { isRecord } from '../../base/json/json.js';
import type { YamlSource } from '../files/yaml-source.js';

/** A role's file has no name, for the file's own is the role's, and says what its output is. */
const MARK = 'name';
const MEMORIES: readonly unknown[] = ['shared', 'private'];
/** Told by the lead's own choice, or of no use here. */
const SILENT: readonly string[] = [MARK, 'tools', 'model', 'color'];

export function isSubagentFile({ value }: YamlSource): boolean {
  return isRecord(value) && typeof value[MARK] === 'string' && value.output === undefined;
}

/** True where front matter that is no YAML may be that of such a file. */
export function mayBeSubagentFile(text: string): boolean {
  return /^name:/m.test(text);
}

/** Their descriptions are often written without quotes, whatever stands in them: quoted, line by line, but for numbers and yes or no. */
export function withQuotes(text: string): string {
  return text.replace(
    /^([\w-]+): +(?!(?:true|false|[\d.]+)\s*$)([^\s"'|>[{&*!].*)$/gm,
    (_, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
  );
}

/** The same as a role's front matter. `keys`: those that a role's front matter knows; `isModel`: as they are written. */
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

/** The word `memory` means another thing in such files. */
function isMeant(key: string, given: unknown): boolean {
  return key !== 'memory' || MEMORIES.includes(given);
}

/** A list, or names with commas between them; all tools where it says nothing of them. */
function toolsOf(given: unknown): unknown {
  if (given === undefined) return ['*'];
  const names = typeof given === 'string' ? namesIn(given) : given;
  return Array.isArray(names) ? names.map((name: unknown) => WORKSPACE_TOOLS.get(name) ?? name) : names;
}

function namesIn(text: string): string[] {
  const names = text.split(COMMA).map(name => name.trim());
  return names.filter(name => name !== '');
}

/** Not one within the brackets of a name, such as `Bash(ls, cat)`. */
const COMMA = /,(?![^()]*\))/;

/** Tools of coding agents that the workspace's own do the work of. With brackets they allow less: such a name stays. */
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
