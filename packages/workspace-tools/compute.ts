/** Runs JavaScript of a model in a sandbox that can only read the workspace. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type CodeTool, defineTool } from 'steersman/mcp';
import { deniedPaths, inFolder, openFile, resolvePath, type WorkspaceContext } from './files/context.js';
import { callThread } from './threads/call-thread.js';
import type { ComputeAnswer, ComputeData, ComputeQuestion } from './threads/compute-thread.js';

const TIMEOUT_MS = 5_000;
/** The sandbox ends itself earlier, and reports its printed text. */
const GRACE_MS = 500;
/** Memory for texts in transfer; the sandbox itself has 64 MB. */
const HEAP_MB = 192;
const MOST_FILE_BYTES = 16 << 20;
const MOST_READ_BYTES = 64 << 20;
const MOST_ENTRIES = 10_000;
const MOST_CHARS = 16 * 1024;

export function computeTool(context: WorkspaceContext, timeoutMs = TIMEOUT_MS): CodeTool {
  return defineTool({
    name: 'compute',
    description:
      'Runs JavaScript for sums, counts, tables, dates, to try a regex: never count in your head. It has read(path), readLines(path), json(path), csv(pathOrText) (delimiter found, quotes read; rows as objects of texts), list(folder), print(…); no network, no clock, no modules. Answers what was printed and the value of the last expression.',
    input: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
    readOnly: true,
    async run({ code }, { signal }) {
      const data: ComputeData = { code: String(code), module: await quickJs(), timeoutMs };
      const { ok, text } = (await callThread({
        script: 'compute-thread.js',
        data,
        timeoutMs: timeoutMs + GRACE_MS,
        heapMb: HEAP_MB,
        signal,
        answer: answers(context),
      })) as ComputeAnswer;
      if (!ok) throw new Error(cut(text));
      return text === '' ? 'The code has no result: end it with an expression, return or print.' : cut(text);
    },
  });
}

/** Node provides WebAssembly, but its types lack it. */
const { compile } = Reflect.get(globalThis, 'WebAssembly') as { compile(bytes: Uint8Array): Promise<object> };
/** Compiled once, because compiling for each call would take a hundred times longer. */
let compiled: Promise<object> | null = null;

function quickJs(): Promise<object> {
  const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  compiled ??= readFile(file).then(compile);
  return compiled;
}

/** Answers the sandbox's requests for files, by the rules of all workspace tools. */
function answers(context: WorkspaceContext): (question: unknown) => Promise<unknown> {
  let left = MOST_READ_BYTES;
  return async question => {
    const { kind, path } = question as ComputeQuestion;
    if (kind === 'list') return listed(context, path);
    const { handle, stats } = await openFile(context, path);
    try {
      if (stats.size > MOST_FILE_BYTES) throw new Error(`${path} has ${stats.size} bytes: too many.`);
      left -= stats.size;
      if (left < 0) throw new Error('Too much was read: the limit is 64 MB.');
      const bytes = new Uint8Array(stats.size);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
      return bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  };
}

async function listed(context: WorkspaceContext, path: string): Promise<string> {
  const { real, shown, stats } = await resolvePath(context, path);
  if (!stats?.isDirectory()) throw new Error(`${path} is not a folder.`);
  const entries = await inFolder(context, real, at => readdir(at, { withFileTypes: true }));
  const isDenied = await deniedPaths(context, 'compute');
  const seen = entries.filter(({ name }) => !isDenied(join(shown, name)));
  const names = seen.map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  return JSON.stringify(names.sort().slice(0, MOST_ENTRIES));
}

function cut(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  return `${text.slice(0, MOST_CHARS)}\n[… cut: ${text.length - MOST_CHARS} more characters. Print less.]`;
}
