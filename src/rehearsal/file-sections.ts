/** Parts of the answer about the files that the goal names. */
import { headingLines, headingsOf } from './documents.js';
import type { FileSeen } from './evidence.js';
import { languageOf } from './file-kinds.js';
import { bytesText } from './markdown.js';
import { countLines } from './places.js';
import type { Seen } from './scope.js';
import { findNamed, say } from './scope.js';
import { introQuote, list } from './sections.js';

/** One part for each file that the goal names. */
export function namedFileSections(seen: Seen): string[] {
  return seen.intent.files.map(name => {
    const file = findNamed(name, seen.evidence);
    if (file?.text) return fileSection(seen, file, file.text);
    const missing = say(seen, 'it is not among the files found', '在列出的文件中没有它');
    const why = seen.evidence.files.get(name)?.error ?? missing;
    return `## ${name}\n\n${say(seen, `There is no such file, or it could not be read: ${why}.`, `没有这个文件，或无法读取：${why}。`)}`;
  });
}

function fileSection(seen: Seen, { path, size, whole }: FileSeen, text: string): string {
  const lines = countLines(text);
  const extent = whole
    ? say(seen, `${lines} lines`, `${lines} 行`)
    : say(seen, `the first ${lines} lines were read`, `读取了前 ${lines} 行`);
  const facts = [languageOf(path), extent, bytesText(size ?? text.length)].join(' · ');
  const body = languageOf(path) === 'Markdown' ? markdownBody(seen, text) : startOf(seen, text);
  return `## ${path}\n\n${facts}\n\n${body}`;
}

function markdownBody(seen: Seen, text: string): string {
  const headings = headingsOf(text);
  if (headings.length === 0) return introQuote(text, 3);
  const intro = say(seen, 'Headings (with their lines):', '标题（及行号）：');
  return `${introQuote(text, 3)}\n\n${intro}\n\n${list(seen, headingLines(headings))}`;
}

const SHOWN_START_LINES = 25;

function startOf(seen: Seen, text: string): string {
  const lines = text.split('\n', SHOWN_START_LINES).map(line => line.slice(0, 160));
  const fence = text.includes('```') ? '~~~~' : '```';
  return `${say(seen, 'It begins:', '开头如下：')}\n\n${fence}\n${lines.join('\n').trimEnd()}\n${fence}`;
}
