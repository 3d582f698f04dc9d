/** Reads what file servers say: listings, and several files in one result. */

export interface ListedEntry {
  name: string;
  isFolder: boolean;
  /** Bytes, to within half a percent; null where the listing has none. */
  size: number | null;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Entries of `list_directory` and `list_directory_with_sizes`. */
export function readListing(text: string): ListedEntry[] {
  return text.split('\n').flatMap((line): ListedEntry[] => {
    const [, kind, rest = ''] = /^\[(FILE|DIR)\] (.*)$/.exec(line) ?? [];
    if (kind === undefined) return [];
    const [, name, number, unit = ''] = /^(.*?)\s+(\d+(?:\.\d+)?) ([KMGT]?B)$/.exec(rest) ?? [];
    if (kind === 'DIR' || name === undefined)
      return [{ name: rest.trimEnd(), isFolder: kind === 'DIR', size: null }];
    return [{ name, isFolder: false, size: Math.round(Number(number) * 1024 ** UNITS.indexOf(unit)) }];
  });
}

export type FileText = { path: string; text: string } | { path: string; error: string };

/** Files of a `read_multiple_files` result, told apart by the paths that were asked for, in their order. */
export function readSeveralFiles(text: string, paths: readonly string[]): FileText[] {
  const parts: { path: string; isError: boolean; start: number; from: number }[] = [];
  let at = 0;
  for (const path of paths) {
    const name = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const mark = new RegExp(`${parts.length === 0 ? '^' : '\\n---\\n'}${name}:( Error - |\\n)`, 'g');
    mark.lastIndex = at;
    const found = mark.exec(text);
    // The rest was cut off.
    if (!found) break;
    parts.push({ path, isError: found[1] !== '\n', start: found.index, from: mark.lastIndex });
    // The line end behind the path of an empty file may begin the next mark.
    at = mark.lastIndex - 1;
  }
  return parts.map(({ path, isError, from }, index) => {
    const body = text.slice(from, parts[index + 1]?.start);
    return isError ? { path, error: body.trim() } : { path, text: body.replace(/\n$/, '') };
  });
}
