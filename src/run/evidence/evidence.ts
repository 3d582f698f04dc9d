/** A run's own evidence of a goal's effects, collected without a model: the records, and the results of a look. */

import type { ToolEnding } from '../messages/message.js';

/** Replaces the hash of a file that could not be looked at. */
export const NOT_SEEN = 'unread';

/** The state of a path. `hash` is null if no file is there. */
export interface FileState {
  /** Relative to the workspace. */
  path: string;
  hash: string | null;
  bytes: number;
}

/** The state of a path before the goal's first write. */
export interface Snapshot extends FileState {
  /** The path as a call named it, relative to the workspace. */
  named: string;
  /** The blob reference of a text that is not too large; null: only its hash is known. */
  ref: string | null;
  /** Tasks whose calls named it. */
  taskIds: string[];
  /** Number of the last change by a call that named it. Absent in older versions, or without such a change. */
  wrote?: number;
}

/** Files that calls named but the snapshots had no room for. */
export interface Unkept {
  files: Pick<Snapshot, 'path' | 'taskIds'>[];
  /** Number of the last change of one of them. */
  wrote: number;
}

/** A call that may have changed something, or did not do its task. */
export interface CallNote {
  taskId: string | null;
  /** The call on one line. */
  call: string;
  /** The paths that it named, as snapshots have them. */
  named: string[];
  ending: ToolEnding;
  isError: boolean;
  /** It may have changed something. */
  acted: boolean;
  /** The run saw only a part of the tool's output. */
  cut: boolean;
  /** The tool's output on one line, for commands, computations and failures; only the beginning of a long one. */
  said: string | null;
  /** The end of the output, if `said` is its beginning. */
  last?: string;
  /** Lines of the output that are left out. */
  left?: number;
  /** A command line whose exit code does not prove success, or code that reads no files. */
  silent?: true;
  /** The output held when the call ran; a later change may have undone it. */
  ran?: 'command' | 'code';
  /** The number of changes before it began. Absent in notes of older versions. */
  at?: number;
  /** The call's own number among the changes, if it may have changed files without a snapshot. */
  alters?: number;
}

export interface Evidence {
  files: Snapshot[];
  calls: CallNote[];
  /** Files and calls that there was no room for. */
  left: number;
  /** The number of the goal's calls so far that may have changed files; it orders the notes. */
  changes?: number;
  unkept?: Unkept;
}

export function newEvidence(): Evidence {
  return { files: [], calls: [], left: 0 };
}

/** The present state of a file, compared with the one before. */
export interface FileNow extends FileState {
  /** The diff from then to now, cut if long; null if they can't be compared, or need not be. */
  diff: string | null;
  /** Characters of the diff that are left out. */
  left: number;
  /** The reason for a missing diff that is wanted. */
  why: 'no_text' | 'too_large' | 'unread' | null;
}

/** The result of one look at the workspace. */
export interface FilesNow {
  files: FileNow[];
  /** Changed files that no call named. Without hidden files if `changes` is absent. */
  others: string[];
  /** The number of further such files. */
  more: number;
  /** Changes of the workspace since the goal began, except `files`. Absent if it was not compared. */
  changes?: WorkspaceChanges;
}

/** Changed files that no call named. */
export interface WorkspaceChanges {
  changed: string[];
  added: string[];
  gone: string[];
  /** The number of further such files. */
  more: number;
  /** Folders that git ignores, with the number of their files then and now. */
  ignored: string[];
  /** `start`: the earlier state is unknown; `now`: the present one too; `cut`: too many files; `ignored`: uncounted folders. */
  unseen: 'start' | 'now' | 'cut' | 'ignored' | null;
}

/** Returns an empty comparison, for a workspace that could not be compared. */
export function unseenChanges(unseen: WorkspaceChanges['unseen']): WorkspaceChanges {
  return { changed: [], added: [], gone: [], more: 0, ignored: [], unseen };
}

/** An entry that a verdict may cite. */
export interface EvidenceItem {
  id: string;
  /** Tasks that it belongs to; empty if it belongs to no task. */
  taskIds: string[];
  /** It shows that something was done. */
  supports: boolean;
  /** A call whose output is not shown whole. */
  cut?: true;
  /** The file that it describes: the entry is valid while the file has this state. */
  file?: FileState;
}

/** The text that a verifier reads, and the entries that its verdict may cite. */
export interface Looked {
  text: string;
  items: EvidenceItem[];
}

/** The basis of a completed goal: its checks, evidence for each task, or only the verifier's opinion. */
export const BASES = ['checks', 'evidence', 'opinion'] as const;
export type Basis = (typeof BASES)[number];

/** Facts that are shown only of a completed goal. */
export interface Rest {
  /** The basis of the completion. */
  basis?: Basis;
  /** Parts of the goal that are impossible here, each with its reason. */
  exceptions?: string[];
}
