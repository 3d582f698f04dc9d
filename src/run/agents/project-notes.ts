/** Project notes: the workspace's file about the project, shown to working roles as data. */

import { delimit } from '../../base/words/prompt.js';
import { fill, type Words } from '../../base/words/words.js';
import type { Message } from '../messages/message.js';
import type { OutputContract } from '../outputs/contracts.js';
import type { PinnedRole } from './role.js';

export const PROJECT_NOTES_FILE = 'AGENTS.md';
/** The limit for the notes as JSON, since every request of the run carries them. */
export const PROJECT_NOTES_BYTES = 16_384;

export interface ProjectNotes {
  /** The beginning of the file, at most `PROJECT_NOTES_BYTES` as JSON. */
  text: string;
  isWhole: boolean;
}

/** Roles that only judge a message or a call get no notes. */
const WORK: ReadonlySet<OutputContract> = new Set(['plan', 'execution', 'verdict', 'text']);

export function takesNotes({ output }: Pick<PinnedRole, 'output'>): boolean {
  return WORK.has(output);
}

export function holdsNotes({ messages }: { messages: readonly Message[] }): boolean {
  return messages.some(message => message.kind === 'user' && message.purpose === 'notes');
}

/** The notes as roles read them: the same in every run of the workspace until the file changes. */
export function notesText({ text, isWhole }: ProjectNotes, words: Words): string {
  return [
    fill(words.projectNotes, { file: PROJECT_NOTES_FILE }),
    delimit('project_notes', text),
    ...(isWhole ? [] : [words.projectNotesCut]),
    words.projectNotesEnd,
  ].join('\n\n');
}
