/**
 * The parts of a gate, as every user interface draws them. Text is plain text regardless of its author: user interfaces
 * must not read Markdown in it. Only blocks inserted by the run are blocks. Pure.
 */
import { fenced } from '../../base/text/plain-markdown.js';
import { visibleText } from '../../base/text/unseen.js';
import type { Gate, GateKind } from '../../run/gates/gate.js';
import { optionLine } from '../../run/gates/options.js';

export type GatePart =
  /** The run's own lines, possibly with foreign words; foreign text never begins one of these lines. */
  | { kind: 'text'; text: string }
  /** Foreign text only. */
  | { kind: 'said'; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'options'; options: readonly string[] };

export type ShownGate = Pick<Gate, 'kind' | 'title' | 'body'>;

/** Kinds whose text has the run's blocks: a fence in any other kind is foreign text. */
const WITH_BLOCKS: readonly GateKind[] = ['approval', 'clientTool', 'form'];

/** Returns the parts below the title. `options`: a question's proposed answers, last and separate from its words. */
export function gateParts({ kind, title, body }: ShownGate, options: readonly string[] = []): GatePart[] {
  const text = visibleText(body);
  if (WITH_BLOCKS.includes(kind)) return blocksOf(text);
  const shownTitle = visibleText(title);
  if (kind !== 'question') return textPart('text', withoutTitle(text, shownTitle));
  const shown = options.map(visibleText);
  const asked = withoutList(text, shown.map(optionLine).join('\n'));
  return [
    ...textPart('said', withoutTitle(asked, shownTitle)),
    ...(shown.length > 0 ? [{ kind: 'options', options: shown } as const] : []),
  ];
}

export function partsOf(gate: Gate): GatePart[] {
  return gateParts(gate, gate.kind === 'question' ? gate.subject.options : []);
}

/** Questions of older versions contain the list in their text too. */
function withoutList(text: string, list: string): string {
  return list !== '' && `\n${text}`.endsWith(`\n${list}`) ? text.slice(0, -list.length) : text;
}

/** A paragraph that the title has in full is not shown again. */
function withoutTitle(text: string, title: string): string {
  return `${text.trim()}\n\n`.startsWith(`${title.trim()}\n\n`)
    ? text.trim().slice(title.trim().length)
    : text;
}

function textPart(kind: 'text' | 'said', text: string): GatePart[] {
  const shown = text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  return shown === '' ? [] : [{ kind, text: shown }];
}

/** A block that was cut extends to the end of the text. */
function blocksOf(text: string): GatePart[] {
  const parts: GatePart[] = [];
  let lines: string[] = [];
  let open: { fence: string; language: string } | null = null;
  const end = () => {
    const shown = lines.join('\n');
    parts.push(
      ...(open ? [{ kind: 'code', language: open.language, text: shown } as const] : textPart('text', shown)),
    );
    lines = [];
  };
  for (const line of text.split('\n')) {
    const begin: RegExpExecArray | null = open === null ? /^(`{3,})(json|diff)?$/.exec(line) : null;
    if (begin === null && line !== open?.fence) {
      lines.push(line);
      continue;
    }
    end();
    const [, fence = '', language = '']: readonly string[] = begin ?? [];
    open = begin && { fence, language };
  }
  end();
  return parts;
}

/** Returns the parts as lines of text, separated by empty lines, for user interfaces that know only text. */
export function partLines(parts: readonly GatePart[]): string[] {
  return parts.flatMap((part, at) => [...(at === 0 ? [] : ['']), ...linesOf(part)]);
}

function linesOf(part: GatePart): string[] {
  switch (part.kind) {
    case 'text':
      return part.text.split('\n');
    case 'said':
      return part.text.split('\n').map(line => `│ ${line}`.trimEnd());
    case 'code':
      return fenced(part.language, codeText(part)).split('\n');
    case 'options':
      return [OPTIONS, ...part.options.map(optionLine)];
  }
}

/** The head of a difference from a file that is new or was empty. Lines of a file begin with a sign or a blank. */
const FROM_NOTHING = /^@@ -0,0 \+\d+(?:,\d+)? @@$/m;

/** Returns the text of a block, with the words `newText` in place of the head of a difference from nothing. */
export function codeText(
  { language, text }: { language: string; text: string },
  newText = 'new text',
): string {
  return language === 'diff' ? text.replace(FROM_NOTHING, newText) : text;
}

export const OPTIONS = 'Options:';

/** Puts a bar before each further line of a foreign text that stands in one of the run's own lines. */
export function barred(text: string): string {
  return text.trim().replace(/\r\n?|\n/g, '\n  │ ');
}
