/** How many input tokens of a run no earlier request began with: what it pays for where an endpoint caches prefixes. */
import { Command } from 'commander';
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
  .parse()
  .opts<{ tasks: number; reads: number; bytes: number }>();

const { tasks, reads, bytes } = options;
console.log(
  `cache: ${tasks} tasks of ${reads} reads of ${bytes} bytes, the shipped prompts and file tools\n`,
);
const env = await startTemporal();
try {
  const rig = await startRig({ env, workspace: files(), replay: false });
  try {
    const played = rig.play(script());
    const { result } = await rig.run('Say what the records show.', { autoApprove: true });
    if (result.outcome !== 'completed') throw new Error(`the run ended ${result.outcome}: ${result.answer}`);
    print(played.requests.map(sentRequest));
  } finally {
    await rig.close();
  }
} finally {
  await env.teardown();
}

function print(requests: ReturnType<typeof sentRequest>[]): void {
  const { byRole, conversation, ...all } = countSent(requests);
  const row = (name: string, { calls, input, fresh }: Count) => [name, ...[calls, input, fresh].map(String)];
  const rows = Object.entries(byRole).map(([role, count]) => row(role, count));
  console.log(table(['role', 'calls', 'input tokens', 'not sent before'], [...rows, row('all', all)]));
  const times = (all.fresh / conversation).toFixed(2);
  console.log(`\nfinal conversation: ${conversation} tokens; not sent before: ${times} times that`);
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
    { text: verdict({ summary: 'All records are in order.' }) },
  ];
}
