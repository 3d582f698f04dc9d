/** Parts of the answer about the folder as a whole, each from what was really read. Empty: nothing to say. */
import { dependenciesOf, headingLines, headingsOf, introOf } from './documents.js';
import type { Evidence } from './evidence.js';
import { countLines, findPlaces, linesByLanguage, MARKERS, totalOf } from './facts.js';
import type { Intent } from './goal.js';
import type { Topic } from './goal-words.js';
import { bytesText, code, list, plural, quote, table } from './markdown.js';
import { countableFiles, filesInScope, findReadme, manifests, markdownFiles, scopeFolders } from './scope.js';

export interface Seen {
  intent: Intent;
  evidence: Evidence;
}

/** The text in the language of the goal. */
export function say({ intent }: Seen, english: string, chinese: string): string {
  return intent.zh ? chinese : english;
}

/** "and 3 more". */
export function moreText(seen: Seen): (left: number) => string {
  return left => say(seen, `and ${left} more`, `另有 ${left} 项`);
}

export const TOPIC_SECTIONS: Readonly<Record<Topic, (seen: Seen) => string>> = {
  readme: readmeSection,
  tree: treeSection,
  lines: linesSection,
  largest: largestSection,
  todos: todosSection,
  headings: headingsSection,
  dependencies: dependenciesSection,
};

function readmeSection(seen: Seen): string {
  const { intent, evidence } = seen;
  const path = findReadme(intent, evidence);
  const text = path === null ? null : (evidence.files.get(path)?.text ?? null);
  const said = text === null ? null : introOf(text);
  const heading = `## ${say(seen, 'What it is', '这是什么')}\n\n`;
  const about = packageLine(seen);
  if (path === null || !said) {
    const none = say(seen, 'There is no README that could be read.', '没有可以读取的 README。');
    return `${heading}${[none, about].filter(Boolean).join('\n\n')}`;
  }
  const says = say(seen, `${code(path)} says:`, `${code(path)} 写道：`);
  const title = said.title === null ? [] : [`**${said.title}**`];
  return (
    heading +
    [about, says, quote([...title, ...said.paragraphs].join('\n\n'), 1200)].filter(Boolean).join('\n\n')
  );
}

/** Name, version and description of the nearest `package.json`. */
function packageLine(seen: Seen): string {
  const file = manifests(seen.intent, seen.evidence).find(
    ({ path, text }) => path.endsWith('package.json') && text !== null,
  );
  const field = (name: string) =>
    new RegExp(`^ {0,4}\\t?"${name}":\\s*"((?:[^"\\\\]|\\\\.)*)"`, 'm').exec(file?.text ?? '')?.[1];
  const name = field('name');
  if (file === undefined || name === undefined) return '';
  const [version, about] = [field('version'), field('description')];
  return `${code(file.path)}: **${name}**${version === undefined ? '' : ` ${version}`}${about === undefined ? '' : ` — ${about}`}`;
}

const SHOWN_ENTRIES = 40;

function treeSection(seen: Seen): string {
  const { intent, evidence } = seen;
  if (evidence.listing === 'none') return '';
  const files = filesInScope(intent, evidence);
  const scope = scopeFolders(intent, evidence);
  const folders = [...evidence.folders.keys()].filter(
    folder => folder !== '.' && (scope.length === 0 || scope.some(one => folder.startsWith(`${one}/`))),
  );
  const roots = scope.length === 0 ? [''] : scope.map(folder => `${folder}/`);
  const entries = roots.flatMap(root =>
    topEntries(
      root,
      files.map(file => file.path),
      folders,
      seen,
    ),
  );
  const count = say(
    seen,
    `${plural(files.length, 'file')} in ${plural(folders.length, 'folder')}`,
    `共 ${files.length} 个文件、${folders.length} 个文件夹`,
  );
  const where = scope.length === 0 ? '' : ` (${scope.map(folder => code(folder)).join(', ')})`;
  const part =
    evidence.listing === 'part'
      ? say(seen, ' (the listing is not whole: it was too large)', '（列表过大，并不完整）')
      : '';
  return `## ${say(seen, 'What is there', '目录内容')}\n\n${count}${where}${part}${leftOutText(seen)}:\n\n${list(entries, SHOWN_ENTRIES, moreText(seen))}`;
}

function leftOutText(seen: Seen): string {
  const names = new Set(seen.evidence.leftOut.map(folder => folder.slice(folder.lastIndexOf('/') + 1)));
  if (names.size === 0) return '';
  const said = [...names].map(name => code(name)).join(', ');
  return say(seen, `, left out: ${said}`, `，未计入：${said}`);
}

function topEntries(root: string, files: string[], folders: string[], seen: Seen): string[] {
  const inRoot = (path: string) => path.startsWith(root) && !path.slice(root.length).includes('/');
  const folderLines = folders.filter(inRoot).map(folder => {
    const count = files.filter(path => path.startsWith(`${folder}/`)).length;
    return `${code(`${folder}/`)} — ${say(seen, `${count} ${count === 1 ? 'file' : 'files'}`, `${count} 个文件`)}`;
  });
  return [...folderLines, ...files.filter(inRoot).map(path => code(path))];
}

function linesSection(seen: Seen): string {
  const files = countableFiles(seen.intent, seen.evidence);
  const rows = linesByLanguage(files);
  const total = totalOf(rows);
  const heading = `## ${say(seen, 'Lines by language', '各语言行数')}\n\n`;
  const intro = say(
    seen,
    `**${total.lines} lines** ${coverage(seen)} (a last line without a line end counts; binary files and generated ones, such as lock files and maps, do not).`,
    `${coverage(seen)}共 **${total.lines} 行**（不含二进制文件和锁文件、映射等生成的文件）。`,
  );
  const head = [say(seen, 'Language', '语言'), say(seen, 'Files', '文件数'), say(seen, 'Lines', '行数')];
  return `${heading}${intro}\n\n${table(
    head,
    rows.map(row => [row.language, row.files, row.lines]),
  )}`;
}

const SHOWN_LARGEST = 10;

function largestSection(seen: Seen): string {
  const files = filesInScope(seen.intent, seen.evidence)
    .filter(file => file.size !== null)
    .sort((a, b) => (b.size ?? 0) - (a.size ?? 0))
    .slice(0, SHOWN_LARGEST);
  if (files.length === 0) return '';
  const rows = files.map(({ path, size, text, whole }) => [
    code(path),
    bytesText(size ?? 0),
    whole && text !== null ? countLines(text) : '–',
  ]);
  const head = [say(seen, 'File', '文件'), say(seen, 'Size', '大小'), say(seen, 'Lines', '行数')];
  return `## ${say(seen, 'Largest files', '最大的文件')}\n\n${table(head, rows)}`;
}

/** How much of the text the counts and searches cover. */
export function coverage(seen: Seen): string {
  const all = countableFiles(seen.intent, seen.evidence);
  const read = all.filter(file => file.whole).length;
  if (read === all.length) return say(seen, `in all ${read} text files`, `全部 ${read} 个文本文件中`);
  return say(
    seen,
    `in the ${read} of ${all.length} text files that were read`,
    `${all.length} 个文本文件中已读取的 ${read} 个里`,
  );
}

const SHOWN_PLACES = 40;

function todosSection(seen: Seen): string {
  const places = findPlaces(countableFiles(seen.intent, seen.evidence), MARKERS);
  const heading = '## TODO, FIXME, XXX\n\n';
  if (places.length === 0)
    return `${heading}${say(seen, `None ${coverage(seen)}.`, `${coverage(seen)}没有。`)}`;
  const marks = places.flatMap(place => place.found);
  const counts = [...new Set(marks)]
    .map(mark => `${marks.filter(one => one === mark).length} ${mark}`)
    .join(', ');
  const files = new Set(places.map(place => place.path)).size;
  const intro = say(
    seen,
    `${counts}, on ${plural(places.length, 'line')} in ${plural(files, 'file')}, ${coverage(seen)}:`,
    `${coverage(seen)}：${counts}，共 ${places.length} 行，分布在 ${files} 个文件：`,
  );
  const items = places.map(place => `\`${place.path}:${place.line}\` ${code(place.text)}`);
  return `${heading}${intro}\n\n${list(items, SHOWN_PLACES, moreText(seen))}`;
}

const SHOWN_HEADINGS = 30;
const SHOWN_DOCUMENTS = 20;

function headingsSection(seen: Seen): string {
  const all = markdownFiles(seen.intent, seen.evidence).filter(file => file.text !== null);
  const title = `## ${say(seen, 'Headings of the Markdown files', 'Markdown 文件的标题')}\n\n`;
  if (all.length === 0) return `${title}${say(seen, 'No Markdown file was found.', '没有 Markdown 文件。')}`;
  const most = Math.max(4, Math.floor((SHOWN_HEADINGS * 3) / all.length));
  const parts = all.slice(0, SHOWN_DOCUMENTS).map(({ path, text }) => {
    const headings = headingsOf(text ?? '');
    return `**${path}** (${headings.length})\n${list(headingLines(headings), most, moreText(seen))}`.trimEnd();
  });
  if (all.length > SHOWN_DOCUMENTS) parts.push(moreText(seen)(all.length - SHOWN_DOCUMENTS));
  return title + parts.join('\n\n');
}

const SHOWN_PACKAGES = 40;
const SHOWN_MANIFESTS = 10;

function dependenciesSection(seen: Seen): string {
  const files = manifests(seen.intent, seen.evidence).filter(file => file.text !== null);
  const title = `## ${say(seen, 'Dependencies', '依赖')}\n\n`;
  if (files.length === 0) {
    const none =
      'No package.json, pyproject.toml, requirements.txt, go.mod, Cargo.toml or composer.json was found.';
    return `${title}${say(seen, none, '没有找到 package.json、pyproject.toml、requirements.txt、go.mod、Cargo.toml 或 composer.json。')}`;
  }
  const parts = files.flatMap(({ path, text }) => {
    const groups = Object.entries(dependenciesOf(path, text ?? '') ?? {}).filter(
      ([, names]) => names.length > 0,
    );
    const lines = groups.map(([group, names]) => {
      const shown = names
        .slice(0, SHOWN_PACKAGES)
        .map(name => code(name))
        .join(', ');
      const left = names.length - SHOWN_PACKAGES;
      return `- ${group} (${names.length}): ${shown}${left > 0 ? `, ${moreText(seen)(left)}` : ''}`;
    });
    return lines.length > 0 ? [`**${path}**\n${lines.join('\n')}`] : [];
  });
  const names = files.map(({ path }) => code(path)).slice(0, SHOWN_MANIFESTS);
  if (parts.length === 0)
    parts.push(`${say(seen, 'None are named in', '以下文件没有列出依赖：')} ${names.join(', ')}`);
  return title + parts.join('\n\n');
}
