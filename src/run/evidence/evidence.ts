/** What a run knows of its own effects in a goal, without a model: what it keeps, looks up, and tells of it. */

import type { ToolEnding } from '../messages/message.js';

/** In place of the hash of what could not be looked at. */
export const NOT_SEEN = 'unread';

/** What stands at a path. `hash`: null where nothing does. */
export interface FileState {
  /** From the workspace on. */
  path: string;
  hash: string | null;
  bytes: number;
}

/** What stood at a path before the goal's first write of it. */
export interface Snapshot extends FileState {
  /** The path as a call named it, from the workspace on. */
  named: string;
  /** Of a text that is not too large, by reference; null: only its hash is known. */
  ref: string | null;
  /** Tasks whose calls named it. */
  taskIds: string[];
  /** Number of the last change by a call that named it. Absent: of an older version, or none was made. */
  wrote?: number;
}

/** Files that calls named and that there was no room for among the snapshots. */
export interface Unkept {
  files: Pick<Snapshot, 'path' | 'taskIds'>[];
  /** Number of the last change of one of them. */
  wrote: number;
}

/** A call that may have changed something, or that did not do what was asked of it. */
export interface CallNote {
  taskId: string | null;
  /** The call in a line. */
  call: string;
  /** The paths that it named, as snapshots have them. */
  named: string[];
  ending: ToolEnding;
  isError: boolean;
  /** It may have changed something. */
  acted: boolean;
  /** Not all that the tool said was seen. */
  cut: boolean;
  /** Of a command, a computation or what failed, what the tool said, in a line: of what is long its beginning. */
  said: string | null;
  /** The end of what was said, where `said` is its beginning. */
  last?: string;
  /** Lines of what it said that are not told. */
  left?: number;
  /** A command line whose exit code does not say that what it was to do was done, or code that reads nothing. */
  silent?: true;
  /** What it says held when it ran: a later change may have undone it. */
  ran?: 'command' | 'code';
  /** How many changes had been made when it began. Absent in notes of older versions. */
  at?: number;
  /** Its own number among the changes, if it may have changed files that no snapshot is of. */
  alters?: number;
}

export interface Evidence {
  files: Snapshot[];
  calls: CallNote[];
  /** Of both: those that there was no room for. */
  left: number;
  /** Calls of the goal that may have changed files, so far: their order tells what came after what. */
  changes?: number;
  unkept?: Unkept;
}

export function newEvidence(): Evidence {
  return { files: [], calls: [], left: 0 };
}

/** How a file stands now, beside what stood there before. */
export interface FileNow extends FileState {
  /** From then to now, its beginning where it is long; null where the two can not be compared, or need not be. */
  diff: string | null;
  /** Characters of it that are left out. */
  left: number;
  /** Why there is none, where it is wanted. */
  why: 'no_text' | 'too_large' | 'unread' | null;
}

/** What one look at the workspace finds. */
export interface FilesNow {
  files: FileNow[];
  /** Files that changed since, and that no call named. Without hidden ones, where `changes` is absent. */
  others: string[];
  /** More of them. */
  more: number;
  /** The workspace beside what it was as the goal began, but for `files`. Absent where that was not looked for. */
  changes?: WorkspaceChanges;
}

/** Files that no call named. */
export interface WorkspaceChanges {
  changed: string[];
  added: string[];
  gone: string[];
  /** More of them. */
  more: number;
  /** Folders that git ignores, with the number of their files then and now. */
  ignored: string[];
  /** `start`: what there was is not known; `now`: nor what there is; `cut`: there are too many; `ignored`: these could not be counted. */
  unseen: 'start' | 'now' | 'cut' | 'ignored' | null;
}

/** Where nothing could be compared. */
export function unseenChanges(unseen: WorkspaceChanges['unseen']): WorkspaceChanges {
  return { changed: [], added: [], gone: [], more: 0, ignored: [], unseen };
}

/** One that a verdict may cite. */
export interface EvidenceItem {
  id: string;
  /** Tasks that it is of; empty: of none. */
  taskIds: string[];
  /** It shows that something was done. */
  supports: boolean;
  /** A call that said more than is told of it. */
  cut?: true;
  /** Of a file: it holds as long as this is what stands there. */
  file?: FileState;
}

/** What a verifier is told, and what its verdict may cite. */
export interface Looked {
  text: string;
  items: EvidenceItem[];
}

/** On what a completed goal rests: its checks, evidence for each of its tasks, or the verifier's word alone. */
export const BASES = ['checks', 'evidence', 'opinion'] as const;
export type Basis = (typeof BASES)[number];

/** What is told of a goal that was completed, where it is so. */
export interface Rest {
  /** On what it rests. */
  basis?: Basis;
  /** Parts of the goal that are impossible here, each with why. */
  exceptions?: string[];
}
