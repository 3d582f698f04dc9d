/** Finding conversations in a folder: the newest, those with words, and what in them has the words. */
import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { messageNumber, type RunRecord } from '../../core/state/kept.js';
import type { Message } from '../../core/state/message.js';
import { isRecord } from '../../core/text/json.js';
import { partWith, searchedText } from './find-words.js';
import { beginsWith, namesIn, rawLines, readLine } from './folder-lines.js';
import type { Hit } from './store.js';

export const SUFFIX = '.jsonl';
const MOST_NAMES_BYTES = 64 * 1024 * 1024;
const runProgram = promisify(execFile);

export function newestFirst(dir: string): { path: string; changedAt: number }[] {
  return namesIn(dir)
    .filter(name => name.endsWith(SUFFIX))
    .flatMap(name => {
      const path = join(dir, name);
      const info = lstatSync(path, { throwIfNoEntry: false });
      return info?.isFile() ? [{ path, changedAt: info.mtimeMs }] : [];
    })
    .sort((a, b) => b.changedAt - a.changedAt);
}

/** Files that may have these words, newest first: ripgrep looks for the longest one, as it stands in a file. */
export async function newestWith(
  dir: string,
  words: readonly string[],
): Promise<ReturnType<typeof newestFirst>> {
  const files = newestFirst(dir);
  const longest = words.reduce((long, word) => (word.length > long.length ? word : long));
  const pattern = JSON.stringify(longest).slice(1, -1);
  const args = [
    '--no-config',
    '--no-ignore',
    '--hidden',
    '--text',
    '-l',
    '-0',
    '-F',
    '-i',
    '-e',
    pattern,
    '--',
    dir,
  ];
  try {
    const { stdout } = await runProgram(rgPath, args, { maxBuffer: MOST_NAMES_BYTES });
    const found = new Set(stdout.split('\0'));
    return files.filter(({ path }) => found.has(path));
  } catch (error) {
    // It ends with 1 where there is none. Where it can't search, each file is read.
    return isRecord(error) && error.code === 1 ? [] : files;
  }
}

const SEARCHED = ['{"k":"message"', '{"k":"run"', '{"k":"reset"'];

/** Line by line: a conversation may be longer than a text can be. */
export async function hitsIn(path: string, words: readonly string[]): Promise<Hit[]> {
  // As they stand in the file: most lines don't have them, and are not read any closer.
  const escaped = words.map(word => JSON.stringify(word).slice(1, -1));
  const hits = new Map<string, { chain: string; message: Message; text: string }>();
  const runs = new Map<string, RunRecord>();
  for await (const { bytes } of rawLines(path)) {
    if (!beginsWith(bytes, SEARCHED)) continue;
    const inFile = bytes.toString('utf8');
    const isMessage = inFile.startsWith('{"k":"message"');
    const folded = isMessage ? inFile.toLowerCase() : '';
    if (isMessage && !escaped.every(word => folded.includes(word))) continue;
    const line = readLine(inFile);
    if (line?.k === 'run') runs.set(line.chain, line.run);
    if (line?.k === 'reset')
      for (const [key, { chain, message }] of hits)
        if (chain === line.chain && messageNumber(message) > line.reset.id) hits.delete(key);
    const text = line?.k === 'message' ? partWith(searchedText(line.message), words) : null;
    if (line?.k !== 'message' || text === null) continue;
    const { chain, message } = line;
    if (!hits.has(`${chain} ${message.id}`)) hits.set(`${chain} ${message.id}`, { chain, message, text });
  }
  return [...hits.values()]
    .flatMap(({ chain, message: { id, at }, text }) => {
      const run = runs.get(chain);
      const { session = '', workflowId = '' } = run ?? {};
      return run ? [{ session, chain, workflowId, message: id, at, text }] : [];
    })
    .sort((a, b) => b.at - a.at);
}
