/** Parts of the answer, each from what was really read. Empty: nothing to say. */
import { dependenciesOf, headingLines, headingsOf, introOf, readManifest } from './documents.js';
import type { FileSeen } from './evidence.js';
import { workFor } from './goal.js';
import type { Topic } from './goal-words.js';
import { bytesText, code, plural, quote, table } from './markdown.js';
import type { Place } from './places.js';
import { countLines, findPlaces, findWord, linesByLanguage, MARKERS } from './places.js';
import type { Seen } from './scope.js';
import {
  countableFiles,
  filesInScope,
  findReadme,
  isTooLarge,
  MAX_FILE_BYTES,
  manifests,
  markdownFiles,
  namedFolders,
  say,
  scopeOf,
} from './scope.js';

export const TOPIC_SECTIONS: Readonly<Record<Topic, (seen: Seen) => string>> = {
  readme: readmeSection,
  tree: treeSection,
  lines: linesSection,
  largest: largestSection,
  todos: seen => placesSection(seen, 'TODO, FIXME, XXX', findPlaces(countableFiles(seen), MARKERS)),
  headings: headingsSection,
  dependencies: dependenciesSection,
};

const SHOWN = 40;
const SHOWN_NAMES = 10;

/** A list that is cut with a line that says how much is left out; items may be indented. */
export function list(seen: Seen, items: readonly string[], most = SHOWN): string {
  const lines = items.slice(0, most).map(item => (/^\s*- /.test(item) ? item : `- ${item}`));
  return [...lines, ...moreText(seen, items.length - lines.length).map(text => `- ${text}`)].join('\n');
}

function moreText(seen: Seen, left: number): string[] {
  return left > 0 ? [say(seen, `and ${left} more`, `另有 ${left} 项`)] : [];
}

/** Title and first paragraphs of a Markdown text, quoted; else its beginning. */
export function introQuote(text: string, most: number): string {
  const { title, paragraphs } = introOf(text, most);
  return quote(
    [...(title === null ? [] : [`**${title}**`]), ...paragraphs].join('\n\n') || text.slice(0, 400),
  );
}

function readmeSection(seen: Seen): string {
  const readme = findReadme(seen);
  const parts = [
    `## ${say(seen, 'What it is', '这是什么')}`,
    packageLine(seen),
    ...(readme?.text
      ? [say(seen, `${code(readme.path)} says:`, `${code(readme.path)} 写道：`), introQuote(readme.text, 2)]
      : [say(seen, 'There is no README that could be read.', '没有可以读取的 README。')]),
  ];
  return parts.filter(part => part !== '').join('\n\n');
}

/** Name, version and description of the nearest `package.json`. */
function packageLine(seen: Seen): string {
  const file = manifests(seen).find(({ path, text }) => path.endsWith('package.json') && text !== null);
  const { name, version, description } = readManifest(file?.text ?? '') ?? {};
  if (file === undefined || typeof name !== 'string') return '';
  const about = typeof description === 'string' && description.trim() !== '' ? ` — ${description}` : '';
  return `${code(file.path)}: **${name}**${typeof version === 'string' ? ` ${version}` : ''}${about}`;
}

function treeSection(seen: Seen): string {
  const { folders, leftOut } = seen.evidence;
  if (!folders.get('.')) return '';
  const isInScope = scopeOf(seen);
  const named = namedFolders(seen).flatMap(({ path }) => path ?? []);
  const files = filesInScope(seen).map(({ path }) => path);
  const below = [...folders.keys()].filter(path => path !== '.' && isInScope(path) && !named.includes(path));
  const entries = (named.length === 0 ? [''] : named.map(path => `${path}/`)).flatMap(root => {
    const isTop = (path: string) => path.startsWith(root) && !path.slice(root.length).includes('/');
    const inFolder = (folder: string) => files.filter(path => path.startsWith(`${folder}/`)).length;
    const counted = (folder: string) =>
      say(seen, plural(inFolder(folder), 'file'), `${inFolder(folder)} 个文件`);
    const topFolders = below.filter(isTop).sort();
    return [
      ...topFolders.map(path => `${code(`${path}/`)} — ${counted(path)}`),
      ...files.filter(isTop).map(path => code(path)),
    ];
  });
  const count = say(
    seen,
    `${plural(files.length, 'file')} in ${plural(below.length, 'folder')}`,
    `共 ${files.length} 个文件、${below.length} 个文件夹`,
  );
  const where = named.length === 0 ? '' : ` (${named.map(path => code(path)).join(', ')})`;
  const open = below.filter(path => !folders.get(path)).length;
  const part =
    open === 0 ? '' : say(seen, ` (${open} of them were not listed)`, `（其中 ${open} 个没有列出）`);
  const names = [...leftOut]
    .sort()
    .map(name => code(name))
    .join(', ');
  const without = names === '' ? '' : say(seen, `, left out: ${names}`, `，未计入：${names}`);
  return `## ${say(seen, 'What is there', '目录内容')}\n\n${count}${where}${part}${without}:\n\n${list(seen, entries)}`;
}

function linesSection(seen: Seen): string {
  const rows = linesByLanguage(countableFiles(seen));
  const total = rows.reduce((sum, { lines }) => sum + lines, 0);
  const intro = say(
    seen,
    `**${total} lines** ${coverage(seen)} (a last line without a line end counts; binary files and generated ones, such as lock files and maps, do not).`,
    `${coverage(seen)}共 **${total} 行**（不含二进制文件和锁文件、映射等生成的文件）。`,
  );
  const head = [say(seen, 'Language', '语言'), say(seen, 'Files', '文件数'), say(seen, 'Lines', '行数')];
  const cells = rows.map(({ language, files, lines }) => [language, files, lines]);
  return `## ${say(seen, 'Lines by language', '各语言行数')}\n\n${intro}\n\n${table(head, cells)}`;
}

function largestSection(seen: Seen): string {
  const largest = filesInScope(seen)
    .filter(({ size }) => size !== null)
    .sort((a, b) => (b.size ?? 0) - (a.size ?? 0))
    .slice(0, SHOWN_NAMES);
  if (largest.length === 0) return '';
  const rows = largest.map(({ path, size, text, whole }) => [
    code(path),
    bytesText(size ?? 0),
    whole && text !== null ? countLines(text) : '–',
  ]);
  const head = [say(seen, 'File', '文件'), say(seen, 'Size', '大小'), say(seen, 'Lines', '行数')];
  return `## ${say(seen, 'Largest files', '最大的文件')}\n\n${table(head, rows)}`;
}

/** How much of the text the counts and searches cover. */
function coverage(seen: Seen): string {
  const all = countableFiles(seen);
  const read = all.filter(file => file.whole).length;
  if (read === all.length)
    return say(seen, `in all ${plural(read, 'text file')}`, `全部 ${read} 个文本文件中`);
  return say(
    seen,
    `in the ${read} of ${all.length} text files that were read`,
    `${all.length} 个文本文件中已读取的 ${read} 个里`,
  );
}

/** One part for each word that the goal looks for. */
export function wordSections(seen: Seen): string[] {
  return seen.intent.words.map(word => placesSection(seen, code(word), findWord(countableFiles(seen), word)));
}

function placesSection(seen: Seen, title: string, places: Place[]): string {
  const heading = `## ${title}\n\n`;
  if (places.length === 0)
    return `${heading}${say(seen, `None ${coverage(seen)}.`, `${coverage(seen)}没有。`)}`;
  const found = places.flatMap(place => place.found);
  const counts = [...new Set(found)]
    .map(mark => `${found.filter(one => one === mark).length} ${mark}`)
    .join(', ');
  const files = new Set(places.map(({ path }) => path)).size;
  const intro = say(
    seen,
    `${counts}, on ${plural(places.length, 'line')} in ${plural(files, 'file')}, ${coverage(seen)}:`,
    `${coverage(seen)}：${counts}，共 ${places.length} 行，分布在 ${files} 个文件：`,
  );
  const items = places.map(({ path, line, text }) => `\`${path}:${line}\` ${code(text)}`);
  return `${heading}${intro}\n\n${list(seen, items)}`;
}

function headingsSection(seen: Seen): string {
  const listed = markdownFiles(seen);
  const all = listed.filter(({ text }) => text !== null);
  const title = `## ${say(seen, 'Headings of the Markdown files', 'Markdown 文件的标题')}\n\n`;
  if (all.length === 0)
    return listed.length === 0
      ? `${title}${say(seen, 'No Markdown file was found.', '没有 Markdown 文件。')}`
      : `${title}${say(seen, 'No Markdown file was read.', '没有读取 Markdown 文件。')}`;
  const most = Math.max(4, Math.floor((SHOWN * 2) / all.length));
  const parts = all.slice(0, SHOWN_NAMES * 2).map(({ path, text }) => {
    const headings = headingsOf(text ?? '');
    return `**${path}** (${headings.length})\n${list(seen, headingLines(headings), most)}`.trimEnd();
  });
  return title + [...parts, ...moreText(seen, all.length - parts.length)].join('\n\n');
}

function dependenciesSection(seen: Seen): string {
  const listed = manifests(seen);
  const files = listed.filter(({ text }) => text !== null);
  const parts = files.flatMap(({ path, text }) => {
    const groups = Object.entries(dependenciesOf(path, text ?? '')).filter(([, names]) => names.length > 0);
    const lines = groups.map(([group, names]) => {
      const left = names.length > SHOWN ? ', …' : '';
      return `- ${group} (${names.length}): ${names
        .slice(0, SHOWN)
        .map(name => code(name))
        .join(', ')}${left}`;
    });
    return lines.length > 0 ? [`**${path}**\n${lines.join('\n')}`] : [];
  });
  const paths = files
    .map(({ path }) => code(path))
    .slice(0, SHOWN_NAMES)
    .join(', ');
  const none =
    files.length > 0
      ? `${say(seen, 'None are named in', '以下文件没有列出依赖：')} ${paths}`
      : listed.length === 0
        ? say(seen, 'No file that lists dependencies was found.', '没有找到列出依赖的文件。')
        : say(seen, 'No file that lists dependencies was read.', '没有读取列出依赖的文件。');
  return `## ${say(seen, 'Dependencies', '依赖')}\n\n${parts.join('\n\n') || none}`;
}

/** What counts and searches do not cover, and why; empty when there is nothing of the kind. */
export function notReadSection(seen: Seen): string {
  const reasons = new Map<string, string[]>();
  const note = (why: string, what: string) => reasons.set(why, [...(reasons.get(why) ?? []), code(what)]);
  for (const { name, path } of namedFolders(seen))
    if (path === null) note(say(seen, 'no such folder was found', '没有找到这样的文件夹'), name);
  const counted = workFor(seen.intent).includes('source') ? countableFiles(seen) : [];
  for (const file of counted) if (!file.whole) note(whyNotRead(seen, file), file.path);
  const items = [...reasons].map(([why, names]) => {
    const left = names.length - SHOWN_NAMES;
    return `${names.slice(0, SHOWN_NAMES).join(', ')}${left > 0 ? `, … (+${left})` : ''}: ${why}`;
  });
  return items.length === 0 ? '' : `## ${say(seen, 'Not read', '未读取')}\n\n${list(seen, items)}`;
}

function whyNotRead(seen: Seen, file: FileSeen): string {
  if (file.error !== null)
    return say(
      seen,
      `could not be read (${file.error.slice(0, 80)})`,
      `无法读取（${file.error.slice(0, 80)}）`,
    );
  const most = MAX_FILE_BYTES / 1024;
  if (isTooLarge(file)) return say(seen, `larger than ${most} KB`, `超过 ${most} KB`);
  return say(seen, 'not reached within the limits of the run', '因运行限制未读到');
}
