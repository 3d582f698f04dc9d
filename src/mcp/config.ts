/** `.mcp.json`: the tool servers, in the form that MCP clients share. Read from the project or `--config`. */

import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readText } from '../config/files.js';
import { errorText } from '../core/text/error-text.js';
import { SteersmanError } from '../shared/errors.js';

const MCP_CONFIG_FILE = '.mcp.json';

interface ServerConfigBase {
  name: string;
  startTimeoutMs: number;
  /** What its calls open lives in its session: each run has one of its own (`sessions.ts`). */
  stateful?: true;
}

/** A server that this worker starts and talks to over stdin and stdout. Texts are not expanded yet. */
export interface StdioServerConfig extends ServerConfigBase {
  type: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Default: the folder of the file. */
  cwd?: string;
}

/** A server reached over streamable HTTP. Texts are not expanded yet. */
export interface HttpServerConfig extends ServerConfigBase {
  type: 'http';
  url: string;
  headers: Record<string, string>;
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig;

export interface McpConfig {
  /** Absolute path of the file, whether it exists or not. */
  file: string;
  /** Absolute folder of the file: relative commands and folders start here. */
  dir: string;
  /** Enabled servers, in the order of the file (T1). */
  servers: McpServerConfig[];
  /** What was ignored: unknown keys. */
  warnings: string[];
}

/** How long a server may take to start and greet: `npx` may have to fetch it first. */
const DEFAULT_START_TIMEOUT_MS = 30_000;

const texts = z.record(z.string(), z.string());
const switches = {
  enabled: z.boolean().optional(),
  disabled: z.boolean().optional(),
  startTimeoutMs: z.int().min(100).max(600_000).default(DEFAULT_START_TIMEOUT_MS),
  stateful: z.boolean().optional(),
};
const stdioSchema = z.object({
  ...switches,
  type: z.literal('stdio').optional(),
  command: z.string().min(1, 'must not be empty'),
  args: z.array(z.string()).optional(),
  env: texts.optional(),
  cwd: z.string().optional(),
});
const httpSchema = z.object({
  ...switches,
  type: z.enum(['http', 'streamable-http']).optional(),
  url: z.string().min(1, 'must not be empty'),
  headers: texts.optional(),
});
const fileSchema = z.object({ mcpServers: z.record(z.string().min(1), z.record(z.string(), z.unknown())) });

/** Tool servers as `mcpServers` of `.mcp.json` has them. */
export type McpServersInCode = Readonly<
  Record<string, z.input<typeof stdioSchema> | z.input<typeof httpSchema>>
>;

const EXAMPLE =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own placeholder.
  '{ "mcpServers": { "files": { "command": "mcp-server-filesystem", "args": ["${workspace}"] } } }';

/**
 * Reads `.mcp.json` in `dir`; a missing file, or no folder (null), means no servers. Those given in
 * code come after them, each in place of the one of its name.
 * @throws SteersmanError naming the file and the line (bad JSON) or the key (bad value).
 */
export function loadMcpConfig(dir: string | null, inCode: McpServersInCode = {}): McpConfig {
  const root = resolve(dir ?? '.');
  const file = join(root, MCP_CONFIG_FILE);
  const text = dir === null ? null : readText(file);
  const inFile = text === null ? { servers: [], warnings: [] } : parseMcpConfig(text, file);
  const given = parseMcpConfig(JSON.stringify({ mcpServers: inCode }), 'mcpServers (in code)');
  const others = inFile.servers.filter(({ name }) => !Object.hasOwn(inCode, name));
  return {
    file,
    dir: root,
    servers: [...others, ...given.servers],
    warnings: [...inFile.warnings, ...given.warnings],
  };
}

/** Checks the text of a `.mcp.json`; `file` is for messages only. */
export function parseMcpConfig(text: string, file: string): Pick<McpConfig, 'servers' | 'warnings'> {
  const parsed = fileSchema.safeParse(parseJson(text, file));
  if (!parsed.success) throw badKey(file, [], parsed.error);
  const servers: McpServerConfig[] = [];
  const warnings: string[] = [];
  for (const [name, raw] of Object.entries(parsed.data.mcpServers)) {
    const { server, enabled, known } = parseServer(name, raw, file);
    for (const key of Object.keys(raw).filter(key => !known.includes(key))) {
      warnings.push(`${file}: mcpServers.${name}.${key} is not a known key and is ignored.`);
    }
    if (enabled) servers.push(server);
  }
  return { servers, warnings };
}

function parseServer(name: string, raw: Record<string, unknown>, file: string) {
  const path = ['mcpServers', name];
  const kind = raw.type ?? (raw.url !== undefined && raw.command === undefined ? 'http' : 'stdio');
  if (kind === 'stdio') {
    const result = stdioSchema.safeParse(raw);
    if (!result.success) throw badKey(file, path, result.error);
    const { command, args = [], env = {}, cwd, startTimeoutMs } = result.data;
    const server: McpServerConfig = {
      type: 'stdio',
      name,
      command,
      args,
      env,
      startTimeoutMs,
      ...(result.data.stateful && { stateful: true }),
      ...(cwd === undefined ? {} : { cwd }),
    };
    return { server, enabled: isEnabled(result.data), known: Object.keys(stdioSchema.shape) };
  }
  if (kind === 'http' || kind === 'streamable-http') {
    const result = httpSchema.safeParse(raw);
    if (!result.success) throw badKey(file, path, result.error);
    const { url, headers = {}, startTimeoutMs } = result.data;
    const server: McpServerConfig = {
      type: 'http',
      name,
      url,
      headers,
      startTimeoutMs,
      ...(result.data.stateful && { stateful: true }),
    };
    return { server, enabled: isEnabled(result.data), known: Object.keys(httpSchema.shape) };
  }
  throw new SteersmanError(
    `${file}: mcpServers.${name}.type is ${JSON.stringify(kind)}, which is not supported.`,
    'Use "stdio" (the default, with "command") or "http" (with "url").',
  );
}

/** `enabled ?? true`; `disabled`, which some clients write, counts where `enabled` is absent. */
function isEnabled(server: { enabled?: boolean | undefined; disabled?: boolean | undefined }): boolean {
  return server.enabled ?? !(server.disabled ?? false);
}

function parseJson(text: string, file: string): unknown {
  // Editors on Windows put a byte order mark before the first brace.
  const source = text.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(source);
  } catch (error) {
    const reason = errorText(error);
    throw new SteersmanError(
      `${file}, line ${lineOf(source, reason)}: not valid JSON (${describeSyntax(reason)}).`,
      'Mend the JSON: keys and texts in double quotes, no comments, no comma after the last entry.',
    );
  }
}

/** Characters of the text that `JSON.parse` quotes before a fault. */
const QUOTED_BEFORE = 10;

/** `JSON.parse` names the position, or quotes the text around it; where it does neither, the text ended too early. */
function lineOf(source: string, reason: string): number {
  const position = /at position (\d+)/.exec(reason)?.[1];
  const quoted = /, (?:\.\.\.)?"(.*)"(?:\.\.\.)? is not valid JSON/s.exec(reason)?.[1];
  let end = source.trimEnd().length;
  if (position !== undefined) end = Math.min(Number(position), end);
  else if (quoted !== undefined) end = source.indexOf(quoted) + QUOTED_BEFORE;
  return source.slice(0, end).split('\n').length;
}

/** What was not expected, without the quoted text, in which a secret may stand. */
function describeSyntax(reason: string): string {
  return reason
    .replace(/, (\.\.\.)?".*/s, '')
    .replace(/ in JSON at position.*/s, '')
    .replace(/ at position.*/s, '');
}

function badKey(file: string, base: string[], error: z.ZodError): SteersmanError {
  const issue = error.issues[0];
  const path = [...base, ...(issue?.path ?? []).map(String)];
  const key = path.length === 0 ? 'the file' : path.join('.');
  return new SteersmanError(`${file}: ${key}: ${issue?.message ?? 'not valid'}.`, `The form is ${EXAMPLE}.`);
}
