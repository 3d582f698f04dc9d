/** How many input tokens of a run no earlier request began with: what it pays for where an endpoint caches prefixes. */
import { Command } from 'commander';
import type { ChatRequest } from '../src/protocol-server/server.js';
import { execution, plan, verdict } from '../src/testing/role-outputs.js';
import type { ScriptedReply } from '../src/testing/scripted-model.js';
import { startRig, startTemporal } from '../test/support/rig.js';
import type { Count } from '../test/support/sent-tokens.js';
import { countSent, sentRequest } from '../test/support/sent-tokens.js';
import { table } from './support/machine.js';

const options = new Command('cache')
  .option('--tasks <n>', 'tasks of the plan', Number, 3)
  .option('--reads <n>', 'files that each task reads, one a turn', Number, 4)
  .option('--bytes <n>', 'size of a file', Number, 2_500)
  .option('--replan', 'the first verdict wants a task more', false)
  .parse()
  .opts<{ tasks: number; reads: number; bytes: number; replan: boolean }>();

/** One of each provider whose cache the scripted server simulates. */
const MODELS = ['openai/gpt-5-mini', 'anthropic/claude-sonnet-5'];
const { tasks, reads, bytes, replan } = options;
console.log(
  `cache: ${tasks} tasks of ${reads} reads of ${bytes} bytes, the shipped prompts and file tools\n`,
);
const env = await startTemporal();
try {
  const rig = await startRig({ env, workspace: files(), replay: false });
  try {
    Object.assign(process.env, { ANTHROPIC_BASE_URL: rig.model.baseUrl, ANTHROPIC_API_KEY: 'bench' });
    await rig.stopWorker();
    await rig.startWorker();
    for (const model of MODELS) {
      const played = rig.play(script());
      const { result } = await rig.run('Say what the records show.', { autoApprove: true, model });
      if (result.outcome !== 'completed')
        throw new Error(`the run ended ${result.outcome}: ${result.answer}`);
      print(model, played.requests);
    }
  } finally {
    await rig.close();
  }
} finally {
  await env.teardown();
}

function print(model: string, requests: readonly ChatRequest[]): void {
  const { byRole, conversation, ...all } = countSent(requests.map(sentRequest));
  const row = (name: string, { calls, input, fresh }: Count) => [name, ...[calls, input, fresh].map(String)];
  const rows = Object.entries(byRole).map(([role, count]) => row(role, count));
  console.log(table(['role', 'calls', 'input tokens', 'not sent before'], [...rows, row('all', all)]));
  const times = (all.fresh / conversation).toFixed(2);
  console.log(`\nfinal conversation: ${conversation} tokens; not sent before: ${times} times that`);
  const counts = requests.flatMap(({ cache }) => cache ?? []);
  const uncached = counts.reduce((sum, { inputTokens, cached }) => sum + inputTokens - cached, 0);
  const last = Math.max(...counts.map(({ inputTokens }) => inputTokens));
  const share = (uncached / last).toFixed(2);
  console.log(`by the rules of the cache of ${model}: ${uncached} read anew, ${share} times the ${last}\n`);
}

function nameOf(task: number, read: number): string {
  return `record-${task + 1}-${read + 1}.txt`;
}

function each<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function files(): Record<string, string> {
  const line = (name: string, at: number) => `${name}: entry ${at} was looked at and is in order.\n`;
  const text = (name: string) => {
    let all = '';
    for (let at = 1; all.length < bytes; at++) all += line(name, at);
    return all;
  };
  const names = each(tasks, task => each(reads, read => nameOf(task, read))).flat();
  return Object.fromEntries(names.map(name => [name, text(name)]));
}

function script(): ScriptedReply[] {
  const work = each(tasks, task => [
    ...each(reads, read => ({
      text: 'The next record tells more.',
      toolCalls: [{ name: 'read_text_file', arguments: { path: nameOf(task, read) } }],
    })),
    { text: execution({ summary: `The records of part ${task + 1} are in order.`, taskCompleted: true }) },
  ]);
  return [
    { text: plan({ todos: each(tasks, task => `Read the records of part ${task + 1}`) }) },
    ...work.flat(),
    ...(replan ? again() : []),
    { text: verdict({ summary: 'All records are in order.' }) },
  ];
}

function again(): ScriptedReply[] {
  const judged = each(tasks, task => ({ id: `task-${task + 1}`, completed: true, feedback: 'Read.' }));
  return [
    { text: verdict({ improvements: ['Look at the first record once more.'], tasks: judged }) },
    { text: plan({ todos: [{ id: 'task-again', description: 'Look at the first record once more' }] }) },
    { toolCalls: [{ name: 'read_text_file', arguments: { path: nameOf(0, 0), head: 3 } }] },
    { text: execution({ summary: 'The first record is in order.', taskCompleted: true }) },
  ];
}
