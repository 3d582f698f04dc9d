/** The files that changed while a command ran: no argument of it names them. For people, never for models. */
import { preview } from '../../base/text/preview.js';
import type { FilesChanged } from '../../run/evidence/evidence.js';
import { isCommandName } from '../../run/tools/tool-paths.js';
import { shareWork } from '../looks/share-work.js';
import { changesBetween, listUnignored, type WorkspaceList } from '../looks/workspace-list.js';
import type { CallToolInput, CallToolResult } from '../types.js';

const MOST_NAMES = 20;
const PATH_CHARS = 200;

/** A list serves the next command for this long: somebody else may change a file meanwhile. */
const SERVES_MS = 1_000;

/** Makes a call, and adds the files that changed meanwhile if it is a command that may change something. */
export const withChanges = changesTeller();

export function changesTeller(list = listUnignored) {
  const lists = shareWork(list);
  // Null for a folder that can't be listed: the command runs anyway.
  const listed = (workspace: string) => lists(workspace).catch(() => null);
  /** How often a call has begun or ended. */
  let changes = 0;
  /** The list after the latest command. It is out of date once another call has begun or ended. */
  let latest: { workspace: string; list: WorkspaceList; changes: number; at: number } | null = null;

  const latestOf = (workspace: string) =>
    latest?.workspace === workspace && latest.changes === changes && performance.now() - latest.at < SERVES_MS
      ? latest.list
      : null;

  return async function withChanges(
    { idempotent }: Pick<CallToolInput, 'idempotent'>,
    { args, workspace }: { args: Record<string, unknown>; workspace: string },
    call: () => Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    const isCommand = !idempotent && Object.keys(args).some(isCommandName);
    const before = isCommand ? (latestOf(workspace) ?? (await listed(workspace))) : null;
    changes += 1;
    const result = await call().finally(() => {
      changes += 1;
    });
    const asked = { workspace, changes, at: performance.now() };
    const now = before && (await listed(workspace));
    if (!before || !now) return result;
    latest = { ...asked, list: now };
    const files = shownOf(changesBetween(before, now, new Set()));
    return files === null ? result : { ...result, files };
  };
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
