/** How each want is met: by one exact call, and by what its result shows. */
import { fenced } from '../../core/gates/gate-text.js';
import { preview } from '../../core/text/preview.js';
import type { Result } from './conversation.js';
import type { Kind, Want } from './goal.js';
import type { Words } from './words.js';

export interface Call {
  name: string;
  arguments: Record<string, unknown>;
}
interface Way {
  /** Null: there is nothing to look at. `content`: of a file to write. */
  call(of: string, resultOf: (call: Call) => Result | undefined, content: string): Call | null;
  /** A result of any other form is not all that was asked for. */
  form: RegExp;
  show(said: string, words: Words, of: string): string;
}
/** How far a want is met. */
export interface State extends Want {
  title: string;
  /** The call that is still to be made. */
  open: Call | null;
  text: string;
  /** Why it is not met, or not whole; null where it is. */
  lacks: string | null;
}

const README = [
  /^readme\.md$/i,
  /^readme(?:\.(?:markdown|rst|txt))?$/i,
  /^readme[._-][\w-]+\.(?:md|rst|txt)$/i,
];
const LINES = `let lines = /(^|\\n)$/.test(text) ? 0 : 1;
for (let at = text.indexOf("\\n"); at >= 0; at = text.indexOf("\\n", at + 1)) lines += 1;
lines`;
const top = (path: string): Call => ({ name: 'list', arguments: { path, depth: 1 } });

const WAYS: Readonly<Record<Kind, Way>> = {
  files: {
    call: top,
    form: /^(?![\s\S]*\n\[(?:Only the first|Not all))(?:.*\/ )?\([\d,]+ files?\)/,
    show(said, words) {
      const [, count = ''] = /\(([\d,]+) files?\)/.exec(said) ?? [];
      const entries = linesOf(said, false).map(line => {
        const [, folder, files = ''] = /^(.*\/) \(([\d,]+) files?\)$/.exec(line) ?? [];
        return folder ? `${code(folder)} — ${words.files(files)}` : code(nameIn(line));
      });
      const notes = [words.counted, ...linesOf(said, true).map(code)].join(' ');
      return joined(`**${words.files(count)}**`, list(entries), notes);
    },
  },
  readme: {
    call(_, resultOf) {
      const listed = resultOf(top('.'));
      if (listed?.how !== 'seen') return top('.');
      const names = linesOf(listed.said, false).map(nameIn);
      const name = README.map(form => names.find(each => form.test(each))).find(Boolean);
      // A list that is cut may lack it.
      const isCut = linesOf(listed.said, true).some(note => note.startsWith('[There is more'));
      return name || isCut ? { name: 'read', arguments: { path: name ?? 'README.md', limit: 12 } } : null;
    },
    form: /^/,
    show: shownFile,
  },
  marks: {
    call: of => ({ name: 'grep', arguments: { pattern: `\\b(${of.replaceAll('/', '|')})\\b` } }),
    form: /^(?:No line matches\..*|.+?:\d+: .*(?:\n.+?:\d+: .*)*)$/,
    show(said, words, of) {
      const found = [...said.matchAll(/^(.+?:\d+): (.*)$/gm)];
      const lines = found.map(([, place = '', text = '']) => `${code(place)} ${code(text)}`);
      return joined(`**${words.lines(`${found.length}`)}**`, list(lines), words.searched(of));
    },
  },
  read: {
    call: of => ({ name: 'read', arguments: { path: of, limit: 200 } }),
    form: /^(?![\s\S]*\n\[(?:Lines \d|\d+ long lines|Not all)[^\n]*\]$)/,
    show: shownFile,
  },
  lines: {
    call: of => ({
      name: 'compute',
      arguments: { code: `const text = read(${JSON.stringify(of)});\n${LINES}` },
    }),
    form: /^\d+$/,
    show: (said, words, of) => `**${words.lines(said)}**: ${code(of)}. ${words.lineEnds}`,
  },
  write: {
    call: (of, _, content) => ({ name: 'write', arguments: { path: of, content } }),
    form: /^/,
    show: (_, words, of) => words.written(code(of)),
  },
};

/** `content`: of a file, which is written anew if it is another once nothing is left to look at. */
export function stateOf(
  want: Want,
  results: readonly Result[],
  words: Words,
  content = '',
  isLooking = true,
): State {
  const { kind, of } = want;
  // A refused write is not made again, whatever there would be to say. A tool's server may stand before its name.
  const keyOf = ({ name, arguments: args }: Call) => JSON.stringify(name === 'write' ? args.path : args);
  const resultOf = (call: Call) =>
    results.findLast(({ name, args }) => {
      return name.split('__').at(-1) === call.name && keyOf({ ...call, arguments: args }) === keyOf(call);
    });
  const call = WAYS[kind].call(of, resultOf, content);
  const result = call === null ? undefined : resultOf(call);
  const state = { ...want, title: words.tasks[kind](of), open: null, text: '', lacks: null };
  if (call === null) return { ...state, text: words.noReadme };
  if (result === undefined) return { ...state, open: call, lacks: words.faults.unseen };
  const { how, said, args } = result;
  if (how !== 'seen') return { ...state, lacks: how === 'failed' ? code(said) : words.faults[how] };
  if (kind === 'write' && !isLooking && args.content !== content)
    return { ...state, open: call, lacks: words.faults.unseen };
  const isWhole = WAYS[kind].form.test(said);
  // What is no part of an answer either, by its last line, is an answer of some other tool.
  const isSeen = isWhole || /\n\[[^\n]*\]$/.test(said);
  const text = isSeen ? WAYS[kind].show(said, words, of) : '';
  return { ...state, text, lacks: isWhole ? null : words.faults.partly };
}

/** Lines of a list after its head: entries, or notes in brackets. */
function linesOf(said: string, isNote: boolean): string[] {
  const lines = said.split('\n').slice(1);
  return lines.filter(line => /^\[.*\]$/.test(line) === isNote);
}

/** Lines of a file; which they are, as the tool says behind them, is no text of it. */
function shownFile(said: string): string {
  const [, text = said, which = ''] =
    /^([\s\S]*)\n\[(Lines \d+ to \d+ of [^.\n]*)\.[^\n]*\]$/.exec(said) ?? [];
  return joined(fenced('', text), which);
}

function nameIn(line: string): string {
  return line.replace(/ {2}(?:\?|[\d.]+ \w+)$/, '');
}

export function joined(...parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('\n\n');
}

function list(items: readonly string[]): string {
  const more = items.length > 40 ? [`… +${items.length - 40}`] : [];
  return [...items.slice(0, 40), ...more].map(item => `- ${item}`).join('\n');
}

/** Text from a file as inline code: one line, cut, and never ending the code itself. */
export function code(text: string): string {
  const flat = preview(text, 240);
  return flat.includes('`') ? `\`\` ${flat} \`\`` : `\`${flat}\``;
}
