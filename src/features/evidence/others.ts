/** Files that changed since the goal began and have no snapshot. */

import { safeLine } from '../../base/text/preview.js';
import { delimit } from '../../base/words/prompt.js';
import type { Words } from '../../base/words/words.js';
import type { FilesNow, WorkspaceChanges } from '../../run/evidence/evidence.js';
import type { CallNote, Entry, Evidence } from './rules.js';

/** The number of listed files that no call named. */
const MOST_SHOWN = 40;
const PATH_CHARS = 120;

export interface Others {
  entries: Entry[];
  /** Paths that calls have named and that have an entry. */
  told: string[];
  /** Facts about them without an id. */
  facts: string[];
}

/** A file gets an id if a call named it, or if a call that names no file may have changed it. */
export function othersOf(words: Words, evidence: Evidence, now: FilesNow | null): Others {
  if (now === null) return { entries: [], told: [], facts: [] };
  const named = new Map(evidence.unkept?.files.map(({ path, taskIds }) => [path, taskIds]));
  const calls = evidence.calls.filter(
    ({ acted, ran, named }) => acted && (ran !== undefined || named.length === 0),
  );
  const mayBeOfCalls = calls.length > 0 || evidence.left > 0;
  const list = (paths: readonly string[]) => {
    const key = mayBeOfCalls ? 'evidenceOthersOrCalls' : 'evidenceOthers';
    return `${words[key]}\n${delimit('files', paths.join(', '))}`;
  };
  if (!now.changes) {
    const paths = shownOf(
      now.others.filter(path => !named.has(path)),
      now.more,
    );
    return { entries: [], told: [], facts: [paths.length === 0 ? words.evidenceNoOthers : list(paths)] };
  }
  const { more, ignored, unseen } = now.changes;
  const changed = changedIn(words, now.changes);
  const others = changed.filter(({ path }) => !named.has(path));
  const ofCalls = changed.filter(({ path }) => named.has(path));
  const tasks = makersOf(calls);
  const shown = tasks === null ? [] : others.slice(0, MOST_SHOWN);
  const entries = [
    ...ofCalls.map(file => entryOf(file, words.evidenceNotKept, named.get(file.path) ?? [])),
    ...shown.map(file => entryOf(file, words.evidenceNotNamed, tasks ?? [])),
  ];
  const rest = others
    .slice(shown.length)
    .map(({ path, state }) => `${path}${state === words.evidenceIsChanged ? '' : ` (${state})`}`);
  const paths = shownOf(
    [...(tasks === null ? rest : []), ...ignored],
    more + (tasks === null ? 0 : rest.length),
  );
  const notSeen = unseen === null ? [] : [words[WHY_UNSEEN[unseen]]];
  const told = ofCalls.map(({ path }) => path);
  if (paths.length > 0) return { entries, told, facts: [list(paths), ...notSeen] };
  return {
    entries,
    told,
    facts: unseen === null && shown.length === 0 ? [words.evidenceNoChanges] : notSeen,
  };
}

function shownOf(paths: readonly string[], more: number): string[] {
  const shown = paths.slice(0, MOST_SHOWN).map(path => safeLine(path, PATH_CHARS));
  const left = paths.length - shown.length + more;
  return [...shown, ...(left > 0 ? [`… (${left})`] : [])];
}

interface Changed {
  path: string;
  state: string;
}

function changedIn(words: Words, { changed, added, gone }: WorkspaceChanges): Changed[] {
  const each = (paths: readonly string[], state: string) => paths.map(path => ({ path, state }));
  return [
    ...each(changed, words.evidenceIsChanged),
    ...each(added, words.evidenceIsNew),
    ...each(gone, words.evidenceIsGone),
  ];
}

function entryOf({ path, state }: Changed, how: string, taskIds: string[]): Entry {
  return { taskIds, supports: true, line: `${safeLine(path, PATH_CHARS)}: ${state}; ${how}`, diff: null };
}

/** Returns the tasks whose calls may have changed files without naming them; null without such calls. */
function makersOf(calls: readonly CallNote[]): string[] | null {
  const makers = calls.filter(({ alters }) => alters !== undefined);
  if (makers.length === 0) return null;
  const taskIds = makers.flatMap(({ taskId }) => taskId ?? []);
  return taskIds.length < makers.length ? [] : [...new Set(taskIds)];
}

const WHY_UNSEEN = {
  start: 'evidenceNoStart',
  now: 'evidenceNotListed',
  cut: 'evidenceListCut',
  ignored: 'evidenceIgnoredUnseen',
} as const;
