/** `edit`: replaces parts of a file, all of them or none. */
import { isRecord } from '../../../core/text/json.js';
import { type CodeTool, defineTool } from '../../code-tools.js';
import { openFile, placeOf, type WorkspaceContext } from '../context.js';
import { closestPlace } from './closest-place.js';
import { BoundedLines, exactText, numbered } from './text.js';
import { alone, replaceFile } from './write.js';

const MOST_SHOWN_LINES = 120;
/** Each is kept until all are found. */
const MOST_REPLACEMENTS = 100_000;
const MOST_EDITS = 100;
/** Of a file that grows: as many as one that is edited may have. */
const MOST_CHARS = 16 << 20;
const MAX_SHOWN_BYTES = 6_000;
/** Lines shown around what was changed. */
const AROUND = 1;

interface Edit {
  oldText: string;
  newText: string;
  all: boolean;
}

/** A part of the file, by positions in its text, that becomes another. */
interface Replacement {
  start: number;
  end: number;
  newText: string;
}

export function editTool(context: WorkspaceContext): CodeTool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces exact text in a file. Each oldText is matched against the file as it is now, and must be in it exactly once, unless all.',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        edits: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              oldText: { type: 'string' },
              newText: { type: 'string' },
              all: { type: 'boolean' },
            },
            required: ['oldText', 'newText'],
          },
        },
      },
      required: ['path', 'edits'],
    },
    destructive: false,
    async run(args) {
      const path = String(args.path);
      const { real } = await placeOf(context, path);
      return alone(real, () => edited(context, path, readEdits(args.edits)));
    },
  });
}

async function edited(context: WorkspaceContext, path: string, edits: readonly Edit[]): Promise<string> {
  const { handle, ...place } = await openFile(context, path);
  try {
    const source = await exactText(handle, place.shown);
    const { text, replacements } = applyEdits(source, edits);
    const links = await replaceFile(context, place, text, place.stats);
    const count = replacements.length;
    const head = `${place.shown}: ${count === 1 ? 'one replacement' : `${count} replacements`}.${links} It now reads:`;
    return [head, ...changedLines(text, replacements)].join('\n');
  } finally {
    await handle.close();
  }
}

function readEdits(given: unknown): Edit[] {
  const edits = (Array.isArray(given) ? given : [given]).map(edit => {
    if (!isRecord(edit) || typeof edit.oldText !== 'string' || typeof edit.newText !== 'string')
      throw new Error('edits: a list of { oldText, newText } is needed.');
    return { oldText: edit.oldText, newText: edit.newText, all: edit.all === true };
  });
  if (edits.length > MOST_EDITS)
    throw new Error(`Nothing was changed. ${edits.length} edits are too many: ${MOST_EDITS} at most.`);
  if (edits.length === 0) throw new Error('edits is empty: nothing is to be changed.');
  return edits;
}

/**
 * The text with every edit done. Line endings need not be those of the file: what is new gets the file's own.
 * @throws Error where one has no place, or more than one, or where two overlap: then nothing is changed.
 */
function applyEdits(source: string, edits: readonly Edit[]): { text: string; replacements: Replacement[] } {
  const file = normalised(source);
  const found = edits.flatMap((edit, index) =>
    placesOf(file.text, edit, edits.length > 1 ? `edits[${index}]: ` : ''),
  );
  const replacements = found.sort((a, b) => a.start - b.start);
  const overlapping = replacements.find(
    (part, at) => at > 0 && part.start < (replacements[at - 1]?.end ?? 0),
  );
  if (overlapping)
    throw new Error(
      `Nothing was changed. Two edits overlap at line ${lineAt(file.text, overlapping.start)}: make one of them.`,
    );
  const grown = replacements.reduce(
    (sum, { start, end, newText }) => sum + newText.length - (end - start),
    0,
  );
  if (file.text.length + grown > MOST_CHARS && grown > 0)
    throw new Error(`Nothing was changed. The file would have more than ${MOST_CHARS} characters.`);
  let text = '';
  let at = 0;
  const done: Replacement[] = [];
  for (const { start, end, newText } of replacements) {
    text += source.slice(at, file.positionOf(start));
    const put = file.newline === '\n' ? newText : newText.replaceAll('\n', file.newline);
    done.push({ start: text.length, end: text.length + put.length, newText: put });
    text += put;
    at = file.positionOf(end);
  }
  return { text: text + source.slice(at), replacements: done };
}

/** The text with plain newlines, and where each position of it is in the source. */
function normalised(source: string) {
  const text = source.replaceAll('\r\n', '\n');
  const removed: number[] = [];
  for (let at = source.indexOf('\r\n'); at >= 0; at = source.indexOf('\r\n', at + 2)) {
    removed.push(at - removed.length);
  }
  const plain = text.split('\n').length - 1 - removed.length;
  return {
    text,
    newline: removed.length > plain ? '\r\n' : '\n',
    /** So many returns were taken out before it. */
    positionOf: (position: number) => position + countBelow(removed, position),
  };
}

/** How many of the rising numbers are below a limit. */
function countBelow(rising: readonly number[], limit: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placesOf(text: string, edit: Edit, which: string): Replacement[] {
  const oldText = edit.oldText.replaceAll('\r\n', '\n');
  const newText = edit.newText.replaceAll('\r\n', '\n');
  const fail = (why: string) => new Error(`Nothing was changed. ${which}${why}`);
  if (oldText === '') throw fail('oldText is empty: use write for a new file.');
  if (oldText === newText) throw fail('oldText and newText are the same.');
  const places: Replacement[] = [];
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + oldText.length)) {
    places.push({ start: at, end: at + oldText.length, newText });
    if (places.length > MOST_REPLACEMENTS)
      throw fail(`oldText is in the file more than ${MOST_REPLACEMENTS} times: give a longer one.`);
  }
  if (places.length === 0) throw fail(`oldText is not in the file. ${closestPlace(text, oldText)}`);
  if (places.length > 1 && !edit.all) {
    const lines = places.slice(0, 10).map(({ start }) => lineAt(text, start));
    throw fail(
      `oldText is in the file ${places.length} times, at lines ${lines.join(', ')}${places.length > 10 ? ', …' : ''}: give more of the text around the one that is meant, or all: true.`,
    );
  }
  return places;
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** The lines that are new, with one above and below each part, by their numbers. */
function changedLines(text: string, replacements: readonly Replacement[]): string[] {
  const lines = text.split(/\r?\n/);
  const last = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const out = new BoundedLines(MOST_SHOWN_LINES, MAX_SHOWN_BYTES);
  let shownTo = 0;
  for (const { start, end } of replacements) {
    const from = Math.max(shownTo + 1, lineAt(text, start) - AROUND);
    const to = Math.min(last, lineAt(text, Math.max(start, end - 1)) + AROUND);
    if (to < from) continue;
    if (shownTo > 0 && from > shownTo + 1) out.add('…');
    const isWhole = numbered(lines.slice(from - 1, to), from).every(line => out.add(line));
    if (!isWhole) return [...out.lines, `[Not all is shown. The file has ${last} lines.]`];
    shownTo = to;
  }
  return out.lines;
}
