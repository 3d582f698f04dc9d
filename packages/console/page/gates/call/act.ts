/** What a tool call does, in the page's words. Pure. */
import type { ToolInput } from 'steersman/client';
import type { Word } from '../../words/words.js';

export interface Act {
  word: Word;
  values: Readonly<Record<string, string>>;
}

const FILE_ACTS: Readonly<Record<string, Word>> = { write: 'actWrite', edit: 'actEdit', delete: 'actDelete' };

/** Returns what the call does. Only calls of the usual form are named by their act; all others by their tool. */
export function actOf(tool: string, input: ToolInput | null): Act {
  const path = pathOf(input);
  const word = path === null ? undefined : FILE_ACTS[tool];
  if (word !== undefined && path !== null) return { word, values: { path } };
  if (tool === 'run' && typeof input?.command === 'string') return { word: 'actRun', values: {} };
  return path === null
    ? { word: 'actCall', values: { tool } }
    : { word: 'actCallOn', values: { tool, path } };
}

const PATHS = ['path', 'file_path', 'filePath'];

function pathOf(input: ToolInput | null): string | null {
  const found = PATHS.map(name => input?.[name]).find(value => typeof value === 'string');
  return typeof found === 'string' && found.trim() !== '' ? found : null;
}
