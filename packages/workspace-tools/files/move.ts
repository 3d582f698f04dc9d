/** `move` and `delete`: they work on a link itself, never on its target. */
import { readdir, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isBelow, type Place } from 'steersman/config';
import { type CodeTool, defineTool } from 'steersman/mcp';
import { inFolder, missing, refuse, resolvePath, type WorkspaceContext } from './context.js';
import { sizeText } from './text.js';
import { makeFolders } from './write.js';

export function moveTool(context: WorkspaceContext): CodeTool {
  return defineTool({
    name: 'move',
    description: 'Moves or renames a file or folder. Never onto one that exists.',
    input: {
      type: 'object',
      properties: { from: { type: 'string' }, to: { type: 'string' } },
      required: ['from', 'to'],
    },
    destructive: false,
    async run(args) {
      const from = await entryOf(context, String(args.from));
      const to = await resolvePath(context, String(args.to), true);
      if (to.stats !== null)
        throw new Error(`${to.shown} exists already: delete it first, or name another path in full.`);
      if (isBelow(to.real, from.real)) throw new Error(`${to.shown} lies within ${from.shown}.`);
      await makeFolders(context, dirname(to.real));
      const isFolder = from.stats.isDirectory();
      await inEntry(context, from, source =>
        inEntry(context, to, async target => {
          // A rename would replace a file created meanwhile: reserve its path. A folder never replaces a file.
          if (!isFolder) await takePlace(target, to.shown);
          await rename(source, target).catch(async error => {
            if (!isFolder) await unlink(target).catch(() => undefined);
            refuse(from.shown, error);
          });
        }),
      );
      return `Moved ${from.shown} to ${to.shown}.`;
    },
  });
}

async function takePlace(target: string, shown: string): Promise<void> {
  await writeFile(target, '', { flag: 'wx' }).catch(error => refuse(shown, error));
}

export function deleteTool(context: WorkspaceContext): CodeTool {
  return defineTool({
    name: 'delete',
    description: 'Deletes a file or an empty folder.',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        recursive: { type: 'boolean', description: 'Also a folder with all that is in it' },
      },
      required: ['path'],
    },
    destructive: true,
    async run({ path, recursive }) {
      const entry = await entryOf(context, String(path));
      const isFolder = entry.stats.isDirectory();
      await inEntry(context, entry, async at => {
        if (isFolder && recursive === true) await empty(context, at, entry.shown);
        await (isFolder ? rmdir(at) : unlink(at)).catch(error => refuse(entry.shown, error));
      });
      const what = isFolder ? 'a folder' : entry.stats.isFile() ? sizeText(entry.stats.size) : 'a link';
      return `Deleted ${entry.shown} (${what}).`;
    },
  });
}

/** Empties each folder through its open handle, so that one that becomes a link meanwhile is not followed. */
async function empty(context: WorkspaceContext, folder: string, shown: string): Promise<void> {
  const remove = async (at: string) => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const [way, name] = [join(at, entry.name), join(shown, entry.name)];
      const isFolder = entry.isDirectory();
      if (isFolder) await empty(context, way, name);
      await (isFolder ? rmdir(way) : unlink(way)).catch(error => {
        if (error.code !== 'ENOENT') refuse(name, error);
      });
    }
  };
  await inFolder(context, folder, remove, shown);
}

/** @throws Error if the entry does not exist, or is the workspace itself. */
async function entryOf(
  context: WorkspaceContext,
  path: string,
): Promise<Place & { stats: NonNullable<Place['stats']> }> {
  const { real, shown, stats } = await resolvePath(context, path, true);
  if (shown === '.') throw new Error('This is the workspace itself.');
  if (stats === null) throw await missing(context, path);
  return { real, shown, stats };
}

/** Works on an entry through its open parent folder. */
function inEntry<T>(
  context: WorkspaceContext,
  { real }: Place,
  work: (at: string) => Promise<T>,
): Promise<T> {
  return inFolder(context, dirname(real), at => work(join(at, basename(real))));
}
