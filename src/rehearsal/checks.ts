/** Verifier rules: mechanical checks of what the goal needs against what the results show. */

import { nextCalls, unreadSources } from './next-calls.js';
import { findNamed } from './scope.js';
import type { Seen } from './sections.js';
import { say } from './sections.js';
import type { Toolbox } from './tools.js';
import type { Work } from './work.js';
import { workFor } from './work.js';

/** Something that the goal needs, that is not there, and that a further call can bring. */
export interface Gap {
  work: Work;
  /** What to do, for the planner. */
  improvement: string;
}

const SHOWN = 8;

/** Gaps by kind of work; none when all that can be had is there. */
export function findGaps(seen: Seen, box: Toolbox, roomChars: number): Gap[] {
  const { intent, evidence } = seen;
  return workFor(intent)
    .filter(work => nextCalls([work], { intent, evidence, box, roomChars, document: () => '' }).length > 0)
    .map(work => ({ work, improvement: IMPROVEMENTS[work](seen) }));
}

const IMPROVEMENTS: Record<Work, (seen: Seen) => string> = {
  survey: seen => {
    const open = [...seen.evidence.folders].filter(([, listed]) => !listed).map(([path]) => path);
    if (seen.evidence.listing === 'none')
      return say(seen, 'List the folder: nothing was listed yet.', '列出目录：还没有列出任何内容。');
    return say(
      seen,
      `List the ${open.length} folders that were not listed yet: ${shown(open)}.`,
      `列出尚未列出的 ${open.length} 个文件夹：${shown(open)}。`,
    );
  },
  read: seen => {
    const unread = seen.intent.files.filter(
      name => seen.evidence.files.get(findNamed(name, seen.evidence) ?? name)?.whole !== true,
    );
    if (unread.length > 0)
      return say(
        seen,
        `Read the files that the goal names: ${shown(unread)}.`,
        `读取目标中指明的文件：${shown(unread)}。`,
      );
    return say(
      seen,
      'Read the README, Markdown files and lists of packages that were not read whole.',
      '读取尚未完整读取的 README、Markdown 文件和依赖清单。',
    );
  },
  write: seen =>
    say(seen, `Write the answer to ${seen.intent.writeTo}.`, `把答案写入 ${seen.intent.writeTo}。`),
  source: seen => {
    const unread = unreadSources(seen).map(({ path }) => path);
    return say(
      seen,
      `Read the ${unread.length} text files that the counts do not cover yet: ${shown(unread)}.`,
      `读取统计尚未覆盖的 ${unread.length} 个文本文件：${shown(unread)}。`,
    );
  },
};

function shown(names: readonly string[]): string {
  const left = names.length - SHOWN;
  return `${names.slice(0, SHOWN).join(', ')}${left > 0 ? `, … (+${left})` : ''}`;
}
