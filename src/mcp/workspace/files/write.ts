import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { type CodeTool, defineTool } from '../../code-tools.js';
import {
  inFolder,
  isInside,
  kindOf,
  type Place,
  placeOf,
  refuse,
  type WorkspaceContext,
} from '../context.js';

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
      const place = await placeOf(context, path);
      if (place.stats !== null && !place.stats.isFile())
        throw new Error(`${path} is ${kindOf(place.stats)}, not a file.`);
      await makeFolders(context, dirname(place.real));
      await replaceFile(context, place, content);
      const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
      const before = place.stats === null ? 'new' : `replaced; it had ${place.stats.size} bytes`;
      return `${place.shown}: ${Buffer.byteLength(content)} bytes, ${lines} lines (${before}).`;
    },
  });
}

/** Folder by folder, each reached by the one above: none is made through a link that came meanwhile. */
export async function makeFolders(context: WorkspaceContext, folder: string): Promise<void> {
  if (folder === context.workspace || !isInside(context.workspace, folder)) return;
  const above = dirname(folder);
  await makeFolders(context, above);
  await inFolder(context, above, async at => {
    await mkdir(join(at, basename(folder))).catch(error => {
      if (error.code !== 'EEXIST') refuse(relative(context.workspace, folder), error);
    });
  });
}

/** Written aside and renamed: nobody sees half a file, and a link that came meanwhile is replaced, not followed. */
export async function replaceFile(
  context: WorkspaceContext,
  { real, shown, stats }: Place,
  content: string | Uint8Array,
): Promise<void> {
  await inFolder(context, dirname(real), async at => {
    const aside = join(at, `.${randomUUID()}.tmp`);
    try {
      await writeFile(aside, content, { flag: 'wx' });
      if (stats !== null) await chmod(aside, stats.mode & 0o7777);
      await rename(aside, join(at, basename(real)));
    } catch (error) {
      await unlink(aside).catch(() => undefined);
      refuse(shown, error);
    }
  });
}
