/** The options of `npm start` and the verb `start`: what to run, and how. */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { Option } from 'commander';
import { DEFAULT_LIMITS } from '../../core/limits.js';
import { MODES } from '../../core/run-config.js';
import { SteersmanError } from '../../errors.js';
import { readLimits } from '../../print/limit-words.js';
import { positiveInteger } from './command.js';

/** Adds the goal and all options of a start. */
export function addStartOptions(command: Command): Command {
  return command
    .allowExcessArguments()
    .addOption(new Option('--mode <mode>', 'how the goal is pursued').choices(MODES).default('team'))
    .option('--model <provider/model>', 'model of every role, before steersman.yaml')
    .option('--workspace <dir>', 'folder that tools work in (default: where you are)')
    .option('--id <id>', 'id of the run (default: the goal’s first words and something random)')
    .option('--yes', 'what would be asked is approved: tools that are not read-only run')
    .option('--attended', 'a person will answer what is asked (default: in a terminal session)')
    .option('--approve-plan', 'the plan waits for a person before it is carried out')
    .option('--keep-open <seconds>', 'stay open for follow-ups after an answer', positiveInteger)
    .option('--after <id>', 'go on from a run that has ended: its goals and answers are known to this one')
    .option(
      '--limit <name=value>',
      `cap of this run, repeatable: ${Object.keys(DEFAULT_LIMITS).join(', ')}`,
      addLimit,
    )
    .option('--settings <file>', 'YAML or JSON with systemMessage, context, limits, clientTools of this run')
    .option('--config <dir>', 'folder of steersman.yaml, .mcp.json and prompts (default: the project)')
    .option('--task-queue <name>', 'queue of your own worker (STEERSMAN_TASK_QUEUE)');
}

function addLimit(word: string, limits: Record<string, number | null> = {}): Record<string, number | null> {
  return { ...limits, ...readLimits([word]) };
}

/**
 * The goal as given; `-` reads it from stdin. Throws a SteersmanError when it came as several words, since then
 * nobody knows what was meant as goal.
 */
export function readGoal(argument: string, command: Command): Promise<string> {
  return readWords(argument, command, 1, 'goal');
}

/** The text that is argument number `position` and the last; as `readGoal` for any text called `name`. */
export async function readWords(
  argument: string,
  command: Command,
  position: number,
  name: string,
): Promise<string> {
  const words = command.args.slice(position - 1);
  if (words.length > 1) {
    throw new SteersmanError(
      `The ${name} came as ${words.length} words: ${words.join(' ')}.`,
      `Put it in quotes: "${words.join(' ')}"`,
      'usage',
    );
  }
  const given = argument === '-' ? await text(process.stdin) : argument;
  if (name === 'goal' || given.trim() !== '') return given;
  throw new SteersmanError(`The ${name} is empty.`, 'Say it in quotes.', 'usage');
}
