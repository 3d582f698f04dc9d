/** Writes answers and reports, from what was really read. */
import { preview } from '../../core/text/preview.js';
import { filesOf, findNamed, type Seen, textFiles } from './folder.js';
import { type Topic, topicsOf, WORKS, type Work } from './goal.js';

/** A text with the line that says who wrote it. */
export function labelled({ words }: Seen, ...parts: readonly string[]): string {
  return joined(`*${words.label} ${words.how}*`, ...parts);
}

function joined(...parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('\n\n');
}

/** The answer to the goal, as far as the results in the conversation go. */
export function writeAnswer(seen: Seen, note = ''): string {
  const { unserved } = seen.intent;
  return labelled(seen, note, unserved === null ? '' : seen.words.cannot(unserved), writeReport(WORKS, seen));
}

/** What some work found. */
export function writeReport(work: readonly Work[], seen: Seen): string {
  if (seen.calls.length === 0) return seen.words.blind;
  return joined(
    work.includes('write') ? writtenNote(seen) : '',
    ...(work.includes('read') ? seen.intent.files.map(name => fileText(name, seen)) : []),
    ...topicsOf(work, seen.intent).map(topic => joined(`## ${seen.words.topics[topic]}`, TEXTS[topic](seen))),
  );
}

/** Whether the file that the goal names for the answer was written; also where it names none. */
export function isWritten({ intent: { writeTo }, writes }: Seen): boolean {
  return writeTo === null || writes.get(writeTo) === null;
}

export function writtenNote({ intent: { writeTo }, writes, words }: Seen): string {
  const [file, why] = [code(writeTo ?? ''), writes.get(writeTo ?? '')];
  if (why === undefined) return '';
  return why === null ? words.written(file) : words.notWritten(file, code(why));
}

const TEXTS: Readonly<Record<Topic, (seen: Seen) => string>> = {
  readme: readmeText,
  tree: treeText,
  lines: seen => `**${seen.words.lines(linesOf(seen).lines.length)}**${linesOf(seen).covered}`,
  todos: seen => {
    const { lines, covered } = linesOf(seen);
    const found = lines
      .filter(({ line }) => /\b(TODO|FIXME|XXX)\b|待办/.test(line))
      .map(({ place }) => place);
    return joined(`${seen.words.lines(found.length)}${covered}`, list(seen, found));
  },
};

/** The title and the first paragraphs. */
function readmeText(seen: Seen): string {
  const { path = '', text = null } = findNamed('readme', seen) ?? {};
  const blocks = (text ?? '').replace(/<!--[\s\S]*?-->/g, '').split(/\n\s*\n|(?<=^#.*)\n/m);
  // No badges, tables, lists or HTML.
  const plain = blocks.filter(block => /^\s*(?![|<[>*+-]|!\[|```|\d+\.\s|##)[\s\S]*\p{L}{2}/u.test(block));
  const intro = plain.slice(0, 3).map(block => block.trim().replace(/^# (.*)/, '**$1**'));
  return text === null ? seen.words.noFile('README') : joined(`${code(path)}:`, quoted(joined(...intro)));
}

/** A file that the goal names: its beginning. */
function fileText(name: string, seen: Seen): string {
  const { path = name, text = null } = findNamed(name, seen) ?? {};
  const begun = text?.split('\n', SHOWN_LINES).join('\n').trimEnd() ?? '';
  const shown = path.endsWith('.md') ? quoted(begun) : `~~~~\n${begun}\n~~~~`;
  return joined(`## ${path}`, text === null ? seen.words.noFile(code(name)) : shown);
}

function treeText(seen: Seen): string {
  const { words, folders, leftOut } = seen;
  const paths = filesOf(seen).map(({ path }) => path);
  const top = [...new Set(paths.map(path => path.replace(/\/.*/, '/')))];
  const inside = (path: string) => words.files(paths.filter(one => one.startsWith(path)).length);
  const items = top.map(path => code(path) + (path.endsWith('/') ? ` — ${inside(path)}` : ''));
  const open = [...folders.values()].filter(isListed => !isListed).length;
  const names = [...leftOut].sort().map(code).join(', ');
  const count = words.found(words.files(paths.length), Math.max(0, folders.size - 1));
  const notes = [count, names && words.leftOut(names), open > 0 ? words.notListed(open) : ''].join('');
  return joined(`${notes}:`, list(seen, items));
}

/** The lines of what was read whole, and how much of the text that is. */
function linesOf(seen: Seen) {
  const read = textFiles(seen).filter(({ isWhole }) => isWhole);
  const lines = read.flatMap(({ path, text }) => {
    const all: string[] = text?.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    return all.map((line, at) => ({ line, place: `\`${path}:${at + 1}\` ${code(line)}` }));
  });
  return { lines, covered: seen.words.coverage(read.length, textFiles(seen).length) };
}

const SHOWN_LINES = 25;
const SHOWN = 40;

function list({ words }: Seen, items: readonly string[]): string {
  const more = items.length > SHOWN ? [words.more(items.length - SHOWN)] : [];
  return [...items.slice(0, SHOWN), ...more].map(item => `- ${item}`).join('\n');
}

/** Text from a file as inline code: one line, cut, and never ending the code itself. */
function code(text: string): string {
  const flat = preview(text, 240);
  return flat.includes('`') ? `\`\` ${flat} \`\`` : `\`${flat}\``;
}

function quoted(text: string): string {
  return text.replace(/^/gm, '> ');
}
