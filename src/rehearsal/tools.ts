/** The tools that the rules know how to use, by what they do. */
import { READ_RESULT } from '../core/tools/tool-result.js';

/** Names as file servers give them, the better first; a name may be prefixed with its server's (`files__read_file`). */
const NAMES = {
  list: ['list_directory_with_sizes', 'list_directory'],
  readMany: ['read_multiple_files'],
  read: ['read_text_file', 'read_file'],
  page: [READ_RESULT],
  write: ['write_file'],
} as const;

export type ToolUse = keyof typeof NAMES;

/** Offered name by use; uses without a tool are left out. */
export type Toolbox = Partial<Record<ToolUse, string>>;

const USES = Object.entries(NAMES) as [ToolUse, readonly string[]][];

/** Finds the known tools among the names offered. */
export function toolboxOf(offered: readonly string[]): Toolbox {
  const box: Toolbox = {};
  for (const [use, names] of USES) {
    const [best] = names.flatMap(name => offered.filter(one => isNamed(one, name)));
    if (best !== undefined) box[use] = best;
  }
  return box;
}

/** What a made call was for, by its name; null for tools that the rules do not use. */
export function useOf(called: string): ToolUse | null {
  return USES.find(([, names]) => names.some(name => isNamed(called, name)))?.[0] ?? null;
}

function isNamed(offered: string, name: string): boolean {
  return offered === name || offered.endsWith(`__${name}`);
}

/** Names of tools in a planner's overview: the lines `- name: what it does`. */
export function toolsInOverview(system: string): string[] {
  const overview = /<tools>\n([\s\S]*?)\n<\/tools>/.exec(system)?.[1] ?? '';
  return [...overview.matchAll(/^- ([\w-]+):/gm)].map(([, name = '']) => name);
}

/** Whether files can be seen at all. */
export function canSeeFiles({ list, read, readMany }: Toolbox): boolean {
  return list !== undefined && (read ?? readMany) !== undefined;
}
