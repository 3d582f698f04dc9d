/** `steersman`: runs a goal, a verb, a worker or the local stack, from any folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addCompletion, addRun, addVerbs, runCommandLine, strict, WHERE } from '@steersman/cli';
import { addProgram, refuseMisplaced, refuseMisspelt } from '@steersman/print';
import { Command } from 'commander';
import { PROGRAM } from './shared/process/called-as.js';
import { projectRoot } from './shared/process/package.js';

/** Separate programs, loaded only when they are called, because a worker is large. */
const PROGRAMS = {
  worker: 'Serve runs of one task queue: their workflows, model calls and tool calls.',
  dev: 'The local stack in the foreground: a Temporal server with its Web UI, and a worker.',
} as const;

const [first, of = ''] = process.argv.slice(2);
if (first === 'help' && of in PROGRAMS) process.argv.splice(2, 2, of, '--help');
const [name] = process.argv.slice(2);
if (name === 'worker' || name === 'dev') {
  process.argv.splice(2, 1);
  await (name === 'worker' ? import('./worker.js') : import('./dev.js'));
} else {
  // Options after a verb belong to the verb, even if the goal command has one of that name.
  const program = strict(new Command(PROGRAM.start)).enablePositionalOptions().helpCommand(true);
  addVerbs(addRun(program)).addHelpText('after', WHERE);
  for (const [script, description] of Object.entries(PROGRAMS))
    addProgram(program.command(script).description(description));
  addCompletion(program);
  refuseMisplaced(program);
  refuseMisspelt(program);
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  await runCommandLine(program.version(String(version)));
}
