/** Parts of the answer about what the goal names: files, words, and what was not read. */
import { headingLines, headingsOf, introOf } from './documents.js';
import type { FileSeen } from './evidence.js';
import type { Place } from './facts.js';
import { countLines, findPlaces, MARKERS, relatedLines, wordPattern } from './facts.js';
import { isMarkdown, languageOf } from './file-kinds.js';
import { bytesText, code, list, plural, quote } from './markdown.js';
import { unreadSources } from './next-calls.js';
import { countableFiles, findNamed, MAX_FILE_BYTES, unknownFolders } from './scope.js';
import type { Seen } from './sections.js';
import { coverage, moreText, say } from './sections.js';
import { workFor } from './work.js';

const SHOWN_START_LINES = 25;
const SHOWN_PLACES = 40;
const SHOWN_RELATED = 8;

/** One part for each file that the goal names. */
export function namedFileSections(seen: Seen): string[] {
  return seen.intent.files.map(name => {
    const path = findNamed(name, seen.evidence);
    const file = path === null ? undefined : seen.evidence.files.get(path);
    if (file?.text !== null && file !== undefined) return fileSection(seen, file, file.text);
    const why =
      seen.evidence.files.get(name)?.error ??
      say(seen, 'it is not among the files found', '在列出的文件中没有它');
    return `## ${name}\n\n${say(seen, `There is no such file, or it could not be read: ${why}.`, `没有这个文件，或无法读取：${why}。`)}`;
  });
}

function fileSection(seen: Seen, { path, size, whole }: FileSeen, text: string): string {
  const marks = findPlaces([{ path, size, text, whole, error: null }], MARKERS);
  const lines = countLines(text);
  const extent = whole
    ? say(seen, `${lines} lines`, `${lines} 行`)
    : say(seen, `the first ${lines} lines were read`, `读取了前 ${lines} 行`);
  const facts = [languageOf(path), extent, bytesText(size ?? text.length)];
  if (marks.length > 0)
    facts.push(
      `TODO/FIXME/XXX: ${marks
        .map(mark => mark.line)
        .slice(0, 10)
        .join(', ')}`,
    );
  const body = isMarkdown(path) ? markdownBody(seen, text) : startOf(seen, text);
  return `## ${path}\n\n${facts.join(' · ')}\n\n${body}`;
}

function markdownBody(seen: Seen, text: string): string {
  const { title, paragraphs } = introOf(text, 3);
  const headings = headingLines(headingsOf(text));
  const says = quote(
    [...(title === null ? [] : [`**${title}**`]), ...paragraphs].join('\n\n') || text.slice(0, 400),
    1500,
  );
  if (headings.length === 0) return says;
  return `${says}\n\n${say(seen, 'Headings (with their lines):', '标题（及行号）：')}\n\n${list(headings, SHOWN_PLACES, moreText(seen))}`;
}

function startOf(seen: Seen, text: string): string {
  const lines = text
    .split('\n')
    .slice(0, SHOWN_START_LINES)
    .map(line => line.slice(0, 160));
  const fence = text.includes('```') ? '~~~~' : '```';
  return `${say(seen, 'It begins:', '开头如下：')}\n\n${fence}\n${lines.join('\n').trimEnd()}\n${fence}`;
}

/** One part for each word that the goal looks for. */
export function wordSections(seen: Seen): string[] {
  const files = countableFiles(seen.intent, seen.evidence);
  return seen.intent.words.map(word => {
    const exact = findPlaces(files, wordPattern(word, false));
    const places = exact.length > 0 ? exact : findPlaces(files, wordPattern(word, true));
    const how =
      exact.length > 0 || places.length === 0
        ? ''
        : say(seen, ', in other upper or lower case', '（大小写不同）');
    const times = places.reduce((sum, place) => sum + place.found.length, 0);
    const count = new Set(places.map(place => place.path)).size;
    const intro =
      places.length === 0
        ? say(seen, `Not ${coverage(seen)}.`, `${coverage(seen)}没有出现。`)
        : say(
            seen,
            `${plural(times, 'time')}, on ${plural(places.length, 'line')} in ${plural(count, 'file')}, ${coverage(seen)}${how}:`,
            `${coverage(seen)}共 ${times} 次，${places.length} 行，${count} 个文件${how}：`,
          );
    return `## ${code(word)}\n\n${intro}\n\n${placeList(seen, places, SHOWN_PLACES)}`.trimEnd();
  });
}

/** Lines that share words with a goal that nothing else was recognised in. */
export function relatedSection(seen: Seen): string {
  const { related } = seen.intent;
  const places = relatedLines(countableFiles(seen.intent, seen.evidence), related, SHOWN_RELATED);
  if (places.length === 0) return '';
  const words = [...new Set(places.flatMap(place => place.found))].map(word => code(word)).join(', ');
  return `## ${say(seen, 'Lines that share most words with the goal', '与目标用词最接近的行')} (${words})\n\n${placeList(seen, places, SHOWN_RELATED)}`;
}

function placeList(seen: Seen, places: Place[], most: number): string {
  return list(
    places.map(place => `\`${place.path}:${place.line}\` ${code(place.text)}`),
    most,
    moreText(seen),
  );
}

/** What the answer does not cover, and why; empty when there is nothing of the kind. */
export function notReadSection(seen: Seen): string {
  const { intent, evidence } = seen;
  const counts = workFor(intent).includes('source');
  const unread = counts ? countableFiles(intent, evidence).filter(file => !file.whole) : [];
  const reasons = [
    ...unknownFolders(intent, evidence).map(name =>
      say(seen, `The folder ${code(name)} was not found.`, `没有找到文件夹 ${code(name)}。`),
    ),
    reason(
      seen,
      unread.filter(file => file.error !== null),
      'could not be read',
      '无法读取',
    ),
    reason(
      seen,
      unread.filter(isTooLarge),
      `larger than ${MAX_FILE_BYTES / 1024} KB`,
      `超过 ${MAX_FILE_BYTES / 1024} KB`,
    ),
    reason(
      seen,
      counts ? unreadSources(seen) : [],
      'not reached within the limits of the run',
      '因运行限制未读到',
    ),
  ].filter(text => text !== '');
  if (reasons.length === 0) return '';
  return `## ${say(seen, 'Not read', '未读取')}\n\n${list(reasons, 20, moreText(seen))}`;
}

function isTooLarge({ size, error }: FileSeen): boolean {
  return error === null && size !== null && size > MAX_FILE_BYTES;
}

function reason(seen: Seen, files: FileSeen[], why: string, whyZh: string): string {
  if (files.length === 0) return '';
  const names = files
    .slice(0, 10)
    .map(file => `${code(file.path)}${file.error === null ? '' : ` (${file.error.slice(0, 80)})`}`);
  const left = files.length - names.length;
  const shown = `${names.join(', ')}${left > 0 ? `, ${moreText(seen)(left)}` : ''}`;
  return say(
    seen,
    `${plural(files.length, 'file')} ${why}: ${shown}`,
    `${files.length} 个文件${whyZh}：${shown}`,
  );
}
