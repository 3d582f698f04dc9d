/** A project for tests: a configuration folder and a workspace. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

export interface ProjectFiles {
  /** Files of the configuration folder, over those of the project. */
  config?: Record<string, string>;
  /** Files of the workspace. */
  workspace?: Record<string, string>;
}

export interface TestProject {
  dir: string;
  configDir: string;
  workspace: string;
}

/** The shipped agent `search` with tools that write, as a file of the configuration. */
export function writingSearch(): Record<string, string> {
  const file = 'prompts/core/search.md';
  return {
    [file]: readFileSync(join(projectRoot, file), 'utf8').replace('readOnly: true\n', 'readOnly: false\n'),
  };
}

/** A server that is a process of its own, and nobody's code here: what most tests are about. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const ARGS = ['${workspace}'];
const FILE_SERVER = JSON.stringify({
  mcpServers: { filesystem: { command: 'mcp-server-filesystem', args: ARGS } },
});

/** The tool servers that the package ships. */
export function shippedServers(): Record<string, string> {
  return { '.mcp.json': readFileSync(join(projectRoot, '.mcp.json'), 'utf8') };
}

/** A configuration folder and a workspace in a temporary folder. */
export function makeProject(files: ProjectFiles = {}): TestProject {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-test-'));
  const configDir = join(dir, 'config');
  const workspace = join(dir, 'workspace');
  mkdirSync(configDir);
  mkdirSync(workspace);
  cpSync(join(projectRoot, 'prompts'), join(configDir, 'prompts'), { recursive: true });
  const shipped = readFileSync(join(projectRoot, 'steersman.yaml'), 'utf8');
  writeFileSync(join(configDir, 'steersman.yaml'), shipped.replace('  # default: ', '  default: '));
  writeFileSync(join(configDir, '.mcp.json'), FILE_SERVER);
  writeFiles(configDir, files.config);
  serveOnly(configDir, workspace);
  writeFiles(workspace, files.workspace);
  return { dir, configDir, workspace };
}

function writeFiles(dir: string, files: Record<string, string> = {}): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
}

/** What a worker that is not the local stack's needs: the folder that it serves. */
function serveOnly(configDir: string, workspace: string): void {
  const file = join(configDir, 'steersman.yaml');
  const text = readFileSync(file, 'utf8');
  if (!/^workspaces:/m.test(text))
    writeFileSync(file, `${text}\nworkspaces: [${JSON.stringify(workspace)}]\n`);
}
