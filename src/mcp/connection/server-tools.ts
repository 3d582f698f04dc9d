/** The tools that a server lists, from every page, and our tools for its resources. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ServerCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isRecord, MAX_JSON_DEPTH, nestsDeeper } from '../../base/json/json.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { Requests } from './requests.js';
import type { ResolvedServer } from './resolve-server.js';
import { hasResources, resourceToolsBeside } from './resource-tools.js';

export class ServerTools {
  readonly #server: ResolvedServer;
  readonly #client: Client;
  readonly #requests: Requests;
  #tools: ListedTool[] | null = null;
  /** Names of our resource tools; null before the first listing. */
  #own: ReadonlySet<string> | null = null;
  #epoch = 0;
  /** When the server last reported that its tools changed, milliseconds since the epoch; null if it never did. */
  changedAt: number | null = null;
  unreadable = 0;

  constructor(server: ResolvedServer, client: Client, requests: Requests) {
    this.#server = server;
    this.#client = client;
    this.#requests = requests;
  }

  changed(): void {
    this.#epoch += 1;
    this.changedAt = Date.now();
    this.#tools = null;
  }

  /** Returns all tools, from every page. The list is cached until the server reports a change, if it can report one. */
  async list(): Promise<ListedTool[]> {
    // Over HTTP the channel for notifications may fail unnoticed.
    const hearsChanges = this.#server.type === 'stdio' && this.#capabilities.tools?.listChanged === true;
    if (this.#tools && hearsChanges) return this.#tools;
    const epoch = this.#epoch;
    const tools = await this.#listAll();
    this.#tools = epoch === this.#epoch ? tools : null;
    return tools;
  }

  /** Returns a tool as last listed; the list is read again if the tool is missing. Undefined if the server does not list it. */
  async find(tool: string): Promise<ListedTool | undefined> {
    const known = this.#tools?.find(({ name }) => name === tool);
    return known ?? (await this.list()).find(({ name }) => name === tool);
  }

  /** True if it is one of our tools for the server's resources, according to the last listing. */
  async isForResources(tool: string): Promise<boolean> {
    if (this.#own === null && this.#capabilities.resources) await this.list();
    return this.#own?.has(tool) === true;
  }

  get #capabilities(): ServerCapabilities {
    return this.#client.getServerCapabilities() ?? {};
  }

  async #listAll(): Promise<ListedTool[]> {
    const { tools: hasTools, resources: mayHaveResources } = this.#capabilities;
    const none = { tools: [], unreadable: 0 };
    const askFor: Parameters<typeof listAll>[1] = (params, timeoutMs) =>
      this.#requests.ask({ method: 'tools/list', params }, listPageSchema, { timeoutMs });
    const [{ tools, unreadable }, hasSome] = await Promise.all([
      hasTools ? listAll(this.#server.name, askFor) : none,
      // Many servers declare resources but have none.
      mayHaveResources !== undefined && hasResources(this.#requests),
    ]);
    this.unreadable = unreadable;
    // Stays set even if no resource is left, because a run that was offered the tools may still call them.
    const own = mayHaveResources ? resourceToolsBeside(tools) : [];
    this.#own = new Set(own.map(({ name }) => name));
    return hasSome ? [...tools, ...own] : tools;
  }
}

const MAX_LIST_PAGES = 200;
/** Limit for all pages, because a starting run waits for the list and must not fail because of one slow server. */
const MAX_LIST_MS = 30_000;
/** Limit for the JSON of all pages; a run accepts far less. */
const MAX_LIST_CHARS = 8_000_000;

/** Validated leniently, so that one invalid tool does not hide the other tools of its server. */
const listedToolSchema = z.looseObject({
  name: z.string().min(1),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().transform(withBounds).optional(),
  annotations: z
    .looseObject({
      readOnlyHint: z.boolean().optional().catch(undefined),
      idempotentHint: z.boolean().optional().catch(undefined),
      destructiveHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  execution: z.looseObject({ taskSupport: z.unknown() }).optional().catch(undefined),
});
const BOUNDS: readonly string[] = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
];

/**
 * Converts bounds that arrived as text back to numbers. A double can't hold the largest 64-bit integer, so it arrives
 * as text; as a bound the nearest double is good enough.
 */
function withBounds(schema: unknown): unknown {
  if (nestsDeeper(schema, MAX_TOOL_DEPTH)) return schema;
  return asBounds(schema);
}

function asBounds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asBounds);
  if (!isRecord(node)) return node;
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    const isBound = BOUNDS.includes(key) && typeof value === 'string' && value !== '';
    return [key, isBound && Number.isFinite(Number(value)) ? Number(value) : asBounds(value)];
  });
  return Object.fromEntries(entries);
}

const listPageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().nullish(),
});
/**
 * Depth of a listed tool: its schema nests two levels for each level of arguments. A deeper one would overflow the stack.
 */
const MAX_TOOL_DEPTH = 4 * MAX_JSON_DEPTH;

export type ListedTool = z.infer<typeof listedToolSchema>;

/** True if the server takes calls of the tool only as tasks of the protocol, which runs do not make. */
export function takesTasksOnly({ execution }: ListedTool): boolean {
  return execution?.taskSupport === 'required';
}

/**
 * Returns the tools of all pages, each name once: some servers repeat a page for ever. `askFor` requests one page within
 * `withinMs` milliseconds. `unreadable` is the number of skipped entries.
 * @throws SteersmanError if the list is too long or takes too long.
 */
export async function listAll(
  server: string,
  askFor: (params: { cursor?: string }, withinMs: number) => Promise<z.infer<typeof listPageSchema>>,
): Promise<{ tools: ListedTool[]; unreadable: number }> {
  const tools = new Map<string, ListedTool>();
  let unreadable = 0;
  let chars = 0;
  const startedAt = performance.now();
  const askInTime = (params: { cursor?: string }) => {
    const leftMs = MAX_LIST_MS - (performance.now() - startedAt);
    if (leftMs <= 0) {
      throw new SteersmanError(
        `Tool server ${server} takes longer than ${MAX_LIST_MS / 1_000} s to list its tools.`,
        `Mend it, or set "enabled": false for ${server}.`,
      );
    }
    return askFor(params, leftMs);
  };
  for await (const result of pagesOf(askInTime, MAX_LIST_PAGES)) {
    const entries = result.tools.flatMap(entry => readEntry(entry) ?? []);
    unreadable += result.tools.length - entries.length;
    chars += JSON.stringify(entries).length;
    if (chars > MAX_LIST_CHARS) {
      throw new SteersmanError(
        `Tool server ${server} lists more than ${MAX_LIST_CHARS / 1_000_000} MB of tools.`,
        `Mend it, or set "enabled": false for ${server}.`,
      );
    }
    for (const entry of entries) if (!tools.has(entry.name)) tools.set(entry.name, entry);
  }
  return { tools: [...tools.values()], unreadable };
}

function readEntry(entry: unknown): ListedTool | null {
  const { success, data } = listedToolSchema.safeParse(entry);
  return success && !nestsDeeper(data, MAX_TOOL_DEPTH) ? data : null;
}

/** Yields the pages of a server's list, in order, until it names no further page; at most `most`. */
export async function* pagesOf<Page extends { nextCursor?: string | null | undefined }>(
  askFor: (params: { cursor?: string }) => Promise<Page>,
  most: number,
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let page = 0; page < most; page++) {
    const answer = await askFor(cursor === undefined ? {} : { cursor });
    yield answer;
    const next = answer.nextCursor ?? undefined;
    if (next === undefined || next === cursor) return;
    cursor = next;
  }
}
