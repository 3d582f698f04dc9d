/**
 * Types of evidence: the results of looking at a workspace, what a verdict may cite, and the basis of a completed goal.
 */

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
  /** The file's change time, as the list of the workspace has it. Absent in older versions, or without a file. */
  changedAt?: number;
  /** Number of the last change by a call that named it. Absent in older versions, or without such a change. */
  wrote?: number;
}

/** The present state of a file, compared with the one before. */
export interface FileNow extends FileState {
  /** The diff from then to now, cut if long; null if they can't be compared, or need not be. */
  diff: string | null;
  /** Characters of the diff that are left out. */
  left: number;
  /** The reason for a missing diff that is wanted. */
  why: 'no_text' | 'too_large' | 'unread' | null;
  /** The goal found another file: something changed it before the first call that named it. */
  isLater?: true;
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

/** Files that changed, came or went, by their paths in the workspace. */
export interface FilesChanged {
  changed: string[];
  added: string[];
  gone: string[];
  /** The number of further such files. */
  more: number;
}

/** Changed files that no call named. */
export interface WorkspaceChanges extends FilesChanged {
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
  /** A call that ended with an error. */
  failed?: true;
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
export interface EndFacts {
  /** The basis of the completion. */
  basis?: Basis;
  /** Parts of the goal that are impossible here, each with its reason. */
  exceptions?: string[];
}
