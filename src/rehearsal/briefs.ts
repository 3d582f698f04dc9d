/** Reads what the run says to roles (`core/briefs/briefs.ts`) back into facts, in any language that it has words for. */
import type { BriefWords } from '../core/briefs/brief-words.js';
import { BRIEF_WORDS } from '../core/briefs/brief-words.js';

export interface BriefedTask {
  id: string;
  status: string;
  description: string;
}

export type Brief =
  | { kind: 'plan'; improvements: string[]; tasks: BriefedTask[] }
  | { kind: 'plan_more' }
  | { kind: 'task'; taskId: string; description: string; rounds: number }
  /** The same task goes on. */
  | { kind: 'go_on'; taskId: string }
  /** The task's rounds are used up: a report, without tools. */
  | { kind: 'report'; taskId: string }
  | { kind: 'verify'; goal: string; tasks: BriefedTask[] }
  | { kind: 'wrap_up'; why: string; goal: string };

type Reader = (text: string) => Brief | null;

const LANGUAGES = Object.values(BRIEF_WORDS);
const READERS = LANGUAGES.flatMap(readersFor);

function readersFor(words: BriefWords): Reader[] {
  const again = [words.afterVerification, words.afterUser, words.afterReview, words.afterOrchestrator];
  const rounds = pattern(words.rounds);
  return [
    text => (text.startsWith(words.plan) ? { kind: 'plan', improvements: [], tasks: [] } : null),
    text =>
      again.some(start => text.startsWith(start))
        ? { kind: 'plan', improvements: bullets(tagged(text, 'improvements')), tasks: tasksOf(text, words) }
        : null,
    text => (begins(words.planMore, text) ? { kind: 'plan_more' } : null),
    text => {
      const { id: taskId, description } = begins(words.task, text) ?? {};
      if (taskId === undefined || description === undefined) return null;
      return { kind: 'task', taskId, description, rounds: Number(rounds.exec(text)?.groups?.rounds ?? 10) };
    },
    text =>
      withTask(
        'go_on',
        begins(words.goOn, text) ?? begins(words.retry, text) ?? begins(words.notReviewed, text),
      ),
    text => withTask('report', begins(words.report, text)),
    text =>
      text.startsWith(words.verify)
        ? { kind: 'verify', goal: tagged(text, 'goal'), tasks: tasksOf(text, words) }
        : null,
    text => {
      const why = begins(words.wrapUp, text)?.why;
      return why === undefined ? null : { kind: 'wrap_up', why, goal: tagged(text, 'goal') };
    },
  ];
}

/** The brief in a user message, or null for what a person said. */
export function readBrief(text: string): Brief | null {
  for (const read of READERS) {
    const brief = read(text);
    if (brief) return brief;
  }
  return null;
}

/** Other messages of the run: a reply sent back for its form or cut off, a question that found no answer. */
const OTHER_WORDS = [
  'Summary of the conversation so far:',
  ...LANGUAGES.flatMap(words => [words.reask, words.cutOff, words.planUnanswered, words.verdictUnanswered]),
];

/** A message of the run that is neither a wish nor a brief. */
export function isOtherWordOfRun(text: string): boolean {
  return OTHER_WORDS.some(start => text.startsWith(start));
}

/** A text of the run as an expression, its slots as named groups. */
function pattern(text: string): RegExp {
  const source = text.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>.+?)');
  return new RegExp(source);
}

/** The slots of the first line, where the text begins with it. */
function begins(line: string, text: string): Record<string, string> | null {
  return new RegExp(`^${pattern(line).source}$`).exec(text.split('\n')[0] ?? '')?.groups ?? null;
}

function withTask(kind: 'go_on' | 'report', slots: Record<string, string> | null): Brief | null {
  return slots?.id === undefined ? null : { kind, taskId: slots.id };
}

/** The text between the tags, as it was before it was marked; empty where there is none. */
export function tagged(text: string, tag: string): string {
  const start = text.indexOf(`<${tag}>\n`);
  const end = text.indexOf(`\n</${tag}>`, start);
  return start < 0 || end < 0 ? '' : text.slice(start + tag.length + 3, end).replaceAll('&lt;', '<');
}

function bullets(text: string): string[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('- '))
    .map(line => line.slice(2).trim());
}

function tasksOf(text: string, words: BriefWords): BriefedTask[] {
  const [mark = ''] = words.criterion.split('{');
  const lines = text.matchAll(/^- (\S+) \[(\w+)[^\]]*\] (.*)$/gm);
  return [...lines].map(([, id = '', status = '', rest = '']) => ({
    id,
    status,
    description: rest.split(` — ${mark}`)[0] ?? '',
  }));
}
