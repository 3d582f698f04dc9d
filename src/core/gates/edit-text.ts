/** What a call would change in a file, as a diff of what its own arguments say. The file itself is not read. */
import { isRecord } from '../json.js';
import { shownDiff } from './whole-write.js';

/** Names by which tools call the text that goes and the one that comes. */
const OLD = ['oldText', 'old_text', 'old_string', 'oldString', 'old_str'];
const NEW = ['newText', 'new_text', 'new_string', 'newString', 'new_str'];

/** Lines that go with `-`, that come with `+`, that stay with a blank; null for a call that says no such thing. */
export function editText(input: unknown): string | null {
  if (!isRecord(input)) return null;
  const edits = Array.isArray(input.edits) ? input.edits : [input];
  const parts = edits.map(edit => (isRecord(edit) ? oneEdit(textOf(edit, OLD), textOf(edit, NEW)) : null));
  if (parts.length === 0 || parts.some(part => part === null)) return null;
  return shownDiff(parts.join('\n@@\n'));
}

function textOf(edit: Record<string, unknown>, names: readonly string[]): string | null {
  const found = names.map(name => edit[name]).find(value => typeof value === 'string');
  return typeof found === 'string' ? found : null;
}

function oneEdit(before: string | null, after: string | null): string | null {
  if (before === null || after === null) return null;
  const [gone, come] = [linesOf(before), linesOf(after)];
  const most = Math.min(gone.length, come.length);
  let head = 0;
  while (head < most && gone[head] === come[head]) head += 1;
  let tail = 0;
  while (tail < most - head && gone.at(-1 - tail) === come.at(-1 - tail)) tail += 1;
  return [
    ...gone.slice(0, head).map(line => ` ${line}`),
    ...gone.slice(head, gone.length - tail).map(line => `-${line}`),
    ...come.slice(head, come.length - tail).map(line => `+${line}`),
    ...gone.slice(gone.length - tail).map(line => ` ${line}`),
  ].join('\n');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
