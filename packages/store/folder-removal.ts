/**
 * Removes a conversation's file while others may write to it. The file is first moved aside, and then judged: a writer
 * does not acknowledge lines that it wrote to a moved file. A file that must stay is moved back.
 */
import { lstatSync, type Stats } from 'node:fs';
import { type FileHandle, link, rename, unlink } from 'node:fs/promises';
import { SteersmanError } from 'steersman/shared';
import { unlessGone } from './folder-lines.js';

/** A file that a crash left aside for longer than this is moved back. */
const ASIDE_MS = 60_000;

/** The file's path while its conversation is being removed. */
const asideOf = (path: string) => `${path}.removing`;

const look = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

export function isBeingRemoved(path: string): boolean {
  const aside = look(asideOf(path));
  // Its ctime was set by linking and unlinking.
  return aside !== undefined && Date.now() - aside.ctimeMs < ASIDE_MS;
}

/** True if the path still leads to this open file. */
export async function isAt(path: string, file: FileHandle): Promise<boolean> {
  return look(path)?.ino === (await file.stat()).ino;
}

/** Moves a file back that a crash has left aside. */
export async function putBackLost(path: string): Promise<void> {
  const aside = look(asideOf(path));
  if (aside === undefined || isBeingRemoved(path)) return;
  const there = look(path);
  if (there?.ino === aside.ino) await unlink(asideOf(path)).catch(unlessGone);
  // An empty file belongs to a writer that has not written to it yet.
  else if (there === undefined || there.size === 0) await rename(asideOf(path), path).catch(unlessGone);
}

/**
 * Moves the file aside and calls `judge` with its new path. If `judge` returns, the file is deleted; if it throws, the
 * file is moved back. @returns null if there is no file.
 */
export async function removeFile<T>(path: string, judge: (aside: string) => Promise<T>): Promise<T | null> {
  const aside = asideOf(path);
  if (isBeingRemoved(path)) throw beingRemoved();
  try {
    // Two concurrent removals: the link fails for the second, while a rename would succeed for both.
    await link(path, aside);
  } catch (error) {
    if (isOf('EEXIST', error)) throw beingRemoved();
    return unlessGone(error);
  }
  try {
    await unlink(path);
    const judged = await judge(aside);
    await unlink(aside).catch(unlessGone);
    return judged;
  } catch (error) {
    await rename(aside, path).catch(unlessGone);
    throw error;
  }
}

function beingRemoved(): SteersmanError {
  return new SteersmanError(
    'The conversation is being removed already.',
    'Try again in a minute.',
    'conflict',
  );
}

function isOf(code: string, error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
