/** `.mcp.json` lists the tool servers, in the form that MCP clients share. It is read from the project or from `--config`. */

import { join, resolve } from 'node:path';
import { z } from 'zod';
import { errorText } from '../../base/text/error-text.js';
import { readText } from '../../config/files/files.js';
import { SteersmanError } from '../../shared/process/errors.js';

const MCP_CONFIG_FILE = '.mcp.json';

export interface McpConfig {
  /** Absolute path of the file, whether it exists or not. */
  file: string;
  /** Absolute folder of the file; relative commands and folders are resolved from it. */
  dir: string;
  /** Enabled servers, in the order of the file (T1). */
  servers: McpServerConfig[];
  warnings: string[];
}

/** How long a server may take to start and answer the handshake: `npx` may have to download it first. */
const DEFAULT_START_TIMEOUT_MS = 30_000;

const texts = z.record(z.string(), z.string());
const common = {
  enabled: z.boolean().optional(),
  disabled: z.boolean().optional(),
  startTimeoutMs: z.int().min(100).max(600_000).default(DEFAULT_START_TIMEOUT_MS),
  // Calls leave state in the server's session, so each run has its own session (`sessions.ts`).
  stateful: z.boolean().optional(),
};
const stdioSchema = z.object({
  ...common,
  type: z.literal('stdio').default('stdio'),
  command: z.string().min(1, 'must not be empty'),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  // Default: the folder of the file.
  cwd: z.string().optional(),
});
const httpSchema = z.object({
  ...common,
  type: z
    .enum(['http', 'streamable-http'])
    .default('http')
    .transform(() => 'http' as const),
  url: z.string().min(1, 'must not be empty'),
  headers: texts.default({}),
});
const fileSchema = z.object({ mcpServers: z.record(z.string().min(1), z.record(z.string(), z.unknown())) });

/** A server that this worker starts and talks to over stdin and stdout. `${…}` is not expanded yet. */
export type StdioServerConfig = { name: string } & z.output<typeof stdioSchema>;
/** A server reached over streamable HTTP. `${…}` is not expanded yet. */
export type HttpServerConfig = { name: string } & z.output<typeof httpSchema>;
export type McpServerConfig = StdioServerConfig | HttpServerConfig;

/** Tool servers in the form of `mcpServers` in `.mcp.json`. */
export type McpServersInCode = Readonly<
  Record<string, z.input<typeof stdioSchema> | z.input<typeof httpSchema>>
>;

const EXAMPLE =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own placeholder.
  '{ "mcpServers": { "workspace": { "command": "steersman", "args": ["tools", "${workspace}"] } } }';

/**
 * Reads `.mcp.json` in `dir`; a missing file, or no folder (null), means no servers. Servers in code come after those
 * of the file, and replace those of the same name.
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

export function parseMcpConfig(text: string, file: string): Pick<McpConfig, 'servers' | 'warnings'> {
  const parsed = fileSchema.safeParse(parseJson(text, file));
  if (!parsed.success) throw badKey(file, [], parsed.error);
  const servers: McpServerConfig[] = [];
  const warnings: string[] = [];
  for (const [name, raw] of Object.entries(parsed.data.mcpServers)) {
    const schema = schemaOf(name, raw, file);
    const { success, data: server, error } = schema.safeParse(raw);
    if (!success) throw badKey(file, ['mcpServers', name], error);
    for (const key of Object.keys(raw).filter(key => !(key in schema.shape))) {
      warnings.push(`${file}: mcpServers.${name}.${key} is not a known key and is ignored.`);
    }
    // `disabled`, which some clients write, applies if `enabled` is absent.
    if (server.enabled ?? !server.disabled) servers.push({ name, ...server });
  }
  return { servers, warnings };
}

function schemaOf(name: string, raw: Record<string, unknown>, file: string) {
  const kind = raw.type ?? (raw.url !== undefined && raw.command === undefined ? 'http' : 'stdio');
  if (kind === 'stdio') return stdioSchema;
  if (kind === 'http' || kind === 'streamable-http') return httpSchema;
  throw new SteersmanError(
    `${file}: mcpServers.${name}.type is ${JSON.stringify(kind)}, which is not supported.`,
    'Use "stdio" (the default, with "command") or "http" (with "url").',
  );
}

function parseJson(text: string, file: string): unknown {
  // Editors on Windows put a byte order mark before the first brace.
  const source = text.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(source);
  } catch (error) {
    const reason = errorText(error);
    // The quoted text is removed, because it may contain a secret.
    const what = reason.replace(/, (\.\.\.)?".*/s, '').replace(/( in JSON)? at position.*/s, '');
    throw new SteersmanError(
      `${file}, line ${lineOf(source, reason)}: not valid JSON (${what}).`,
      'Mend the JSON: keys and texts in double quotes, no comments, no comma after the last entry.',
    );
  }
}

/** Characters of the text that `JSON.parse` quotes before a fault. */
const QUOTED_BEFORE = 10;

/** `JSON.parse` states the position or quotes the text around it. If it does neither, the text ended too early. */
function lineOf(source: string, reason: string): number {
  const position = /at position (\d+)/.exec(reason)?.[1];
  const quoted = /, (?:\.\.\.)?"(.*)"(?:\.\.\.)? is not valid JSON/s.exec(reason)?.[1];
  let end = source.trimEnd().length;
  if (position !== undefined) end = Math.min(Number(position), end);
  else if (quoted !== undefined) end = source.indexOf(quoted) + QUOTED_BEFORE;
  return source.slice(0, end).split('\n').length;
}

function badKey(file: string, base: string[], error: z.ZodError): SteersmanError {
  const issue = error.issues[0];
  const path = [...base, ...(issue?.path ?? []).map(String)];
  const key = path.length === 0 ? 'the file' : path.join('.');
  return new SteersmanError(`${file}: ${key}: ${issue?.message ?? 'not valid'}.`, `The form is ${EXAMPLE}.`);
}
