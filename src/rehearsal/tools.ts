/** The tools of file servers that the rules know how to use, by what they do. */

/** Names as file servers give them; a name may be prefixed with its server's (`files__read_text_file`). */
const NAMES = {
  tree: ['directory_tree'],
  listWithSizes: ['list_directory_with_sizes'],
  list: ['list_directory'],
  readMany: ['read_multiple_files'],
  read: ['read_text_file', 'read_file'],
  page: ['read_result'],
  write: ['write_file'],
} as const;

export type ToolUse = keyof typeof NAMES;

/** Offered name by use; uses without a tool are left out. */
export type Toolbox = Partial<Record<ToolUse, string>>;

/** Finds the known tools among the names offered. */
export function toolboxOf(offered: readonly string[]): Toolbox {
  const box: Toolbox = {};
  for (const use of Object.keys(NAMES) as ToolUse[]) {
    const known: readonly string[] = NAMES[use];
    const name = known.flatMap(wanted =>
      offered.filter(one => one === wanted || one.endsWith(`__${wanted}`)),
    )[0];
    if (name !== undefined) box[use] = name;
  }
  return box;
}

/** What a made call was for, by its name; null for tools that the rules do not use. */
export function useOf(name: string): ToolUse | null {
  const uses = Object.keys(NAMES) as ToolUse[];
  const bare = name.slice(name.lastIndexOf('__') + 1).replace(/^_/, '');
  return (
    uses.find(use => (NAMES[use] as readonly string[]).some(known => known === name || known === bare)) ??
    null
  );
}

/** Names of tools in a planner's overview: the lines `- name: what it does`. */
export function toolsInOverview(system: string): string[] {
  const overview = /<tools>\n([\s\S]*?)\n<\/tools>/.exec(system)?.[1] ?? '';
  return [...overview.matchAll(/^- ([\w-]+):/gm)].map(([, name = '']) => name);
}

/** Whether files can be seen at all. */
export function canSeeFiles(box: Toolbox): boolean {
  return (
    (box.read !== undefined || box.readMany !== undefined) &&
    (box.tree ?? box.listWithSizes ?? box.list) !== undefined
  );
}

/** All names that the rules know. */
export const STANDARD_TOOLS: readonly string[] = Object.values(NAMES).flat();
