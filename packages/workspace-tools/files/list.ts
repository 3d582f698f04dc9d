/** `list`: shows the tree of a folder, as deep as the answer allows. */
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { plural } from 'steersman/base';
import { faultText, search } from 'steersman/config';
import { type CodeTool, defineTool } from 'steersman/mcp';
import {
  deniedPaths,
  inFolder,
  kindOf,
  leftOut,
  missing,
  resolvePath,
  type WorkspaceContext,
} from './context.js';
import { BoundedLines, nameText, sizeText } from './text.js';

const MOST_FILES = 50_000;
const MOST_ENTRIES = 300;
const MOST_NAMED = 20;

/** A folder with its entries by name; null for a file. */
interface Folder {
  entries: Map<string, Folder | null>;
  files: number;
  isOpen: boolean;
}

export function listTool(context: WorkspaceContext): CodeTool {
  return defineTool({
    name: 'list',
    description: 'Shows a folder as a tree with sizes, as deep as fits.',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        depth: { type: 'integer' },
        all: { type: 'boolean', description: 'Also what git ignores' },
      },
    },
    readOnly: true,
    run: ({ path = '.', depth, all }, { signal }) =>
      listFolder(context, { path: String(path), depth, all: all === true }, signal),
  });
}

interface Listing {
  path: string;
  depth?: unknown;
  all?: boolean;
}

/** Returns the tree of a folder. @throws Error, for the model, if the path is not a folder. */
export async function listFolder(
  context: WorkspaceContext,
  { path, depth, all = false }: Listing,
  signal: AbortSignal,
): Promise<string> {
  const { real, shown, stats } = await resolvePath(context, path);
  if (stats === null) throw await missing(context, path);
  if (!stats.isDirectory())
    throw new Error(`${path} is ${kindOf(stats)}, not a folder.${stats.isFile() ? ' Use read.' : ''}`);
  return inFolder(context, real, async at => {
    const root = newFolder();
    const args = ['--files', '--null', ...(all ? ['--no-ignore'] : []), ...leftOut(context, real)];
    const isDenied = await deniedPaths(context, 'list');
    const take = (file: string) => isDenied(join(shown, file)) || addFile(root, file.split('/'));
    const { cut, fault } = await search({ args, cwd: at, signal, delimiter: '\0', take });
    openFolders(root, typeof depth === 'number' && depth >= 1 ? depth : Number.POSITIVE_INFINITY);
    const out = new BoundedLines(MOST_ENTRIES);
    const isWhole = await show(root, at, '', out);
    const notes = [
      ...(isWhole ? [] : ['There is more: list a folder of it, or use find.']),
      ...(cut === null ? [] : [`Only the first ${root.files} files were counted.`]),
      ...(fault === '' ? [] : [`Not all could be listed: ${faultText(fault)}`]),
      ...(await otherEntries(root, at, name => isDenied(join(shown, name)))),
    ];
    if (out.lines.some(line => line.includes('\ufffd')))
      notes.push('A name with "\ufffd" is not UTF-8: only a command reaches it.');
    const head = `${shown === '.' ? '' : `${shown}/ `}(${plural(root.files, 'file')})`;
    return [head, ...out.lines, ...notes.map(note => `[${note}]`)].join('\n');
  });
}

function newFolder(): Folder {
  return { entries: new Map(), files: 0, isOpen: false };
}

/** Returns false once the limit of files is reached. */
function addFile(root: Folder, [name = '', ...rest]: readonly string[]): boolean {
  root.files += 1;
  if (rest.length === 0) root.entries.set(name, null);
  else {
    const folder = root.entries.get(name) ?? newFolder();
    root.entries.set(name, folder);
    addFile(folder, rest);
  }
  return root.files < MOST_FILES;
}

/** Opens folders level by level while their entries fit: a folder is shown completely or not at all. */
function openFolders(root: Folder, depth: number): void {
  root.isOpen = true;
  let left = MOST_ENTRIES - root.entries.size;
  let level = [root];
  for (let deep = 1; deep < depth && level.length > 0; deep += 1) {
    const below = level.flatMap(({ entries }) => [...entries.values()].filter(entry => entry !== null));
    level = [];
    for (const folder of below.sort((a, b) => a.entries.size - b.entries.size)) {
      if (folder.entries.size > left) break;
      left -= folder.entries.size;
      folder.isOpen = true;
      level.push(folder);
    }
  }
}

/** Returns false if some of the open folders did not fit. */
async function show({ entries }: Folder, at: string, indent: string, out: BoundedLines): Promise<boolean> {
  for (const [name, folder] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const place = join(at, name);
    if (folder === null) {
      const size = await lstat(place).then(
        stats => sizeText(stats.size),
        () => '?',
      );
      if (!out.add(`${indent}${nameText(name)}  ${size}`)) return false;
    } else {
      const count = folder.isOpen ? '' : ` (${plural(folder.files, 'file')})`;
      if (!out.add(`${indent}${nameText(`${name}/`)}${count}`)) return false;
      if (folder.isOpen && !(await show(folder, place, `${indent}  `, out))) return false;
    }
  }
  return true;
}

/** Describes entries of the folder that the tree omits, so that a model does not think they are absent. */
async function otherEntries(
  { entries }: Folder,
  at: string,
  isDenied: (name: string) => boolean,
): Promise<string[]> {
  const others = (await readdir(at, { withFileTypes: true }))
    .filter(({ name }) => !entries.has(name) && name !== '.git' && !isDenied(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const links: string[] = [];
  const empty: string[] = [];
  const ignored: string[] = [];
  for (const entry of others.slice(0, MOST_NAMED)) {
    const place = join(at, entry.name);
    const name = nameText(entry.isDirectory() ? `${entry.name}/` : entry.name);
    if (entry.isSymbolicLink()) links.push(`${name} -> ${nameText(await readlink(place).catch(() => '?'))}`);
    else if (entry.isDirectory() && (await readdir(place).catch(() => ['?'])).length === 0) empty.push(name);
    else ignored.push(name);
  }
  const more = others.length > MOST_NAMED ? `, and ${others.length - MOST_NAMED} more` : '';
  return [
    ...(links.length > 0 ? [`Links: ${links.join(', ')}`] : []),
    ...(empty.length > 0 ? [`Empty: ${empty.join(', ')}`] : []),
    ...(ignored.length > 0 ? [`Left out, as git ignores it: ${ignored.join(', ')}${more}`] : []),
  ];
}
