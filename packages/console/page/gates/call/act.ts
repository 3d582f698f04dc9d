/** Describes what a tool call does, in the page's words. Pure. */
import type { ToolInput } from 'steersman/client';
import type { Word } from '../../words/words.js';

export interface Act {
  word: Word;
  values: Readonly<Record<string, string>>;
}

/** A tool, as the subject of a gate names it. */
interface AskedTool {
  tool: string;
  workspaceTool?: string;
}

/** Words for each tool of the workspace, and the arguments that the words use. */
const ACTS: Readonly<Record<string, readonly [Word, ...string[]]>> = {
  write: ['actWrite', 'path'],
  edit: ['actEdit', 'path'],
  delete: ['actDelete', 'path'],
  move: ['actMove', 'from', 'to'],
};

/** Returns what the call does. Only calls of the workspace's tools are named by their act; all others by their tool. */
export function actOf({ tool, workspaceTool = '' }: AskedTool, input: ToolInput | null): Act {
  const path = pathOf(input);
  const [word, ...names] = ACTS[workspaceTool] ?? [];
  const said: ToolInput = { ...input, ...(path !== null && { path }) };
  const told = names.flatMap(name => {
    const value = said[name];
    return isText(value) ? [[name, value] as const] : [];
  });
  if (word !== undefined && told.length === names.length) return { word, values: Object.fromEntries(told) };
  if (workspaceTool === 'run' && typeof input?.command === 'string') return { word: 'actRun', values: {} };
  return path === null
    ? { word: 'actCall', values: { tool } }
    : { word: 'actCallOn', values: { tool, path } };
}

const PATHS = ['path', 'file_path', 'filePath'];

function pathOf(input: ToolInput | null): string | null {
  const found = PATHS.map(name => input?.[name]).find(value => typeof value === 'string');
  return isText(found) ? found : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
