/** Writes answers and reports from the parts. */

import { namedFileSections } from './file-sections.js';
import { topicsOf } from './goal.js';
import type { Work } from './goal-words.js';
import { code } from './markdown.js';
import { LABEL, LABEL_ZH } from './reply.js';
import type { Seen } from './scope.js';
import { say } from './scope.js';
import { notReadSection, TOPIC_SECTIONS, wordSections } from './sections.js';

/** First line of every answer. */
export function labelLine(seen: Seen): string {
  return say(
    seen,
    `*${LABEL} What follows was listed, quoted and counted from your files by fixed rules; name a real model for one that understands.*`,
    `*${LABEL_ZH}以下内容由固定规则从你的文件中列出、引用和统计；需要理解能力时请指定真实模型。*`,
  );
}

/** The answer to the goal, as far as the results in the conversation go. */
export function writeAnswer(seen: Seen, note = ''): string {
  return joined([
    labelLine(seen),
    note,
    unservedNote(seen),
    writtenNote(seen),
    ...namedFileSections(seen),
    ...wordSections(seen),
    ...seen.intent.topics.map(topic => TOPIC_SECTIONS[topic](seen)),
    notReadSection(seen),
  ]);
}

function joined(parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('\n\n');
}

/** Why the file that the goal names for the answer was not written; null where it was, or was not tried. */
export function whyNotWritten({ intent: { writeTo }, evidence }: Seen): string | null {
  return writeTo === null ? null : (evidence.writes.get(writeTo) ?? null);
}

function writtenNote(seen: Seen): string {
  const { writeTo } = seen.intent;
  if (writeTo === null || !seen.evidence.writes.has(writeTo)) return '';
  const [file, why] = [code(writeTo), whyNotWritten(seen)];
  if (why === null) return say(seen, `This was written to ${file}.`, `以下内容已写入 ${file}。`);
  return say(seen, `**${file} was not written**: ${code(why)}`, `**${file} 没有写入**：${code(why)}`);
}

const CAN =
  'It can list a folder, quote the README and files you name, find words and TODOs, count lines and files, and list headings, dependencies and the largest files. Here is what it saw.';
const CAN_ZH =
  '它能列出目录，引用 README 和指明的文件，查找词语和 TODO，统计行数和文件数，列出标题、依赖和最大的文件。以下是它看到的内容。';

/** Says that the goal, or a part of it, needs a model that understands. */
function unservedNote(seen: Seen): string {
  const { unserved } = seen.intent;
  if (unserved === null) return '';
  const [word, wordZh] = unserved === '' ? ['', ''] : [` with “${unserved}”`, `“${unserved}”`];
  return say(
    seen,
    `**This model cannot do what the goal asks${word}: it understands nothing, changes nothing, writes nothing new and sees only files.** ${CAN}`,
    `**目标的要求${wordZh}本模型做不到：它没有理解能力，不改动也不创作任何内容，只能看到文件。**${CAN_ZH}`,
  );
}

/** An answer where no files can be seen. */
export function answerWithoutTools(seen: Seen): string {
  const why = say(
    seen,
    'No tools that list and read files are offered here, so nothing was looked at. The mode direct has none: choose another. Else connect a file server in .mcp.json, or name a real model.',
    '这里没有提供列出和读取文件的工具，因此什么也没有查看。direct 模式没有工具，请改用其他模式；否则请在 .mcp.json 中连接文件服务器，或指定真实模型。',
  );
  return joined([labelLine(seen), why]);
}

const LONGEST_REPORT = 1_600;

/** What one piece of work found, in short: the whole is in the answer. */
export function writeReport(work: Work, seen: Seen): string {
  const own = topicsOf(work, seen.intent);
  const topics = work === 'survey' && !own.includes('tree') ? (['tree', ...own] as const) : own;
  const text = joined([
    ...topics.map(topic => TOPIC_SECTIONS[topic](seen)),
    ...(work === 'write' ? [writtenNote(seen)] : []),
    ...(work === 'read' ? namedFileSections(seen) : []),
    ...(work === 'source' ? [...wordSections(seen), notReadSection(seen)] : []),
  ]).replace(/^## (.*)$/gm, '**$1**');
  return text.length > LONGEST_REPORT ? `${text.slice(0, LONGEST_REPORT)}…` : text;
}
