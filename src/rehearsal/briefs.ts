/** Reads what the run says to roles (`core/briefs.ts`) back into facts: the one place that knows its words. */

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

const READERS: readonly Reader[] = [
  text =>
    /^Plan the goal above\./.test(text) ? { kind: 'plan', improvements: [], tasks: tasksOf(text) } : null,
  text =>
    /^A verification found that the goal is not met yet\./.test(text)
      ? { kind: 'plan', improvements: bullets(tagged(text, 'improvements')), tasks: tasksOf(text) }
      : null,
  text => (/^You said that the plan needs more work\./.test(text) ? { kind: 'plan_more' } : null),
  text => {
    const [, taskId, description] = /^Do this task now: (\S+) — (.*)/.exec(text) ?? [];
    if (taskId === undefined || description === undefined) return null;
    const rounds = Number(/At most (\d+) rounds/.exec(text)?.[1] ?? 10);
    return { kind: 'task', taskId, description, rounds };
  },
  text => withTask('go_on', /^(\S+) is not finished yet: go on/.exec(text)?.[1]),
  text => withTask('go_on', /^You asked to retry (\S+): start it again/.exec(text)?.[1]),
  text => withTask('report', /^The rounds of (\S+) are used up/.exec(text)?.[1]),
  text =>
    /^Verify the work on the goal:/.test(text)
      ? { kind: 'verify', goal: tagged(text, 'goal'), tasks: tasksOf(text) }
      : null,
  text => {
    const why = /^The work on the goal ends here: (.*)\./.exec(text)?.[1];
    return why === undefined ? null : { kind: 'wrap_up', why, goal: tagged(text, 'goal') };
  },
];

/** The brief in a user message, or null for what a person said. */
export function readBrief(text: string): Brief | null {
  for (const read of READERS) {
    const brief = read(text);
    if (brief) return brief;
  }
  return null;
}

/** A message of the run that is neither a wish nor a brief: a reply sent back for its form, or old history. */
export function isOtherWordOfRun(text: string): boolean {
  return /^(Your last reply could not be used:|Summary of the conversation so far:)/.test(text);
}

function withTask(kind: 'go_on' | 'report', taskId: string | undefined): Brief | null {
  return taskId === undefined ? null : { kind, taskId };
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

function tasksOf(text: string): BriefedTask[] {
  const lines = text.matchAll(/^- (\S+) \[(\w+)[^\]]*\] (.*?)(?: — done when: .*)?$/gm);
  return [...lines].map(([, id = '', status = '', description = '']) => ({ id, status, description }));
}
