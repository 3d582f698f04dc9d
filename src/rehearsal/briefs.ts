/** Reads what the run says to roles (`core/prompts/briefs.ts`) back into facts, in any language that it has words for. */
import type { Words } from '../core/prompts/words.js';
import { BUILT_IN_WORDS, filled } from '../core/prompts/words.js';

/**
 * `go_on`: the same task goes on; `report`: its rounds are used up; `other`: neither a new instruction nor a wish,
 * such as a reply sent back for its form.
 */
export type BriefKind =
  | 'choose'
  | 'plan'
  | 'replan'
  | 'work'
  | 'task'
  | 'go_on'
  | 'report'
  | 'verify'
  | 'wrap_up'
  | 'other';

export interface Brief {
  kind: BriefKind;
  /** The whole message. */
  text: string;
  /** What fills the slots of its first line, such as `id` and `description` of a task. */
  slots: Readonly<Record<string, string>>;
}

/** Each way for the run to begin a message. */
const BEGINNINGS: readonly (readonly [BriefKind, keyof Words])[] = [
  ['plan', 'plan'],
  ['replan', 'afterVerification'],
  ['replan', 'afterUser'],
  ['replan', 'afterReview'],
  ['replan', 'afterOrchestrator'],
  ['work', 'work'],
  ['work', 'step'],
  ['task', 'task'],
  ['go_on', 'goOn'],
  ['go_on', 'retry'],
  ['go_on', 'notReviewed'],
  ['go_on', 'overdue'],
  ['report', 'report'],
  ['verify', 'verify'],
  ['wrap_up', 'wrapUp'],
  ['choose', 'choose'],
  ['other', 'stepBefore'],
  ['other', 'planMore'],
  ['other', 'planUnanswered'],
  ['other', 'verdictUnanswered'],
  ['other', 'reask'],
  ['other', 'cutOff'],
  ['other', 'takeRole'],
  ['other', 'goOnAs'],
  ['other', 'projectNotes'],
  ['other', 'artifacts'],
];

const PATTERNS = Object.values(BUILT_IN_WORDS).flatMap(words =>
  BEGINNINGS.map(([kind, name]) => ({ kind, pattern: new RegExp(`^${filled(words[name])}`) })),
);

/** The line above a brief that says to whom it is said. */
const ADDRESS = new RegExp(
  `^(?:${Object.values(BUILT_IN_WORDS)
    .map(words => words.asRole.replace('{role}', '.+?'))
    .join('|')})\\n\\n`,
);

/** The brief in a user message, or null for what a person said. */
export function readBrief(said: string): Brief | null {
  const text = said.replace(ADDRESS, '');
  const [line = ''] = text.split('\n');
  for (const { kind, pattern } of PATTERNS) {
    const found = pattern.exec(line);
    if (found) return { kind, text, slots: found.groups ?? {} };
  }
  return null;
}

/** The text between the tags, as it was before it was marked; empty where there is none. */
export function tagged(text: string, tag: string): string {
  const start = text.indexOf(`<${tag}>\n`);
  const end = text.indexOf(`\n</${tag}>`, start);
  return start < 0 || end < 0 ? '' : text.slice(start + tag.length + 3, end).replaceAll('&lt;', '<');
}

/** The tasks that a brief lists. */
export function tasksOf({ text }: Brief): { id: string; description: string }[] {
  const lines = text.matchAll(/^- (\S+) \[\w+[^\]]*\] (.*)$/gm);
  return [...lines].map(([, id = '', description = '']) => ({ id, description }));
}
