/** Reads the answers of the workspace's own tools, which show a file as it was before a call or as it is now. Pure. */
import type { Message, ToolInput } from 'steersman/client';

export interface Told {
  /** The file, as the tool names it. */
  path: string;
  /** For a whole write: the sizes of the file in bytes. `had`: null for a new file. */
  wrote?: { bytes: number; had: number | null };
  /** For an edit: the file's present lines, by number. */
  lines?: readonly (readonly [number, string])[];
}

type Content = Extract<Message, { kind: 'tool_result' }>['content'][number]['content'];

/** Returns an answer that is one complete text; null for any other. */
export function textOf(content: Content): string | null {
  const [part] = content;
  return content.length === 1 && part?.type === 'text' && part.ref === undefined ? part.text : null;
}

const WROTE = /^(.+): (\d+) bytes, \d+ lines \((?:new|replaced; it had (\d+) bytes)\)\./;
const EDITED = /^(.+): (?:one replacement|\d+ replacements)\..* It now reads:(?:\n|$)/;
const MOVED = /^Moved .+ to .+\.$/;
const DELETED = /^Deleted (.+) \([^()]*\)\.$/;

export function toldBy(text: string): Told | null {
  const [, wrotePath, bytes, had] = WROTE.exec(text) ?? [];
  if (wrotePath !== undefined)
    return {
      path: wrotePath,
      wrote: { bytes: Number(bytes), had: had === undefined ? null : Number(had) },
    };
  const [first, editedPath] = EDITED.exec(text) ?? [];
  if (first !== undefined && editedPath !== undefined)
    return { path: editedPath, lines: numbered(text.slice(first.length)) };
  const [, deletedPath] = DELETED.exec(text) ?? [];
  return deletedPath === undefined ? null : { path: deletedPath };
}

/**
 * True if a tool of the workspace was called. `text` is its answer. If the answer is unknown (null), the tool's name
 * without its server decides.
 */
export function isOwnCall(name: string, text: string | null): boolean {
  if (text === null) return OWN.includes(name);
  return name === 'move' ? MOVED.test(text) : toldBy(text) !== null;
}

const OWN = ['write', 'edit', 'delete', 'move'];

function numbered(text: string): [number, string][] {
  return text.split('\n').flatMap(row => {
    const [, line, shown] = /^(\d+): (.*)$/s.exec(row) ?? [];
    return line === undefined || shown === undefined ? [] : [[Number(line), shown] as [number, string]];
  });
}

/** Returns the text of a file that was read completely, without its final line break; null if only a part was read. */
export function textRead({ path, offset = 1, numbers }: ToolInput, text: string): string | null {
  if (offset !== 1 || /\.ipynb$/i.test(String(path))) return null;
  if (/^\[.+ is empty\.\]$/.test(text)) return '';
  // The tool's own notes, such as "more lines follow", are in brackets at the end.
  if (/(?:^|\n)\[.*\]$/.test(text)) return null;
  if (numbers !== true) return text;
  const lines = numbered(text);
  const isWhole = lines.length === text.split('\n').length && lines.every(([line], at) => line === at + 1);
  return isWhole ? lines.map(([, shown]) => shown).join('\n') : null;
}
