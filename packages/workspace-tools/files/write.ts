import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, chmod, chown, lstat, mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { plural } from 'steersman/base';
import { isBelow, type Place } from 'steersman/config';
import { type CodeTool, defineTool } from 'steersman/mcp';
import { inFolder, kindOf, refuse, resolvePath, type WorkspaceContext } from './context.js';

export function writeTool(context: WorkspaceContext): CodeTool {
  return defineTool({
    name: 'write',
    description:
      'Writes a whole file, also over one that exists; makes its folders. To change a part, use edit.',
    input: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
    idempotent: true,
    destructive: false,
    async run(args) {
      const path = String(args.path);
      const content = String(args.content);
      const place = await resolvePath(context, path);
      if (place.stats !== null && !place.stats.isFile())
        throw new Error(`${path} is ${kindOf(place.stats)}, not a file.`);
      await makeFolders(context, dirname(place.real));
      const links = await alone(place.real, () => replaceFile(context, place, content));
      const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
      const before = place.stats === null ? 'new' : `replaced; it had ${place.stats.size} bytes`;
      return `${place.shown}: ${Buffer.byteLength(content)} bytes, ${lines} lines (${before}).${links}`;
    },
  });
}

/** Creates folders one by one, each through its open parent, so that a link created meanwhile is not followed. */
export async function makeFolders(context: WorkspaceContext, folder: string): Promise<void> {
  if (folder === context.workspace || !isBelow(folder, context.workspace)) return;
  const above = dirname(folder);
  await makeFolders(context, above);
  await inFolder(context, above, async at => {
    await mkdir(join(at, basename(folder))).catch(error => {
      if (error.code !== 'EEXIST') refuse(relative(context.workspace, folder), error);
    });
  });
}

/**
 * Writes a temporary file and renames it: readers never see half a file, and a new link is replaced, not followed.
 * Owner and mode stay. A hard link is replaced too: its other name may be outside. `read`: the file's state when it was
 * read.
 * @throws Error if the file has changed since. @returns a note for the model, or an empty text.
 */
export async function replaceFile(
  context: WorkspaceContext,
  { real, shown, stats }: Place,
  content: string | Uint8Array,
  read: Stats | null = null,
): Promise<string> {
  await inFolder(context, dirname(real), async at => {
    const aside = join(at, `.${randomUUID()}.tmp`);
    const target = join(at, basename(real));
    try {
      // A file that may not be written in place may not be replaced either.
      if (stats !== null) await access(target, constants.W_OK);
      // The temporary file is private from the start, so that it never reveals what the file's mode hides.
      await writeFile(aside, content, { flag: 'wx', ...(stats !== null && { mode: 0o600 }) });
      if (stats !== null) await keepOwner(aside, stats);
      if (stats !== null) await chmod(aside, stats.mode & 0o7777);
      if (read !== null && !isSame(read, await lstat(target)))
        throw new Error(
          `${shown} was changed by somebody else meanwhile. Nothing was written: read it again.`,
        );
      await rename(aside, target);
    } catch (error) {
      await unlink(aside).catch(() => undefined);
      if (error instanceof Error && !('code' in error)) throw error;
      refuse(shown, error);
    }
  });
  const others = (stats?.nlink ?? 1) - 1;
  return others > 0
    ? ` It was a hard link: its ${plural(others, 'other name')} still ${others > 1 ? 'have' : 'has'} the old content.`
    : '';
}

/** Sets the owner if this user may: root, or a member of the group. */
async function keepOwner(path: string, { uid, gid }: Stats): Promise<void> {
  const made = await lstat(path);
  if (made.uid !== uid || made.gid !== gid) await chown(path, uid, gid).catch(() => undefined);
}

function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

const working = new Map<string, Promise<unknown>>();

/** Runs work on a file one after another, so that the second reads the result of the first. */
export async function alone<T>(real: string, work: () => Promise<T>): Promise<T> {
  const before = working.get(real) ?? Promise.resolve();
  const done = before.then(work, work);
  working.set(real, done);
  try {
    return await done;
  } finally {
    if (working.get(real) === done) working.delete(real);
  }
}
