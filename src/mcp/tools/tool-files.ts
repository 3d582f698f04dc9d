/** Tools in the configuration folder: `tools/*.mjs`, `tools/*.js`, and TypeScript if Node supports it. The worker runs them. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isRecord } from '../../base/json/json.js';
import { errorText } from '../../base/text/error-text.js';
import { TOOL_FILES, toolFilesOf } from '../../config/files/config-dir.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { CODE_TOOL_KEYS, type CodeTool, checkToolKeys, defineTool, type ToolOptions } from './code-tools.js';

/**
 * Runs the files and returns the tools that they export: results of `defineTool`, or its options.
 * @throws SteersmanError for a file that does not run or exports no tool, and for a tool with an unknown key.
 */
export async function loadToolFiles(configDir: string): Promise<CodeTool[]> {
  const files = toolFilesOf(configDir).map(name => join(configDir, TOOL_FILES, name));
  return (await Promise.all(files.map(toolsIn))).flat();
}

async function toolsIn(file: string): Promise<CodeTool[]> {
  const tools = (await exportsOf(file)).filter(hasRun).map(value => {
    const tool = checkTexts(file, value);
    return isCodeTool(tool) ? checkToolKeys(tool, CODE_TOOL_KEYS) : defineTool(tool);
  });
  if (tools.length > 0) return tools;
  throw new SteersmanError(
    `${file} exports no tool.`,
    'Export { name, description, input, run }, or the result of defineTool. Code that tools share belongs in a folder below.',
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
        ? 'This version of Node.js cannot run TypeScript: compile the file to .mjs next to it, or use 22.18 or later.'
        : file.endsWith('.js') && error instanceof SyntaxError
          ? 'Correct it. If the nearest package.json has "type": "commonjs", a file with import or export must end in .mjs.'
          : 'Correct it, or take it out of tools/.',
    );
  }
}

type Options = ToolOptions<Record<string, unknown>>;

function hasRun(value: unknown): value is Pick<Options, 'run'> {
  return isRecord(value) && typeof value.run === 'function';
}

/** @throws SteersmanError for a tool without name or description; skipping it would hide a misspelt key. */
function checkTexts(file: string, value: Pick<Options, 'run'> & Partial<Options>): Options {
  if (hasTexts(value)) return value;
  const lacks = typeof value.name === 'string' ? 'description' : 'name';
  throw new SteersmanError(
    `${file}: a tool lacks ${lacks}: it has ${Object.keys(value).join(', ')}.`,
    'Export { name, description, input, run }; move other exports to a folder below, or give them no run.',
  );
}

function hasTexts(value: Pick<Options, 'run'> & Partial<Options>): value is Options {
  return typeof value.name === 'string' && typeof value.description === 'string';
}

function isCodeTool(value: object): value is CodeTool {
  return 'inputSchema' in value;
}
