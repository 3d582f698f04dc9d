/** The files that changed while a command ran: no argument of it names them. For people, never for models. */
import { preview } from '../../base/text/preview.js';
import type { FilesChanged } from '../../run/evidence/evidence.js';
import { isCommandName } from '../../run/tools/tool-paths.js';
import { changesBetween, listUnignored, type WorkspaceList } from '../looks/workspace-list.js';
import type { CallToolInput, CallToolResult } from '../types.js';

const MOST_NAMES = 20;
const PATH_CHARS = 200;

/** Makes a call, and adds the files that changed meanwhile if it is a command that may change something. */
export async function withChanges(
  { idempotent }: Pick<CallToolInput, 'idempotent'>,
  { args, workspace }: { args: Record<string, unknown>; workspace: string },
  call: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  if (idempotent || !Object.keys(args).some(isCommandName)) return call();
  const before = await listed(workspace);
  const result = await call();
  const now = before && (await listed(workspace));
  const files = before && now && shownOf(changesBetween(before, now, new Set()));
  return files === null ? result : { ...result, files };
}

/** Null for a folder that can't be listed: the command runs all the same. */
function listed(workspace: string): Promise<WorkspaceList | null> {
  return listUnignored(workspace).catch(() => null);
}

function shownOf({ changed, added, gone, more }: FilesChanged): FilesChanged | null {
  let room = MOST_NAMES;
  const [first, second, third] = [changed, added, gone].map(paths => {
    const shown = paths.slice(0, room).map(path => preview(path, PATH_CHARS));
    room -= shown.length;
    return shown;
  });
  const count = changed.length + added.length + gone.length + more;
  if (count === 0) return null;
  return { changed: first ?? [], added: second ?? [], gone: third ?? [], more: count - (MOST_NAMES - room) };
}
