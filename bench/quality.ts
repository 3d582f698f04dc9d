/**
 * Solves tasks by Steersman's modes and by a bare loop with the same model. Checkers say what is right, and the table
 * what it cost.
 */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { readDotEnv } from '../src/config/files/files.js';
import { setVariables } from '../src/shared/process/env.js';
import { makeProject } from '../test/support/project.js';
import { bareSide } from './quality/bare.js';
import { asJson, falseClaims, isSolved, progress, type Row, tables } from './quality/print.js';
import { type Recorded, startRecorded } from './quality/recorded.js';
import { NOTHING_PLAYED, type Side } from './quality/sides.js';
import { startSteersman } from './quality/steersman.js';
import { filesOf, loadTask, TASK_NAMES, type Task } from './quality/tasks.js';
import { machine } from './support/machine.js';

interface Options {
  model?: string;
  modes: string[];
  against?: 'bare';
  tasks: string[];
  minutes: number;
  recorded?: string | true;
  checks: boolean;
  json: boolean;
}

const list = (text: string) => text.split(',').filter(Boolean);
const program = new Command('quality')
  .description(
    'Solves tasks with a model and checks what came of them: files as they should be, nothing else touched, nothing claimed that is not so.',
  )
  .option('--model <id>', 'as endpoint/model; endpoints are those of variables and of steersman.yaml')
  .option('--modes <list>', 'modes of runs, with commas; "" for none', list, ['react', 'team'])
  .addOption(new Option('--against <side>', 'another side: the same tools in a plain loop').choices(['bare']))
  .addOption(
    new Option('--tasks <list>', 'names of tasks, with commas').argParser(list).default(TASK_NAMES, 'all'),
  )
  .option(
    '--minutes <n>',
    'the most that a side may take for a task; it is ended after half as much again',
    Number,
    10,
  )
  .option(
    '--recorded [who]',
    'replies that were written beforehand in place of a model, by "strong" or "sloppy": tests the harness',
  )
  .option('--checks', 'runs are given the goal checks of their tasks', false)
  .option('--json', 'the result as JSON; what happens meanwhile goes to stderr', false)
  .addHelpText('after', `\nTasks: ${TASK_NAMES.join(', ')}.`)
  .parse();
const options = program.opts<Options>();

/** The tool for commands is left out, because the model's commands would run unasked on this machine. */
const WITHOUT: readonly string[] = ['run'];

/** A run whose time is used up still sums up its results. */
const GRACE = 1.5;

const unknown = options.tasks.filter(name => !TASK_NAMES.includes(name));
if (unknown.length > 0) program.error(`there is no task ${unknown.join(', ')}`);
if ((options.model === undefined) === (options.recorded === undefined))
  program.error('give --model, or --recorded');

const rows: Row[] = [];
const stopped = new AbortController();
// The signal comes twice, from the terminal and from npm.
process.on('SIGINT', () => stopped.abort(new Error('stopped by Ctrl-C')));
const tell = options.json ? console.error : console.log;
tell(`quality: ${options.tasks.length} tasks; ${machine()}\n`);

const recorded = options.recorded === undefined ? null : await startRecorded(whoOf());
setVariables(recorded ? {} : readDotEnv(process.cwd()));
if (recorded) Object.assign(process.env, { OPENAI_BASE_URL: recorded.baseUrl, OPENAI_API_KEY: 'recorded' });
const model = options.model ?? 'openai/gpt-5-mini';
const project = makeProject({ config: { '.mcp.json': toolServers() } });
const steersman = await startSteersman(project);
try {
  const { minutes, checks } = options;
  const sides = options.modes.map(mode => steersman.side(mode, { model, mostMs: minutes * 60_000, checks }));
  if (options.against) sides.push(await bareSide(model, project.configDir, { without: WITHOUT }));
  for (const name of options.tasks) {
    const task = await loadTask(name);
    for (const side of sides) await playOne(task, side);
  }
} finally {
  console.log(options.json ? asJson(rows) : `\n${tables(rows)}`);
  if (rows.length === 0) process.exitCode = 1;
  // Resources that are still open end with this process.
  if (stopped.signal.aborted) process.exit(130);
  await steersman.close();
  await recorded?.close();
}

async function playOne(task: Task, side: Side): Promise<void> {
  if (stopped.signal.aborted) return;
  const said = recorded ? playRecorded(recorded, task, side) : () => {};
  if (said === null) return;
  const row = await rowOf(task, side, said);
  rows.push(row);
  tell(progress(row));
  // A real model may fail a task. For recorded replies it is known which are right and which are wrong.
  if (recorded && (whoOf() === 'strong' ? !isSolved(row) : falseClaims(row) === 0)) process.exitCode = 1;
}

/** Returns null if this side has no recorded replies. */
function playRecorded(recorded: Recorded, task: Task, { name }: Side): (() => void) | null {
  return recorded.has(task.name, name) ? recorded.play(task, name) : null;
}

async function rowOf(task: Task, side: Side, said: () => void): Promise<Row> {
  const folder = realpathSync(mkdtempSync(join(project.workspace, `${task.name}-`)));
  for (const [path, text] of Object.entries(task.files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const from = performance.now();
  const late = new AbortController();
  const mostMs = GRACE * options.minutes * 60_000;
  const timer = setTimeout(() => late.abort(new Error(`it took more than ${mostMs / 1_000} s`)), mostMs);
  const signal = AbortSignal.any([stopped.signal, late.signal]);
  const row = { task: task.name, side: side.name };
  try {
    const played = await side.play(task, folder, said, signal);
    const ms = Math.round(performance.now() - from);
    const end = { answer: played.answer, before: task.files, after: filesOf(folder) };
    return { ...row, ...played, ms, faults: task.check(end) };
  } catch (error) {
    const ms = Math.round(performance.now() - from);
    return { ...row, ...NOTHING_PLAYED, ms, faults: [], failure: String(signal.reason ?? error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the author of the replies that are played. */
function whoOf(): string {
  return typeof options.recorded === 'string' ? options.recorded : 'strong';
}

function toolServers(): string {
  const without = WITHOUT.length > 0 ? ['--without', WITHOUT.join()] : [];
  const workspace = { command: 'steersman', args: ['tools', `\${workspace}`, ...without] };
  return JSON.stringify({ mcpServers: { workspace } });
}
