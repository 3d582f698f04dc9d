/** `edit`: replaces parts of a file; if one fails, no part is replaced. */
import { errorText, isRecord } from 'steersman/base';
import { type CodeTool, defineTool } from 'steersman/mcp';
import { encoded } from '../text/encoding.js';
import { callThread } from '../threads/call-thread.js';
import type { EditAnswer } from '../threads/edit-thread.js';
import { openFile, resolvePath, type WorkspaceContext } from './context.js';
import { type Edit, type Edited, editText } from './edit-text.js';
import { exactText } from './text.js';
import { alone, replaceFile } from './write.js';

const MOST_EDITS = 100;

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
    async run(args, { signal }) {
      const path = String(args.path);
      const { real } = await resolvePath(context, path);
      return alone(real, () => edited(context, path, readEdits(args.edits), signal));
    },
  });
}

async function edited(
  context: WorkspaceContext,
  path: string,
  edits: readonly Edit[],
  signal: AbortSignal,
): Promise<string> {
  const { handle, ...place } = await openFile(context, path);
  try {
    const { text: source, encoding } = await exactText(handle, place.shown);
    const { text, replacements: count, shown } = await editWithin(source, edits, signal);
    const links = await replaceFile(context, place, encoded(text, encoding), place.stats);
    const head = `${place.shown}: ${count === 1 ? 'one replacement' : `${count} replacements`}.${links} It now reads:`;
    return [head, ...shown].join('\n');
  } finally {
    await handle.close();
  }
}

/** File size times number of edits; smaller work does not block the event loop noticeably. */
const MOST_AT_ONCE = 1 << 20;
const THREAD_MS = 30_000;
const HEAP_MB = 512;

/** A large file is edited in a thread, so that the worker can serve other calls. */
async function editWithin(source: string, edits: readonly Edit[], signal: AbortSignal): Promise<Edited> {
  if (source.length * edits.length <= MOST_AT_ONCE) return editText(source, edits);
  const work = { script: 'edit-thread.js', data: { source, edits }, timeoutMs: THREAD_MS, heapMb: HEAP_MB };
  const answer = (await callThread({ ...work, signal })) as EditAnswer;
  if ('error' in answer) throw new Error(answer.error);
  return answer.value;
}

/** Returns why an edit can't be applied to the file as it is now; null if it can. Nothing is changed. */
export async function editFault(
  context: WorkspaceContext,
  args: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  try {
    const edits = readEdits(args.edits);
    const { handle, shown } = await openFile(context, String(args.path));
    try {
      const { text: source, encoding } = await exactText(handle, shown);
      const { text } = await editWithin(source, edits, AbortSignal.timeout(THREAD_MS));
      encoded(text, encoding);
      return null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    return errorText(error);
  }
}

function readEdits(given: unknown): Edit[] {
  const edits = (Array.isArray(given) ? given : [given]).map(edit => {
    if (!isRecord(edit) || typeof edit.oldText !== 'string' || typeof edit.newText !== 'string')
      throw new Error('edits: a list of { oldText, newText } is needed.');
    const unknown = Object.keys(edit).find(key => !['oldText', 'newText', 'all'].includes(key));
    if (unknown !== undefined)
      throw new Error(`Nothing was changed. edits: unknown "${unknown}"; known: oldText, newText, all.`);
    return { oldText: edit.oldText, newText: edit.newText, all: edit.all === true };
  });
  if (edits.length > MOST_EDITS)
    throw new Error(`Nothing was changed. ${edits.length} edits are too many: ${MOST_EDITS} at most.`);
  if (edits.length === 0) throw new Error('edits is empty: give at least one edit.');
  return edits;
}
