/** Tools in files of the configuration folder: `tools/*.mjs` and `tools/*.js`, and TypeScript where Node takes it. They run in the worker's process. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TOOL_FILES, toolFilesOf } from '../config/config-dir.js';
import { errorText } from '../core/error-text.js';
import { isRecord } from '../core/json.js';
import { SteersmanError } from '../shared/errors.js';
import { CODE_TOOL_KEYS, type CodeTool, checkToolKeys, defineTool, type ToolOptions } from './code-tools.js';

/**
 * Runs the files, and gives the tools that they export: what `defineTool` made, or what it takes.
 * @throws SteersmanError for a file that does not run, or exports no tool, or one with a key that means nothing.
 */
export async function loadToolFiles(configDir: string): Promise<CodeTool[]> {
  const files = toolFilesOf(configDir).map(name => join(configDir, TOOL_FILES, name));
  return (await Promise.all(files.map(toolsIn))).flat();
}

async function toolsIn(file: string): Promise<CodeTool[]> {
  const exported = await exportsOf(file);
  const tools = exported.flatMap(value =>
    isToolOptions(value)
      ? [isCodeTool(value) ? checkToolKeys(value, CODE_TOOL_KEYS) : defineTool(value)]
      : [],
  );
  if (tools.length > 0) return tools;
  throw new SteersmanError(
    `${file} exports no tool.`,
    'Export { name, description, input, run }, or what defineTool makes of it; what tools share belongs into a folder below.',
  );
}

async function exportsOf(file: string): Promise<unknown[]> {
  try {
    const loaded: Record<string, unknown> = await import(pathToFileURL(file).href);
    return Object.values(loaded).flat();
  } catch (error) {
    const isTyped = isRecord(error) && error.code === 'ERR_UNKNOWN_FILE_EXTENSION';
    throw new SteersmanError(
      `${file} does not run: ${errorText(error)}`,
      isTyped
        ? 'This Node runs no TypeScript: compile the file to .mjs beside it, or use Node 22.18 or later.'
        : 'Correct it, or take it out of tools/.',
    );
  }
}

function isToolOptions(value: unknown): value is ToolOptions<Record<string, unknown>> {
  return (
    isRecord(value) &&
    typeof value.name === 'string' &&
    typeof value.description === 'string' &&
    typeof value.run === 'function'
  );
}

function isCodeTool(value: object): value is CodeTool {
  return 'inputSchema' in value;
}
