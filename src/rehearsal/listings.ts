/** Reads what file servers say: trees, listings with sizes, several files in one result. */

export interface TreeEntry {
  /** From the workspace, with `/`. */
  path: string;
  isFolder: boolean;
}

/** Entries of a `directory_tree` result, by its lines, so that the beginning of a cut one can be read too. */
export function readTree(text: string, root = '.'): TreeEntry[] {
  const names: string[] = root === '.' ? [] : [root];
  const base = names.length;
  const entries: TreeEntry[] = [];
  for (const line of text.split('\n')) {
    const [, indent = '', key, value = ''] = /^( +)"(name|type)": (".*"),?$/.exec(line) ?? [];
    const depth = base + (indent.length - 4) / 4;
    if (key === 'name') names[depth] = readString(value);
    if (key !== 'type') continue;
    entries.push({ path: names.slice(0, depth + 1).join('/'), isFolder: value === '"directory"' });
  }
  return entries;
}

function readString(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json;
  }
}

export interface ListedEntry {
  name: string;
  isFolder: boolean;
  /** Bytes, to within half a percent; null where the listing has none. */
  size: number | null;
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
  TB: 1024 ** 4,
};

/** Entries of `list_directory` and `list_directory_with_sizes`. */
export function readListing(text: string): ListedEntry[] {
  return text.split('\n').flatMap((line): ListedEntry[] => {
    const [, kind, rest = ''] = /^\[(FILE|DIR)\] (.*)$/.exec(line) ?? [];
    if (kind === undefined) return [];
    const [, name, number, unit = ''] = /^(.*?)\s+(\d+(?:\.\d+)?) ([KMGT]?B)$/.exec(rest) ?? [];
    if (kind === 'DIR' || name === undefined)
      return [{ name: rest.trimEnd(), isFolder: kind === 'DIR', size: null }];
    return [{ name, isFolder: false, size: Math.round(Number(number) * (UNIT_BYTES[unit] ?? 1)) }];
  });
}

export type FileText = { path: string; text: string } | { path: string; error: string };

/** Files of a `read_multiple_files` result, told apart by the paths that were asked for, in their order. */
export function readSeveralFiles(text: string, paths: readonly string[]): FileText[] {
  const files: FileText[] = [];
  let at = 0;
  for (const [index, path] of paths.entries()) {
    const next = paths[index + 1];
    const end = next === undefined ? text.length : endOf(text, at, next);
    if (end < 0) break;
    const part = text.slice(at, end);
    if (part.startsWith(`${path}: Error - `))
      files.push({ path, error: part.slice(path.length + 10).trim() });
    else if (part.startsWith(`${path}:\n`))
      files.push({ path, text: part.slice(path.length + 2).replace(/\n$/, '') });
    at = end + SEPARATOR.length;
  }
  return files;
}

const SEPARATOR = '\n---\n';

function endOf(text: string, from: number, nextPath: string): number {
  for (
    let at = text.indexOf(`${SEPARATOR}${nextPath}:`, from);
    at >= 0;
    at = text.indexOf(SEPARATOR, at + 1)
  ) {
    const after = text.slice(at + SEPARATOR.length + nextPath.length + 1).slice(0, 9);
    if (
      text.startsWith(`${SEPARATOR}${nextPath}:`, at) &&
      (after.startsWith('\n') || after.startsWith(' Error - '))
    )
      return at;
  }
  return -1;
}
