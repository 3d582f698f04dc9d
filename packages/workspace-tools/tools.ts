/** The tools of a workspace, for `steersman tools` and for workers that run them in their own process. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { errorText, isRecord } from 'steersman/base';
import type { CodeTool, ToolsHere } from 'steersman/mcp';
import { asTaken } from 'steersman/rules';
import { realOrSame, SteersmanError, validateArguments } from 'steersman/shared';
import { computeTool } from './compute.js';
import { fetchTool } from './fetch.js';
import type { WorkspaceContext } from './files/context.js';
import { editFault, editTool } from './files/edit.js';
import { listTool } from './files/list.js';
import { deleteTool, moveTool } from './files/move.js';
import { readTool } from './files/read.js';
import { findTool, grepTool } from './files/search.js';
import { writeTool } from './files/write.js';
import { runTool } from './run.js';

/** Tools in the order in which models see them. */
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

/** Tools that connect to the network are off unless they are named. */
const OFF_UNLESS_NAMED: readonly string[] = ['fetch'];

export interface ToolChoice {
  /** Names of tools that are off by default; a text may name several: `fetch,run`. */
  with?: readonly string[];
  without?: readonly string[];
}

/** @throws SteersmanError for an unknown tool. */
export function workspaceTools(context: WorkspaceContext, choice: ToolChoice = {}): CodeTool[] {
  const names = chosenNames(choice);
  return Object.entries(MAKERS).flatMap(([name, make]) =>
    names.includes(name) ? [checked(make(context))] : [],
  );
}

/** Makes the schema closed and validates arguments: a person is never asked about a call that can't run. */
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

/** Parses the arguments of `steersman tools`. @throws SteersmanError for unknown ones. */
export function parseToolsArgs(args: readonly string[]): { folder: string; choice: ToolChoice } {
  const names = { type: 'string', multiple: true } as const;
  const options = { with: names, without: names };
  try {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [folder = '.', ...others] = positionals;
    if (others.length > 0) throw new Error(`it serves one folder only, so ${others.join(', ')} is too much`);
    return { folder, choice: values };
  } catch (error) {
    const form = 'It takes [folder] [--with name,…] [--without name,…].';
    throw new SteersmanError(`steersman tools: ${errorText(error)}`, form, 'usage');
  }
}

function namesOf(given: readonly string[] = []): string[] {
  return given.flatMap(text => text.split(',')).filter(name => name !== '');
}

/** Returns tools for servers that run `steersman tools` in-process. @throws SteersmanError for unknown arguments. */
export function toolsOf({ home, ...context }: Omit<WorkspaceContext, 'workspace'> = {}): ToolsHere {
  return (args, at) => {
    const { folder, choice } = parseToolsArgs(args);
    const root = at(folder);
    const tools = workspaceTools(
      { ...context, workspace: root, ...(home && { home: realOrSame(resolve(home)) }) },
      choice,
    );
    return { tools, root, choice };
  };
}

/** Returns why a call of `edit` can't be applied; null if it can. Nothing is changed. `workspace`: its real path. */
export function dryEdit(
  { home, ...context }: WorkspaceContext,
  args: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  return editFault({ ...context, ...(home && { home: realOrSame(resolve(home)) }) }, args);
}
