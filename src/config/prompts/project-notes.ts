/** Reads a workspace's notes on its project. Their author is not trusted: they are bounded text. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { headWithin } from '../../base/text/fit.js';
import type { ProjectNotes } from '../../run/agents/project-notes.js';
import { PROJECT_NOTES_BYTES, PROJECT_NOTES_FILE } from '../../run/agents/project-notes.js';
import { isBelow } from '../../shared/process/below.js';
import { errorCode, readHead } from '../files/files.js';

interface ReadNotes {
  notes: ProjectNotes | null;
  warnings: string[];
}

export const NO_NOTES: ReadNotes = { notes: null, warnings: [] };

/**
 * Returns the beginning of the workspace's `AGENTS.md`; links are followed only within the workspace. If it is missing
 * or unreadable, a warning says so, and the run goes on without it.
 * @param workspace its real path.
 */
export async function readProjectNotes(workspace: string): Promise<ReadNotes> {
  try {
    const file = await realpath(join(workspace, PROJECT_NOTES_FILE));
    if (!isBelow(file, workspace)) return without('leads out of the workspace, and is not read');
    const { head: read, size } = await readHead(file, READ_BYTES);
    const text = new TextDecoder().decode(read, { stream: true }).replaceAll('\r\n', '\n');
    const head = headWithin(text, PROJECT_NOTES_BYTES);
    if (head.trim() === '') return without('is empty');
    const isWhole = size <= READ_BYTES && head.length === text.length;
    return { notes: { text: head, isWhole }, warnings: isWhole ? [] : [notes(CUT)] };
  } catch (error) {
    const code = errorCode(error);
    return without(code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`);
  }
}

const CUT = `is long: roles are told its first ${PROJECT_NOTES_BYTES / 1_024} KB`;

function without(why: string): ReadNotes {
  return { notes: null, warnings: [notes(why)] };
}

function notes(what: string): string {
  return `The workspace's ${PROJECT_NOTES_FILE} ${what}.`;
}

/** A character takes up to four bytes, so only the last one can be cut. */
const READ_BYTES = PROJECT_NOTES_BYTES + 4;
