/** The options of `npm start` and the verb `start`: what to run, and how. */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { Option } from 'commander';
import { MODES } from '../core/run-config.js';
import { SteersmanError } from '../errors.js';
import { EXIT } from './exit-codes.js';

/** Adds the goal and all options of a start. */
export function addStartOptions(command: Command): Command {
  return command
    .allowExcessArguments()
    .addOption(new Option('--mode <mode>', 'how the goal is pursued').choices(MODES).default('team'))
    .option('--model <provider/model>', 'model of every role, before steersman.yaml')
    .option('--workspace <dir>', 'folder that tools work in (default: where you are)')
    .option('--id <id>', 'id of the run (default: steersman-<date>-<random>)')
    .option('--yes', 'tools that are not read-only run without asking')
    .option('--config <dir>', 'folder of steersman.yaml, .mcp.json and prompts (default: the project)')
    .option('--task-queue <name>', 'queue of your own worker (STEERSMAN_TASK_QUEUE)');
}

/**
 * The goal as given; `-` reads it from stdin. Throws a SteersmanError when it came as several words, since then
 * nobody knows what was meant as goal.
 */
export async function readGoal(argument: string, command: Command): Promise<string> {
  if (command.args.length > 1) {
    throw new SteersmanError(
      `The goal came as ${command.args.length} words: ${command.args.join(' ')}.`,
      `Put it in quotes: "${command.args.join(' ')}"`,
      EXIT.usage,
    );
  }
  return argument === '-' ? text(process.stdin) : argument;
}
