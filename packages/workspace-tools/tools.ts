/** The tools of a workspace: what `steersman tools` serves, and a worker in its own process. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { errorText, isRecord } from 'steersman/base';
import type { CodeTool, ToolsHere } from 'steersman/mcp';
import { asTaken } from 'steersman/rules';
import { SteersmanError, validateArguments } from 'steersman/shared';
import { computeTool } from './compute.js';
import { fetchTool } from './fetch.js';
import type { WorkspaceContext } from './files/context.js';
import { editTool } from './files/edit.js';
import { listTool } from './files/list.js';
import { deleteTool, moveTool } from './files/move.js';
import { readTool } from './files/read.js';
import { findTool, grepTool } from './files/search.js';
import { writeTool } from './files/write.js';
import { runTool } from './run.js';

/** In the order in which models see them. */
const MAKERS: Readonly<Record<string, (context: WorkspaceContext) => CodeTool>> = {
  read: readTool,
  list: listTool,
  find: findTool,
  grep: grepTool,
  edit: editTool,
  write: writeTool,
  move: moveTool,
  delete: deleteTool,
  fetch: fetchTool,
  compute: computeTool,
  run: runTool,
};

/** They speak to the outside: on only where they are named. */
const OFF_UNLESS_NAMED: readonly string[] = ['fetch'];

export interface ToolChoice {
  /** Names of tools that are off otherwise, each text one or several: `fetch,run`. */
  with?: readonly string[];
  without?: readonly string[];
}

/** @throws SteersmanError for a name that is no tool. */
export function workspaceTools(context: WorkspaceContext, choice: ToolChoice = {}): CodeTool[] {
  const names = chosenNames(choice);
  return Object.entries(MAKERS).flatMap(([name, make]) =>
    names.includes(name) ? [checked(make(context))] : [],
  );
}

/** The schema says all that a call may have, so that nobody is asked about one that can't run; and holds whoever calls. */
function checked(tool: CodeTool): CodeTool {
  const inputSchema = { ...tool.inputSchema, additionalProperties: false };
  const taking = { name: tool.name, inputSchema };
  const run: CodeTool['run'] = (args, context) => {
    const { input: given } = asTaken({ name: tool.name, input: isRecord(args) ? args : {} }, [taking]);
    const faults = validateArguments(inputSchema, given);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return tool.run(given, context);
  };
  return { ...tool, inputSchema, run };
}

function chosenNames(choice: ToolChoice): string[] {
  const [more, without] = [namesOf(choice.with), namesOf(choice.without)];
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
  try {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [folder = '.', ...others] = positionals;
    if (others.length > 0) throw new Error(`it serves one folder, not also ${others.join(', ')}`);
    return { folder, choice: values };
  } catch (error) {
    const form = 'It takes [folder] [--with name,…] [--without name,…].';
    throw new SteersmanError(`steersman tools: ${errorText(error)}`, form, 'usage');
  }
}

function namesOf(given: readonly string[] = []): string[] {
  return given.flatMap(text => text.split(',')).filter(name => name !== '');
}

/** For whoever serves `steersman tools` in its own process. @throws SteersmanError for arguments that it does not take. */
export function toolsOf({ home, ...context }: Omit<WorkspaceContext, 'workspace'> = {}): ToolsHere {
  return (args, at) => {
    const { folder, choice } = parseToolsArgs(args);
    const root = at(folder);
    const tools = workspaceTools(
      { ...context, workspace: root, ...(home && { home: realOf(home) }) },
      choice,
    );
    return { tools, root, choice };
  };
}

/** As it is where it is not there yet: what is made there later is no link. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
