/** A person's typed texts and attached files for a start. */
import { type Signal, signal } from '@preact/signals';
import { draft, forget } from '../parts/draft.js';

/** A file that the run has read, or a picture that it has seen, when it begins. */
export type AttachedFile =
  | { name: string; text: string }
  | { name: string; mimeType: string; base64: string };

/** The conversation that a new run continues, and the place in it. */
export interface GoesOn {
  /** Id of its conversation. */
  session?: string;
  /** Id of an ended run whose goals and answers it knows. */
  after?: string;
  /** Default: the console's folder. */
  workspace?: string | null;
}

export interface StartDraft {
  goal: Signal<string>;
  /** The other fields, as JSON. */
  fields: Signal<string>;
  /** A random word of the request. */
  request: Signal<string>;
  files: Signal<AttachedFile[]>;
}

/** They last as long as the page, because a tab's storage has no room for them. */
const attached = new Map<string, Signal<AttachedFile[]>>();

/** A reload keeps everything except files, because a start without a typed check would be a different start. */
export function startDraft(given: GoesOn = {}): StartDraft {
  const [goal, fields, request] = namesOf(given);
  const files = attached.get(goal) ?? signal<AttachedFile[]>([]);
  attached.set(goal, files);
  return { goal: draft(goal), fields: draft(fields), request: draft(request), files };
}

/** Removes what was sent. */
export function forgetStart(given: GoesOn): void {
  const names = namesOf(given);
  forget(...names);
  attached.delete(names[0]);
}

function namesOf({ session, after }: GoesOn): [string, string, string] {
  const goal = `start ${session ?? after ?? ''}`;
  return [goal, `${goal} fields`, `${goal} request`];
}
