/** Meets each want with one exact call, and shows its result. */
import { fenced } from 'steersman/base';
import type { readConversation } from './conversation.js';
import type { Kind, Want } from './goal.js';

export interface Call {
  name: string;
  arguments: Record<string, unknown>;
}
/** The state of a want. `call`: the call that can still meet it. `lacks`: why it is not met, or only partly. */
export interface State {
  kind: Kind;
  title: string;
  call: Call | null;
  text: string;
  lacks: string | null;
}
/** Everything that the rules know. `lacks`: why the answer is incomplete; empty if it is complete. */
export interface Seen extends ReturnType<typeof readConversation> {
  say(english: string, chinese: string): string;
  states: State[];
  answer: string;
  lacks: string;
}
interface DemoAction {
  title: readonly [english: string, chinese: string];
  call(want: Want, answer: string): Call;
  /** The form of a complete result; for `read`, a beginning of the file matches too. */
  form: RegExp;
  show(result: readonly string[], say: Seen['say'], of: string): string[];
}

/** The lines of a file, then the tool's note about which lines they are. */
const LINES: Pick<DemoAction, 'form' | 'show'> = {
  form: /^([\s\S]*?)(?:\n\[(Lines \d+ to \d+ of [^.\n]*)\.[^\n]*\])?$/,
  show: ([, text = '', which = '']) => [fenced('', text), which],
};
const CUT = /\n\[(?:Lines \d|\d+ long lines|Not all)[^\n]*\]$/;
const read = (path: string, limit: number): Call => ({ name: 'read', arguments: { path, limit } });

const WAYS: Record<Kind, DemoAction> = {
  files: {
    title: ['Count the files', '统计文件'],
    call: ({ folder }) => ({ name: 'list', arguments: { path: folder, depth: 1 } }),
    form: /^(?:.*\/ )?\(([\d,]+) files?\)((?:\n(?!\[(?:There is more|Only the first|Not all)).*)*)$/,
    show([, count = '', entries = ''], say) {
      const figure = say(`**${count} ${count === '1' ? 'file' : 'files'}**`, `**${count} 个文件**`);
      const note = say(
        'Hidden files count; links and ignored ones do not.',
        '含隐藏文件，不含链接和忽略的文件。',
      );
      return [figure, entries && fenced('', entries.slice(1)), note];
    },
  },
  readme: { title: ['Quote the beginning of', '引用开头'], call: ({ of }) => read(of, 12), ...LINES },
  marks: {
    title: ['Find', '查找'],
    call({ of, folder }) {
      // For `git grep -w`, a word ends even at a letter of another script.
      const pattern = `(?-u:\\b)(${of.replaceAll('/', '|')})(?-u:\\b)`;
      return { name: 'grep', arguments: { pattern, path: folder } };
    },
    form: /^(?:No line matches\..*|((?:(?=[^\n]+?:\d+: )[^\n]+(?:\n|$))+))$/,
    show([, found = ''], say) {
      const count = found.split('\n').length - (found ? 0 : 1);
      const figure = say(`**${count} ${count === 1 ? 'line' : 'lines'}**`, `**${count} 行**`);
      const note = say('Words in capitals; ignored files are left out.', '只算大写单词，不含忽略的文件。');
      return [figure, found && fenced('', found), note];
    },
  },
  read: { title: ['Show', '显示'], call: ({ of }) => read(of, 200), ...LINES },
  write: {
    title: ['Write the answer to', '把回答写入'],
    call: ({ of }, content) => ({ name: 'write', arguments: { path: of, content } }),
    form: /^/,
    show: (_, say, of) => [say(`All above was written to ${of}.`, `以上内容已写入 ${of}。`)],
  },
};

/** Returns the state of a want after its call. A file is written with the answer so far, once all earlier wants are met. */
export function stateOf(want: Want, { say, states, results, answer }: Seen): State {
  const { kind, of, folder } = want;
  const way = WAYS[kind];
  const title = [say(...way.title), of, folder === '.' ? '' : `(${folder})`].filter(Boolean).join(' ');
  const state = { kind, title, call: null, text: '' };
  const before = states.find(({ lacks }) => lacks !== null);
  if (kind === 'write' && before) return { ...state, call: before.call, lacks: before.lacks };
  const call = way.call(want, answer);
  // A refused write is not repeated, even with other content.
  const keyOf = (args: Call['arguments']) => JSON.stringify(kind === 'write' ? args.path : args);
  const key = keyOf(call.arguments);
  const result = results.findLast(({ name, args }) => name === call.name && keyOf(args) === key);
  if (!result) return { ...state, call, lacks: 'not seen' };
  const { said, fault } = result;
  // An overview is complete without a README.
  if (kind === 'readme' && fault?.includes('does not exist')) return { ...state, lacks: null, text: fault };
  if (fault !== null) return { ...state, lacks: fault };
  const shown = way.form.exec(said);
  const isWhole = shown !== null && !(kind === 'read' && CUT.test(said));
  const text = shown ? joined(...way.show(shown, say, of)) : '';
  return { ...state, text, lacks: isWhole ? null : 'not all of it was seen' };
}

export const joined = (...parts: readonly string[]) => parts.filter(part => part !== '').join('\n\n');
