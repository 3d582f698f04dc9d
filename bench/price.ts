/** Measures what tasks cost in a mode, by prepared replies: the input tokens that the endpoint gets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import type { RunSettings } from '../src/run/agents/run-config.js';
import type { ChatRequest } from '../test/support/endpoint/model.js';
import { shippedServers } from '../test/support/project.js';
import { type Rig, startRig, startTemporal } from '../test/support/rig.js';
import { settingsYaml } from '../test/support/steering.js';
import { bareSide } from './quality/bare.js';
import type { Files } from './quality/check.js';
import { priceOf } from './quality/print.js';
import { scriptOf, type Written } from './quality/recorded.js';
import { filesOf } from './quality/tasks.js';
import { table } from './support/machine.js';
import { loopFaults } from './support/price-bounds.js';

interface Task {
  goal: string;
  files: Files;
  /** Returns the replies of a side; null for a side that does not play the task. */
  replies(side: string): Written | null;
  /** Texts that the last request must contain. */
  facts?: readonly string[];
  limits?: RunSettings['limits'];
  config?: Record<string, string>;
}

/** In tokens. */
interface Sent {
  calls: number;
  sent: number;
  /** Tokens with which the previous request had already begun. */
  cached: number;
  /** Tokens of the first request. */
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
const RESULT_BYTES = 4_096;

/** Records of the long task that have the facts which its answer needs. */
const FACTS_AT = [5, 50, 150];
const FACT = 'The valve opens at';
/** Words of the request for a summary. */
const SUMMARY_ASKED = 'about to be shortened';

/** The planner's reply to the long task. */
const PLANNED = {
  text: JSON.stringify({
    ...{ type: 'component', component: 'planner-response', summary: 'One task.', needsMorePlanning: false },
    todos: [{ id: 'task-1', description: 'Read each record.', priority: 1, status: 'pending' }],
  }),
};

const FOLDER = fileURLToPath(new URL('price', import.meta.url));
const { modes, turns: TURNS } = new Command('price')
  .description(
    'Plays replies to tasks, in modes and in a plain loop with the same tools that sends everything again, and counts input tokens, four bytes each: price is what is new, and a tenth of what an earlier request began with. Fails above its bounds.',
  )
  .option('--turns <n>', 'of the long task', Number, 40)
  .option('--modes <list>', 'with commas', list => list.split(','), Object.keys(MOST_TIMES))
  .parse()
  .opts<{ modes: string[]; turns: number }>();

const TASKS: Readonly<Record<string, Task>> = {
  ...Object.fromEntries(Object.keys(PI).map(name => [name, recordedTask(name)])),
  long: longTask(['loop', 'react', 'team']),
  'long at 32K': { ...longTask(['react']), config: smallModel(32_000) },
  'long at 16K': { ...longTask(['react']), config: smallModel(16_000) },
};
const HEAD = [
  'task',
  'side',
  'calls',
  'sent',
  'of the loop',
  'new',
  'price',
  'of the loop',
  'of pi',
  'first request',
];

const env = await startTemporal();
const rows: string[][] = [];
const faults: string[] = [];
try {
  let loop: Sent | null = null;
  for (const [name, task] of Object.entries(TASKS)) {
    for (const side of ['loop', ...modes]) {
      const replies = task.replies(side);
      if (replies === null) continue;
      const sent = await play(name, side, task, replies);
      if (side === 'loop') loop = sent;
      note(name, side, sent, loop ?? sent);
    }
  }
} finally {
  await env.teardown();
}
console.log(table(HEAD, rows));
if (faults.length > 0) {
  console.error(`\n${faults.join('\n')}`);
  process.exitCode = 1;
}

function note(task: string, side: string, given: Sent, loop: Sent): void {
  const { calls, sent, cached, first } = given;
  const price = priceOf(given);
  const pi = PI[task];
  const whole = (figure: number) => String(Math.round(figure));
  const ofLoop = { sent: sent / loop.sent, price: price / priceOf(loop) };
  rows.push([
    ...[task, side, whole(calls), whole(sent), ofLoop.sent.toFixed(2), whole(sent - cached), whole(price)],
    ...[ofLoop.price.toFixed(2), pi ? (price / pi).toFixed(2) : '', whole(first)],
  ]);
  const most = MOST_TIMES[side] ?? Number.POSITIVE_INFINITY;
  if (pi && price > most * pi) faults.push(`${task} in ${side} costs more than ${most} times what pi does.`);
  if (side !== 'loop') faults.push(...loopFaults({ task, side, turns: TURNS }, ofLoop));
  if (side !== 'react') return;
  if (pi && first > MOST_FIRST)
    faults.push(`The first request of ${task} in react has more than ${MOST_FIRST} tokens.`);
}

async function play(name: string, side: string, task: Task, replies: Written): Promise<Sent> {
  const config = { ...shippedServers(), ...task.config };
  const rig = await startRig({ env, workspace: task.files, config, replay: false, runTimeout: '30 minutes' });
  try {
    const played = rig.play(withSummaries(scriptOf(replies)));
    await (side === 'loop' ? playLoop(rig, task) : playMode(rig, task, side));
    for (const request of played.requests) refuseFailedCalls(name, request);
    const last = JSON.stringify(played.requests.at(-1)?.body ?? {});
    const missing = (task.facts ?? []).filter(fact => !last.includes(fact));
    if (missing.length > 0) throw new Error(`the answer is written without: ${missing.join(' ')}`);
    return count(played.requests);
  } catch (error) {
    throw new Error(`${name}, ${side}`, { cause: error });
  } finally {
    await rig.close();
  }
}

/** Answers a run's requests for summaries, which the script lacks, with a summary that has the facts. */
function withSummaries(script: ReturnType<typeof scriptOf>): ReturnType<typeof scriptOf> {
  let summaries = 0;
  return (request, index) => {
    const { messages } = request.body;
    if (!JSON.stringify(messages.at(-1)?.content).includes(SUMMARY_ASKED))
      return script(request, index - summaries);
    summaries++;
    const said = messages.slice(0, -1).map(({ content }) => JSON.stringify(content));
    const facts = [...new Set(said.join(' ').match(new RegExp(`${FACT} \\d+ bar`, 'g')))];
    return {
      text: JSON.stringify({
        facts: facts.map(fact => ({ fact: `${fact}.`, source: 'a record' })),
        references: [],
        goals: ['Say what the records show.'],
        decisions: [],
        openTasks: ['Read on.'],
      }),
    };
  };
}

async function playMode(rig: Rig, { goal, limits }: Task, mode: string): Promise<void> {
  const { result } = await rig.run(goal, { mode, autoApprove: true, ...(limits ? { limits } : {}) });
  if (result.outcome !== 'completed' && result.outcome !== 'answered')
    throw new Error(`it ended ${result.outcome} (${result.cause}): ${result.text}`);
}

async function playLoop({ project }: Rig, { goal }: Task): Promise<void> {
  const loop = await bareSide('openai/gpt-5-mini', project.configDir, {
    mostRounds: Number.POSITIVE_INFINITY,
  });
  const given = { goal, steer: null, checks: [] };
  const { failure } = await loop.play(given, project.workspace, () => {}, new AbortController().signal);
  if (failure !== null) throw new Error(failure);
}

/** Throws for a failed tool call: the recorded replies must fit the present tools. */
function refuseFailedCalls(task: string, { body }: ChatRequest): void {
  const failed = body.messages.find(
    ({ role, content }) =>
      role === 'tool' && /^(Invalid|Not run|Unavailable|Error|McpError)/.test(String(content)),
  );
  if (failed) throw new Error(`${task}: a call failed: ${String(failed.content)}`);
}

function count(requests: readonly ChatRequest[]): Sent {
  let before: string[] = [];
  const total = { calls: requests.length, sent: 0, cached: 0, first: 0 };
  for (const { body } of requests) {
    const { messages, tools = [], ...rest } = body;
    const parts = [...tools, ...messages].map(part => JSON.stringify(part));
    const at = parts.findIndex((part, index) => part !== before[index]);
    total.cached += tokensOf(parts.slice(0, at < 0 ? parts.length : at));
    total.sent += tokensOf([JSON.stringify(rest), ...parts]);
    if (total.first === 0) total.first = total.sent;
    before = parts;
  }
  return total;
}

function tokensOf(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) / BYTES_A_TOKEN;
}

/** Reads a recorded task. The loop plays the replies of `react`. */
function recordedTask(name: string): Task {
  const read = (...path: string[]) => readFileSync(join(FOLDER, name, ...path), 'utf8');
  return {
    goal: read('goal.md').trim(),
    files: filesOf(join(FOLDER, name, 'files')),
    replies: side => JSON.parse(read('replies', `${side === 'loop' ? 'react' : side}.json`)),
  };
}

/** Gives the model a small window, because a run then shortens what it sends. The loop never shortens anything. */
function smallModel(contextTokens: number): Record<string, string> {
  return {
    'steersman.yaml': settingsYaml('  info:', `    openai/gpt-5-mini: { contextTokens: ${contextTokens} }`),
  };
}

/** The executor's report and the verdict. */
function reported(answer: string): { text: string }[] {
  const report = { component: 'executor-response', summary: answer, taskCompleted: true };
  const tasks = [{ id: 'task-1', completed: true, feedback: 'Each record was read.' }];
  const verdict = { component: 'verifier-response', allCompleted: true, userNeedsSatisfied: true, tasks };
  return [report, { ...verdict, overallFeedback: 'Done.', summary: answer }].map(reply => ({
    text: JSON.stringify({ type: 'component', ...reply }),
  }));
}

/** A task that reads many files, each once and one a turn, and then needs facts from far above. */
function longTask(sides: readonly string[]): Task {
  const names = Array.from({ length: TURNS }, (_, at) => `record-${at + 1}.txt`);
  const factAt = (at: number) => (FACTS_AT.includes(at + 1) ? `${FACT} ${7_000 + at} bar.\n` : '');
  const textOf = (name: string, at: number) =>
    (factAt(at) + `${name}: this entry was looked at and is in order.\n`.repeat(100)).slice(0, RESULT_BYTES);
  const reads = names.map(path => ({
    text: 'The next record tells more.',
    toolCalls: [{ name: 'read', arguments: { path } }],
  }));
  const recall = { toolCalls: [{ name: 'recall', arguments: { query: FACT } }] };
  const facts = names.map((_, at) => factAt(at).trim()).filter(fact => fact !== '');
  return {
    goal: 'Say what the records show.',
    files: Object.fromEntries(names.map((name, at) => [name, textOf(name, at)])),
    replies: side => {
      if (!sides.includes(side)) return null;
      const answer = `In order. ${facts.join(' ')}`;
      if (side === 'team') return [PLANNED, ...reads, recall, ...reported(answer)];
      return [...reads, ...(side === 'loop' ? [] : [recall]), { text: answer }];
    },
    facts,
    limits: {
      execution: TURNS + 2,
      replies: TURNS + 2,
      turns: TURNS + 4,
      totalTurns: TURNS + 4,
      tokens: 1_000_000_000,
    },
  };
}
