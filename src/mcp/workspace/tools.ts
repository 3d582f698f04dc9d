/** The tools of a workspace: what `steersman tools` serves, and a worker in its own process. */
import { parseArgs } from 'node:util';
import { SteersmanError } from '../../shared/errors.js';
import type { CodeTool } from '../code-tools.js';
import type { WorkspaceContext } from './context.js';
import { readTool } from './read.js';
import { writeTool } from './write.js';

/** In the order in which models see them. */
const MAKERS: Readonly<Record<string, (context: WorkspaceContext) => CodeTool>> = {
  read: readTool,
  write: writeTool,
};

/** They speak to the outside: on only where they are named. */
const OFF_UNLESS_NAMED: readonly string[] = ['fetch'];

export interface ToolChoice {
  /** Names of tools that are off otherwise. */
  with?: readonly string[];
  without?: readonly string[];
}

/** @throws SteersmanError for a name that is no tool. */
export function workspaceTools(context: WorkspaceContext, choice: ToolChoice = {}): CodeTool[] {
  const names = chosenNames(choice);
  return Object.entries(MAKERS).flatMap(([name, make]) => (names.includes(name) ? [make(context)] : []));
}

function chosenNames({ with: more = [], without = [] }: ToolChoice): string[] {
  const all = Object.keys(MAKERS);
  const unknown = [...more, ...without].find(name => !all.includes(name));
  if (unknown !== undefined)
    throw new SteersmanError(
      `There is no workspace tool ${unknown}.`,
      `There are ${all.join(', ')}.`,
      'usage',
    );
  return all.filter(
    name => !without.includes(name) && (more.includes(name) || !OFF_UNLESS_NAMED.includes(name)),
  );
}

/** What stands after `steersman tools`. @throws SteersmanError for what it does not know. */
export function parseToolsArgs(args: readonly string[]): { folder: string; choice: ToolChoice } {
  const names = { type: 'string', multiple: true } as const;
  const options = { with: names, without: names };
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
  const listOf = (given: readonly string[] = []) => given.flatMap(text => text.split(',')).filter(Boolean);
  return {
    folder: positionals[0] ?? '.',
    choice: { with: listOf(values.with), without: listOf(values.without) },
  };
}
