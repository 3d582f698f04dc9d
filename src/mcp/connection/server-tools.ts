/** The tools that a server lists, and ours that stand for its resources. */
import type { ServerCapabilities } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { resourceToolsBeside } from '../resource-tools.js';
import { type ListedTool, listAll, type listPageSchema } from './tool-list.js';

interface ListedServer {
  name: string;
  /** As greeted. */
  capabilities(): ServerCapabilities | undefined;
  /** Over HTTP the channel for notifications may be down unnoticed. */
  hearsChanges: boolean;
  askFor(params: { cursor?: string }, withinMs: number): Promise<z.infer<typeof listPageSchema>>;
  /** It has a resource, or a template of some; many say that they can have resources, and have none. */
  hasResources(): Promise<boolean>;
}

export class ServerTools {
  readonly #server: ListedServer;
  #tools: ListedTool[] | null = null;
  /** Names of ours; null before they are listed. */
  #own: ReadonlySet<string> | null = null;
  #epoch = 0;
  /** When the server last said that its tools changed, milliseconds since the epoch. */
  changedAt: number | null = null;
  /** Entries of the last list that are left out. */
  unreadable = 0;

  constructor(server: ListedServer) {
    this.#server = server;
  }

  /** The server says that they changed. */
  changed(): void {
    this.#epoch += 1;
    this.changedAt = Date.now();
    this.#tools = null;
  }

  /** All of them, every page. Kept until the server says that they changed, if it can say so. */
  async list(): Promise<ListedTool[]> {
    const { hearsChanges, capabilities } = this.#server;
    if (this.#tools && hearsChanges && capabilities()?.tools?.listChanged === true) return this.#tools;
    const epoch = this.#epoch;
    const tools = await this.#listAll();
    this.#tools = epoch === this.#epoch ? tools : null;
    return tools;
  }

  /** A tool as last listed; one that was not there is looked for anew. Undefined for one that the server does not list. */
  async find(tool: string): Promise<ListedTool | undefined> {
    const known = this.#tools?.find(({ name }) => name === tool);
    return known ?? (await this.list()).find(({ name }) => name === tool);
  }

  /** Whether it is one of ours for the server's resources, as last listed. */
  async isForResources(tool: string): Promise<boolean> {
    if (this.#own === null && this.#server.capabilities()?.resources) await this.list();
    return this.#own?.has(tool) === true;
  }

  async #listAll(): Promise<ListedTool[]> {
    const { tools: hasTools, resources: mayHaveResources } = this.#server.capabilities() ?? {};
    const none = { tools: [], unreadable: 0 };
    const [{ tools, unreadable }, hasResources] = await Promise.all([
      hasTools ? listAll(this.#server.name, this.#server.askFor) : none,
      mayHaveResources !== undefined && this.#server.hasResources(),
    ]);
    this.unreadable = unreadable;
    // A run that was offered them may call them when there are none any more.
    const own = mayHaveResources ? resourceToolsBeside(tools) : [];
    this.#own = new Set(own.map(({ name }) => name));
    return hasResources ? [...tools, ...own] : tools;
  }
}
