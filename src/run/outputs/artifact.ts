/** A named text outside the conversation, as clients see it: the blob store has its content. */
export interface Artifact {
  /** Unique in the run: 1 to 64 letters, digits, dots, dashes and underscores. */
  id: string;
  /** The kind of text, such as `markdown`; `task_plan` for the artifact with that id. */
  type: string;
  title: string;
  /** From 1, increased by each change. */
  version: number;
  /** The blob reference of its content, UTF-8. */
  ref: string;
  bytes: number;
  /** References of earlier versions, oldest first; the oldest are dropped without room. */
  versions: string[];
}

export function contentOf({ version: latest, ref, versions }: Artifact, version: number): string | null {
  return version === latest ? ref : (versions[versions.length - (latest - version)] ?? null);
}
