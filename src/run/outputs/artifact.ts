/** A named text beside the conversation, as clients see it: its content is in the blob store. */
export interface Artifact {
  /** Unique in the run: 1 to 64 letters, digits, dots, dashes and underscores. */
  id: string;
  /** What it is, such as `markdown`; `task_plan` for the one of that id. */
  type: string;
  title: string;
  /** From 1; each change makes the next. */
  version: number;
  /** Its content in the blob store, UTF-8. */
  ref: string;
  bytes: number;
  /** Contents of the versions before it, oldest first; the oldest go where there is no room. */
  versions: string[];
}

export function contentOf({ version: latest, ref, versions }: Artifact, version: number): string | null {
  return version === latest ? ref : (versions[versions.length - (latest - version)] ?? null);
}
