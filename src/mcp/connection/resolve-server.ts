/** Turns an entry of `.mcp.json` into a server that can be started: expands `${…}` and resolves paths. */

import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decoded } from '../../base/text/decoded.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { builtScript } from '../../shared/process/package.js';
import { CODE_SERVER, type CodeTool } from '../tools/code-tools.js';
import type { HttpServerConfig, McpConfig, McpServerConfig, StdioServerConfig } from './config.js';

interface ResolvedBase {
  name: string;
  /** Key for sharing connections: equal for the same server with the same settings. */
  key: string;
  /** The server's name in messages: the command or address as written, without values of variables. */
  label: string;
  startTimeoutMs: number;
  /** Replaces every value that came from a variable, `env` or `headers` by `***`. */
  redact(text: string): string;
}

export interface ResolvedStdioServer
  extends ResolvedBase,
    Pick<StdioServerConfig, 'type' | 'command' | 'args' | 'env'> {
  cwd: string;
}

export interface ResolvedHttpServer
  extends ResolvedBase,
    Pick<HttpServerConfig, 'type' | 'url' | 'headers'> {}

export interface ResolvedCodeServer extends ResolvedBase {
  type: 'code';
  tools: readonly CodeTool[];
  workspace: string;
}

export type ResolvedServer = ResolvedStdioServer | ResolvedHttpServer | ResolvedCodeServer;

export interface ResolveOptions {
  workspace: string;
  lookup: (name: string) => string | undefined;
  /** Creates the tools of `steersman tools …`, to serve them in this process. Default: it is a command like any other. */
  toolsHere?: ToolsHere;
}

/**
 * Returns the tools that `steersman tools` serves with these arguments, their root folder, and other settings that
 * distinguish them. `at` returns the real path of a folder.
 */
export type ToolsHere = (
  args: readonly string[],
  at: (folder: string) => string,
) => { tools: CodeTool[]; root: string; choice: object };

/** Shorter values are not masked in messages, because they would hide ordinary words. */
const MIN_SECRET_CHARS = 6;

/** Matches `${workspace}`, `${VAR}` and `${VAR:-default}`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Expands the settings of one server.
 * @throws SteersmanError for a variable that is not set and has no default, and for an invalid address.
 */
export function resolveServer(
  server: McpServerConfig,
  { file, dir }: McpConfig,
  { workspace, lookup, toolsHere }: ResolveOptions,
): ResolvedServer {
  const { name, startTimeoutMs } = server;
  const secrets = new Set<string>();
  // Values are never expanded again.
  const expand = (text: string, key: string) =>
    text.replace(VARIABLE, (_match, variable: string, fallback: string | undefined) => {
      if (variable === 'workspace') return workspace;
      const value = lookup(variable);
      if (value !== undefined) secrets.add(value);
      const filled = value ?? fallback;
      if (filled !== undefined) return filled;
      throw new SteersmanError(
        `${file}: mcpServers.${name}.${key} needs the environment variable ${variable}, which is not set.`,
        `Set ${variable} (in the environment or .env), give a default as \${${variable}:-value}, or set "enabled": false for ${name}.`,
      );
    });
  if (toolsHere && server.type === 'stdio' && isOwnTools(server, dir)) {
    const expanded = server.args.map((arg, i) => expand(arg, `args.${i}`));
    const given = expanded.slice(server.args.indexOf(TOOLS) + 1);
    const at = (folder: string) => realFolder(resolve(dir, folder), `${file}: mcpServers.${name}`);
    const { tools, root, choice } = toolsHere(given, at);
    const key = keyOf(name, { root, choice });
    return { ...codeServer(tools, root), name, startTimeoutMs, key, label: labelOf(server) };
  }
  const resolved =
    server.type === 'stdio' ? resolveStdio(server, dir, expand) : resolveHttp(server, file, expand);
  const given =
    resolved.type === 'stdio'
      ? Object.values(resolved.env)
      : [...Object.values(resolved.headers).flatMap(withoutScheme), ...secretsOfUrl(resolved.url)];
  for (const value of given) secrets.add(value);
  const key = keyOf(name, resolved);
  return { ...resolved, name, startTimeoutMs, key, label: labelOf(server), redact: redactor(secrets) };
}

function realFolder(folder: string, whose: string): string {
  try {
    return realpathSync(`${folder}/.`);
  } catch {
    throw new SteersmanError(`${whose}: ${folder} is not a folder.`, 'Name an existing folder.');
  }
}

const TOOLS = 'tools';
const OWN_COMMANDS: readonly string[] = [
  'steersman',
  'npx steersman',
  'npx -y steersman',
  'npx --yes steersman',
];

/**
 * True for `steersman tools …`, also with `npx`, or by the path of this very package's command. This process serves
 * them itself: no command is looked up on PATH or started, so no other program can pass for them.
 */
export function isOwnTools(server: McpServerConfig, dir: string): boolean {
  if (server.type !== 'stdio') return false;
  const words = [server.command, ...server.args];
  const program = words.slice(0, words.indexOf(TOOLS, 1));
  if (program.length === 1 && program[0] === 'steersman') return words[1] === TOOLS;
  // Where a folder or variables are set, it may mean another folder or program.
  if (server.cwd !== undefined || Object.keys(server.env).length > 0 || !words.includes(TOOLS, 1))
    return false;
  return OWN_COMMANDS.includes(program.join(' ')) || isOwnScript(program, dir);
}

/** True for `node PATH`, or a path alone, that leads to the command of this package. */
function isOwnScript(program: readonly string[], dir: string): boolean {
  const [script = '', ...more] = program[0] === 'node' ? program.slice(1) : program;
  if (more.length > 0 || (program.length === 1 && !/[\\/]/.test(script))) return false;
  try {
    return realpathSync(resolve(dir, script)) === realpathSync(builtScript('cli.js'));
  } catch {
    return false;
  }
}

/** Returns the server of the tools in code. There is one per workspace, because tools learn their workspace from it. */
export function codeServer(tools: readonly CodeTool[], workspace: string): ResolvedCodeServer {
  return {
    type: 'code',
    name: CODE_SERVER,
    key: keyOf(CODE_SERVER, { workspace }),
    label: 'tools in code',
    startTimeoutMs: CODE_START_TIMEOUT_MS,
    redact: text => text,
    tools,
    workspace,
  };
}

/** The server is in this process, so no process is started. */
const CODE_START_TIMEOUT_MS = 10_000;

type Expand = (text: string, key: string) => string;

function resolveStdio(server: StdioServerConfig, dir: string, expand: Expand) {
  return {
    type: 'stdio' as const,
    command: findCommand(expand(server.command, 'command'), dir),
    args: server.args.map((arg, i) => expand(arg, `args.${i}`)),
    env: expandAll(server.env, 'env', expand),
    cwd: resolve(dir, server.cwd === undefined ? '.' : expand(server.cwd, 'cwd')),
  };
}

function resolveHttp(server: HttpServerConfig, file: string, expand: Expand) {
  const url = expand(server.url, 'url');
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new SteersmanError(
      `${file}: mcpServers.${server.name}.url is not an http or https address.`,
      'Write it in full, such as "http://127.0.0.1:3001/mcp".',
    );
  }
  return { type: 'http' as const, url, headers: expandAll(server.headers, 'headers', expand) };
}

function expandAll(values: Record<string, string>, key: string, expand: Expand): Record<string, string> {
  const filled = Object.entries(values).map(([name, value]) => [name, expand(value, `${key}.${name}`)]);
  return Object.fromEntries(filled);
}

/**
 * Searches for a plain name in `node_modules/.bin` of the configuration folder, of this package and of the folders
 * above them, then on PATH. Packaged servers thus start without a package runner or network access.
 */
function findCommand(command: string, dir: string): string {
  if (isAbsolute(command)) return command;
  if (/[\\/]/.test(command)) return resolve(dir, command);
  for (const start of [dir, dirname(fileURLToPath(import.meta.url))]) {
    for (let folder = start; ; folder = dirname(folder)) {
      const candidate = join(folder, 'node_modules', '.bin', command);
      if (existsSync(candidate)) return candidate;
      if (dirname(folder) === folder) break;
    }
  }
  return command;
}

function keyOf(name: string, resolved: object): string {
  return createHash('sha256')
    .update(JSON.stringify([name, resolved]))
    .digest('hex');
}

function labelOf(server: McpServerConfig): string {
  if (server.type === 'stdio') return [server.command, ...server.args].join(' ');
  return server.url.replace(/\?.*$/s, '').replace(/\/\/[^/@]*@/, '//');
}

/** Returns a header's value, with and without a scheme in front, as in `Bearer …`. */
function withoutScheme(header: string): string[] {
  return [header, header.slice(header.lastIndexOf(' ') + 1)];
}

/** Returns the credentials in an address: userinfo and query values, encoded and decoded. */
export function secretsOfUrl(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { username, password, search } = new URL(url);
  const query = search.split(/[?&]/).map(pair => pair.slice(pair.indexOf('=') + 1));
  return [username, password, ...query].flatMap(part => [part, decoded(part)]);
}

/** Returns a value as it appears in the path of an address. */
function inAddress(value: string): string[] {
  const url = new URL('http://h');
  url.pathname = value;
  const path = url.pathname.slice(1);
  // A value with `..` would be resolved to another path.
  return decoded(path) === value ? [path] : [];
}

function redactor(secrets: ReadonlySet<string>): (text: string) => string {
  // Sorted by length, so that a value that contains another is masked as a whole.
  const values = [...new Set([...secrets].flatMap(value => [value, ...inAddress(value)]))]
    .filter(value => value.length >= MIN_SECRET_CHARS)
    .sort((a, b) => b.length - a.length);
  return text => values.reduce((out, value) => out.replaceAll(value, '***'), text);
}
