/** The list of a workspace's files for the opening of all roles: names and sizes, in short. */
import { utf8Length } from '../../base/json/json.js';
import { plural } from '../../base/text/format.js';
import { safeLine } from '../../base/text/preview.js';

/** The maximum size of the list. */
const INVENTORY_BYTES = 2_000;

interface Listed {
  path: string;
  bytes: number;
}

/** Lists each file if there is room; else folders with their contents' size, as deep as fits. */
export function inventoryOf(files: readonly Listed[], isCut: boolean): string {
  const deepest = Math.max(1, ...files.map(({ path }) => path.split('/').length));
  for (let depth = Math.min(deepest, MOST_DEPTH); depth >= 1; depth -= 1) {
    const text = linesAt(files, depth).join('\n');
    if (utf8Length(text) <= INVENTORY_BYTES) return isCut ? `${text}\n…` : text;
  }
  const lines = linesAt(files, 1);
  const shown: string[] = [];
  let room = INVENTORY_BYTES - 40;
  for (const line of lines) {
    room -= utf8Length(line) + 1;
    if (room < 0) break;
    shown.push(line);
  }
  return [...shown, `… (${lines.length - shown.length}${isCut ? '+' : ''})`].join('\n');
}

const MOST_DEPTH = 12;

function linesAt(files: readonly Listed[], depth: number): string[] {
  const folders = new Map<string, { files: number; bytes: number }>();
  const lines: { name: string; line: string }[] = [];
  for (const { path, bytes } of files) {
    const parts = path.split('/');
    if (parts.length <= depth) {
      const name = safeLine(path);
      lines.push({ name, line: `${name} ${sizeText(bytes)}` });
      continue;
    }
    const folder = `${safeLine(parts.slice(0, depth).join('/'))}/`;
    const known = folders.get(folder) ?? { files: 0, bytes: 0 };
    folders.set(folder, { files: known.files + 1, bytes: known.bytes + bytes });
  }
  for (const [name, { files: count, bytes }] of folders)
    lines.push({ name, line: `${name} ${plural(count, 'file')}, ${sizeText(bytes)}` });
  return lines.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ line }) => line);
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
