/** What three tasks cost in a mode, by replies that were recorded: input tokens as the endpoint is sent them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import type { ChatRequest, ScriptedReply } from '../test/support/endpoint/model.js';
import { shippedServers } from '../test/support/project.js';
import { startRig, startTemporal } from '../test/support/rig.js';
import { byRole } from '../test/support/steering.js';
import { table } from './support/machine.js';

interface Side {
  calls: number;
  /** Bytes of all requests, and of what no request before had begun with. */
  sent: number;
  fresh: number;
  /** Of the first request. */
  first: number;
}

/**
 * One agent with file tools: pi 0.87.1 (`--tools read,write,edit,ls,grep,find`, for `quarter` also `bash`, to compute
 * by) on these tasks with these replies, November 2026, in tokens of four bytes.
 */
const PI: Readonly<Record<string, number>> = { quarter: 4_163, totals: 3_498, readme: 3_532 };
/** Above these the benchmark fails. */
const MOST_TIMES: Readonly<Record<string, number>> = { react: 1.1, team: 2 };
const MOST_FIRST = 2_200;

const BYTES_A_TOKEN = 4;
const CACHED_AT = 0.1;

const FOLDER = fileURLToPath(new URL('price', import.meta.url));
const { modes } = new Command('price')
  .description(
    'Plays recorded replies to three tasks and counts input tokens, four bytes each: price is what is new, and a tenth of what an earlier request began with. Fails above its bounds.',
  )
  .option('--modes <list>', 'with commas', list => list.split(','), Object.keys(MOST_TIMES))
  .parse()
  .opts<{ modes: string[] }>();

const env = await startTemporal();
const rows: string[][] = [];
const faults: string[] = [];
try {
  for (const task of Object.keys(PI)) for (const mode of modes) note(task, mode, await play(task, mode));
} finally {
  await env.teardown();
}
const head = ['task', 'mode', 'calls', 'sent', 'new', 'price', 'first request', 'of one agent', 'times'];
console.log(table(head, rows));
if (faults.length > 0) {
  console.error(`\n${faults.join('\n')}`);
  process.exitCode = 1;
}

function note(task: string, mode: string, { calls, ...bytes }: Side): void {
  const [sent, fresh, first] = [bytes.sent, bytes.fresh, bytes.first].map(all => all / BYTES_A_TOKEN) as [
    number,
    number,
    number,
  ];
  const price = fresh + CACHED_AT * (sent - fresh);
  const pi = PI[task] ?? Number.NaN;
  const figures = [calls, sent, fresh, price, first, pi].map(value => String(Math.round(value)));
  rows.push([task, mode, ...figures, (price / pi).toFixed(2)]);
  const most = MOST_TIMES[mode] ?? Number.POSITIVE_INFINITY;
  if (price > most * pi) faults.push(`${task} in ${mode} costs more than ${most} times what one agent does.`);
  if (mode === 'react' && first > MOST_FIRST)
    faults.push(`The first request of ${task} in react has more than ${MOST_FIRST} tokens.`);
}

async function play(task: string, mode: string): Promise<Side> {
  const workspace = filesOf(join(FOLDER, task, 'files'));
  const rig = await startRig({ env, workspace, config: shippedServers(), replay: false });
  try {
    const replies = readFileSync(join(FOLDER, task, 'replies', `${mode}.json`), 'utf8');
    const played = rig.play(scriptOf(mode, JSON.parse(replies)));
    const goal = readFileSync(join(FOLDER, task, 'goal.md'), 'utf8').trim();
    const { result } = await rig.run(goal, { mode, autoApprove: true });
    if (result.outcome !== 'completed' && result.outcome !== 'answered')
      throw new Error(`${task} in ${mode} ended ${result.outcome} (${result.cause}): ${result.text}`);
    for (const request of played.requests) refuseFailedCalls(task, request);
    return count(played.requests);
  } finally {
    await rig.close();
  }
}

/** What was recorded works with the tools as they are. */
function refuseFailedCalls(task: string, { body }: ChatRequest): void {
  const failed = body.messages.find(
    ({ role, content }) => role === 'tool' && /^(Invalid|Not run|Unavailable|Error)/.test(String(content)),
  );
  if (failed) throw new Error(`${task}: a call failed: ${String(failed.content)}`);
}

function count(requests: readonly ChatRequest[]): Side {
  let before: string[] = [];
  const side = { calls: requests.length, sent: 0, fresh: 0, first: 0 };
  for (const { body } of requests) {
    const { messages, tools = [], ...rest } = body;
    const parts = [...tools, ...messages].map(part => JSON.stringify(part));
    const at = parts.findIndex((part, index) => part !== before[index]);
    const fresh = bytesOf([JSON.stringify(rest), ...parts.slice(at < 0 ? parts.length : at)]);
    side.fresh += fresh;
    side.sent += bytesOf([JSON.stringify(rest), ...parts]);
    if (side.first === 0) side.first = side.sent;
    before = parts;
  }
  return side;
}

function bytesOf(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** As they are written: a reply's text may be an object, and a team's replies stand by role. */
type Written = Omit<ScriptedReply, 'text'> & { text?: unknown };

function scriptOf(mode: string, given: Written[] | Record<string, Written[]>) {
  const scripts = Array.isArray(given) ? { [mode]: given } : given;
  const read = ({ text = '', ...reply }: Written): ScriptedReply => ({
    ...reply,
    text: typeof text === 'string' ? text : JSON.stringify(text),
  });
  return byRole(Object.fromEntries(Object.entries(scripts).map(([role, all]) => [role, all.map(read)])));
}

function filesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile(),
  );
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map(path => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}
