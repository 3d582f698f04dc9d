/**
 * Counts the input tokens of a run that no earlier request began with. A run pays for these in full if its endpoint
 * caches prefixes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { execution, plan, verdict } from '../packages/test-kit/role-outputs.js';
import { type RunResult, steerSignal } from '../src/workflows/run/definitions.js';
import type { ChatRequest, ScriptedReply } from '../test/support/endpoint/model.js';
import { projectRoot } from '../test/support/project.js';
import { type Rig, startRig, startTemporal } from '../test/support/rig.js';
import { eventsOf } from '../test/support/run-views.js';
import type { Count } from '../test/support/sent-tokens.js';
import { countSent, sentRequest } from '../test/support/sent-tokens.js';
import { byRole, intent, route } from '../test/support/steering.js';
import { table } from './support/machine.js';

interface Options {
  tasks: number;
  reads: number;
  bytes: number;
  replan: boolean;
  steer: boolean;
  trim?: number | true;
  own: boolean;
  private?: string;
  reasoning?: string;
}

const options = new Command('cache')
  .option('--tasks <n>', 'tasks of the plan', Number, 3)
  .option('--reads <n>', 'files that each task reads, one a turn', Number, 4)
  .option('--bytes <n>', 'size of a file', Number, 2_500)
  .option('--replan', 'the first verdict wants a task more', false)
  .option('--steer', 'a person says something in the midst of the first task', false)
  .option(
    '--trim [tokens]',
    'models take so many tokens: without a number 16,000, which is too few once',
    Number,
  )
  .option('--own', 'a system text and tools for each role, in place of one prefix', false)
  .option('--private <role>', 'this role has a conversation of its own')
  .option('--reasoning <role>', 'this role is told to think, the others are not')
  .parse()
  .opts<Options>();

/** One model of each provider whose cache the scripted server simulates. */
const MODELS = ['openai/gpt-5-mini', 'anthropic/claude-sonnet-5'];
const { tasks, reads, bytes, replan, steer } = options;
const contextTokens = options.trim === true ? 16_000 : (options.trim ?? null);
console.log(
  `cache: ${tasks} tasks of ${reads} reads of ${bytes} bytes, the shipped prompts and file tools\n`,
);
const env = await startTemporal();
try {
  const rig = await startRig({ env, workspace: files(), config: configuration(), replay: false });
  try {
    Object.assign(process.env, { ANTHROPIC_BASE_URL: rig.model.baseUrl, ANTHROPIC_API_KEY: 'bench' });
    await rig.stopWorker();
    await rig.startWorker();
    for (const model of MODELS) await runOn(rig, model);
  } finally {
    await rig.close();
  }
} finally {
  await env.teardown();
}

async function runOn(rig: Rig, model: string): Promise<void> {
  const reply = byRole(scripts());
  let said = !steer;
  const played = rig.play(async (request, index) => {
    if (!said && index === 3) {
      said = true;
      const handle = await started;
      await handle.signal(steerSignal, { id: 'wish', text: 'Name the number of records in the end.' });
    }
    return reply(request, index);
  });
  const started = rig.start('Say what the records show.', { autoApprove: true, model });
  const handle = await started;
  const { outcome, text } = (await handle.result()) as RunResult;
  if (outcome !== 'completed') throw new Error(`the run ended ${outcome}: ${text}`);
  print(model, played.requests, (await eventsOf(handle, 'thread_trimmed')).length);
}

/** Returns the shipped configuration with the changes that the options ask for. */
function configuration(): Record<string, string> {
  const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
  const info = MODELS.map(model => `    ${model}: { contextTokens: ${contextTokens} }`);
  const settings = read('steersman.yaml').replace(/^models:\n/m, `models:\n  info:\n${info.join('\n')}\n`);
  const profiles = [
    ...(options.own ? ['planner', 'executor', 'verifier'] : []).map(role => [role, 'prefix: own'] as const),
    ...(options.private ? [[options.private, 'memory: private'] as const] : []),
    ...(options.reasoning ? [[options.reasoning, 'reasoning: high'] as const] : []),
  ];
  const prompts = profiles.map(([role, line]) => {
    const path = `prompts/core/${role}.md`;
    const text = read(path);
    const without = line.startsWith('memory') ? text.replace(/^memory: .*\n/m, '') : text;
    return [path, without.replace('---\n', `---\n${line}\n`)];
  });
  return {
    ...(contextTokens === null ? {} : { 'steersman.yaml': settings }),
    ...Object.fromEntries(prompts),
  };
}

function print(model: string, requests: readonly ChatRequest[], trims: number): void {
  const { byRole, conversations, ...all } = countSent(requests.map(sentRequest));
  const row = (name: string, { calls, input, fresh }: Count) => [name, ...[calls, input, fresh].map(String)];
  const rows = Object.entries(byRole).map(([role, count]) => row(role, count));
  console.log(table(['role', 'calls', 'input tokens', 'not sent before'], [...rows, row('all', all)]));
  const counts = requests.flatMap(({ cache }) => cache ?? []);
  const anew = counts.reduce((sum, { inputTokens, cached }) => sum + inputTokens - cached, 0);
  const last = conversations.reduce((sum, tokens) => sum + tokens, 0);
  const times = (tokens: number) => `${tokens} tokens, ${(tokens / last).toFixed(2)} times that`;
  console.log(
    `\n${trims} trims; conversations at their ends, and before each trim: ${conversations.join(' + ')}`,
  );
  console.log(`not sent before: ${times(all.fresh)}`);
  console.log(`read anew by the rules of the cache of ${model}: ${times(anew)}\n`);
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

function scripts(): Record<string, ScriptedReply[]> {
  const work = each(tasks, task => [
    ...each(reads, read => ({
      text: 'The next record tells more.',
      toolCalls: [{ name: 'read_text_file', arguments: { path: nameOf(task, read) } }],
    })),
    { text: execution({ summary: `The records of part ${task + 1} are in order.`, taskCompleted: true }) },
  ]);
  const first = plan({ todos: each(tasks, task => `Read the records of part ${task + 1}`) });
  const judged = each(tasks, task => ({ id: `task-${task + 1}`, completed: true, feedback: 'Read.' }));
  const again = 'Look at the first record once more';
  const wanting = verdict({ improvements: [`${again}.`], tasks: judged });
  const more = [
    { toolCalls: [{ name: 'read_text_file', arguments: { path: nameOf(0, 0), head: 3 } }] },
    { text: execution({ summary: 'The first record is in order.', taskCompleted: true }) },
  ];
  return {
    planner: [{ text: first }, { text: plan({ todos: [{ id: 'task-again', description: again }] }) }],
    executor: [...work.flat(), ...more],
    verifier: [
      ...(replan ? [{ text: wanting }] : []),
      { text: verdict({ summary: 'All records are in order.' }) },
    ],
    understanding: [intent('same_task_no_change')],
    router: [route('continue_execution')],
  };
}
