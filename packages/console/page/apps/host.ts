/** The console's side of the protocol with an app (MCP Apps): JSON-RPC whose every message is validated. */
import { isRecord } from 'steersman/base';
import { Rate } from './quota.js';

const PROTOCOL = '2026-01-26';
const LEAST_HEIGHT = 40;
const MOST_HEIGHT = 800;
const MOST_TEXT_CHARS = 8_000;
/** The frame shrinks only after this time without a new size, so that the page below does not jump: see `MOST_GROWTHS`. */
const QUIET_MS = 1_000;
/** After this many links in a row that a person did not open, further ones are refused without asking. */
const MOST_UNOPENED = 3;
const LONGEST_URL = 2_000;
const LONGEST_NAME = 200;
/** Limit for an app's requests that wait for the run, or for a person. */
const MOST_WAITING = 4;
/** Limit for requests each minute: every tool call is an event for all who follow the run. */
const MOST_A_MINUTE = 60;
const MINUTE_MS = 60_000;
/** It grows at once this many times in `GROWTHS_MS`, later after the same time: a gate below ignores clicks while it moves. */
const MOST_GROWTHS = 5;
const GROWTHS_MS = 10_000;

export type Json = Record<string, unknown>;

/** The effects that an app can have. Each is performed by the person or the run. */
export interface HostWorld {
  post(message: Json): void;
  /** Time in milliseconds. */
  now(): number;
  /** Theme, language and similar. */
  context(): Json;
  resize(height: number): void;
  /** The app has initialized, and has received its call. */
  ready(): void;
  /** Calls a tool of the app's own server through the run. */
  callTool(tool: string, args: Json): Promise<Json>;
  /** Asks the person. False: not opened; null: another link is being asked about. */
  openLink(url: string): Promise<boolean | null>;
  /** Shows a text to the person, who may send it. False: the run can't receive it. */
  propose(text: string): boolean;
}

/** The tool call that the app shows, with its arguments and result. */
export interface HostCall {
  uri: string;
  html: string;
  arguments: Json;
  answer: Json;
}

class Refusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const INVALID = -32_602;
const UNKNOWN = -32_601;
const FAILED = -32_000;

export class AppHost {
  readonly #world: HostWorld;
  readonly #call: HostCall;
  readonly #rate = new Rate(MOST_A_MINUTE, MINUTE_MS);
  readonly #growths = new Rate(MOST_GROWTHS, GROWTHS_MS);
  #waiting = 0;
  #unopened = 0;
  #height = 0;
  #resizing: ReturnType<typeof setTimeout> | undefined;
  #hasPage = false;
  #isGreeted = false;
  #isTold = false;
  #onTornDown: (() => void) | null = null;

  constructor(world: HostWorld, call: HostCall) {
    this.#world = world;
    this.#call = call;
  }

  /** Handles a message from the frame, which may be anything. */
  take(data: unknown): void {
    if (!isRecord(data) || data.jsonrpc !== '2.0') return;
    const { id, method } = data;
    const params = isRecord(data.params) ? data.params : {};
    const isId = typeof id === 'string' || typeof id === 'number';
    if (typeof method !== 'string') {
      if (id === TEARDOWN_ID) this.#onTornDown?.();
    } else if (isId) void this.#answer(id, method, params);
    else if (id === undefined) this.#hear(method, params);
  }

  /** Reports a changed theme or language. */
  contextChanged(): void {
    if (this.#isTold) this.#notify('ui/notifications/host-context-changed', this.#world.context());
  }

  /** Lets the app clean up. Resolves when it has; the caller limits the wait. */
  teardown(): Promise<void> {
    if (!this.#isTold) return Promise.resolve();
    return new Promise(resolve => {
      this.#onTornDown = resolve;
      this.#world.post({ jsonrpc: '2.0', id: TEARDOWN_ID, method: 'ui/resource-teardown', params: {} });
    });
  }

  #hear(method: string, params: Json): void {
    if (method === 'ui/notifications/sandbox-proxy-ready') {
      if (this.#hasPage) return;
      this.#hasPage = true;
      this.#notify('ui/notifications/sandbox-resource-ready', { html: this.#call.html });
    } else if (method === 'ui/notifications/initialized') {
      if (!this.#isGreeted || this.#isTold) return;
      this.#isTold = true;
      this.#world.ready();
      this.#notify('ui/notifications/tool-input', { arguments: this.#call.arguments });
      this.#notify('ui/notifications/tool-result', this.#call.answer);
    } else if (method === 'ui/notifications/size-changed') {
      const { height } = params;
      if (typeof height !== 'number' || !Number.isFinite(height)) return;
      this.#resize(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, Math.ceil(height))));
    }
  }

  #resize(height: number): void {
    const set = () => {
      this.#height = height;
      this.#world.resize(height);
    };
    clearTimeout(this.#resizing);
    if (height > this.#height && this.#growths.takes(this.#world.now())) set();
    else if (height !== this.#height) this.#resizing = setTimeout(set, QUIET_MS);
  }

  async #answer(id: string | number, method: string, params: Json): Promise<void> {
    try {
      this.#world.post({ jsonrpc: '2.0', id, result: await this.#resultOf(method, params) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const code = error instanceof Refusal ? error.code : FAILED;
      this.#world.post({ jsonrpc: '2.0', id, error: { code, message } });
    }
  }

  #resultOf(method: string, params: Json): Json | Promise<Json> {
    switch (method) {
      case 'ui/initialize':
        this.#isGreeted = true;
        return this.#greeting();
      case 'ping':
        return {};
      case 'ui/request-display-mode':
        return { mode: 'inline' };
      case 'ui/open-link':
        return this.#bounded(() => this.#open(params));
      case 'ui/message':
        return this.#bounded(async () => (this.#world.propose(textOf(params)) ? {} : { isError: true }));
      case 'tools/call':
        return this.#bounded(() => this.#callTool(params));
      case 'resources/read':
        return this.#read(params);
      default:
        throw new Refusal(UNKNOWN, `This console does not know ${method.slice(0, LONGEST_NAME)}.`);
    }
  }

  #greeting(): Json {
    return {
      protocolVersion: PROTOCOL,
      hostInfo: { name: 'steersman', version: '0.1.0' },
      hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, message: { text: {} } },
      hostContext: this.#world.context(),
    };
  }

  async #open({ url }: Json): Promise<Json> {
    const address = typeof url === 'string' && url.length <= LONGEST_URL ? addressOf(url) : null;
    if (address === null) throw new Refusal(INVALID, 'A link is an address with http or https.');
    if (this.#unopened >= MOST_UNOPENED) return { isError: true };
    const isOpened = await this.#world.openLink(address);
    if (isOpened !== null) this.#unopened = isOpened ? 0 : this.#unopened + 1;
    return isOpened ? {} : { isError: true };
  }

  #callTool({ name, arguments: args = {} }: Json): Promise<Json> {
    if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME || !isRecord(args))
      throw new Refusal(INVALID, 'A call has the name of a tool, and arguments.');
    return this.#world.callTool(name, args);
  }

  /** The app's own page is served here; the run reads other resources of the server, as a tool call. */
  async #read({ uri }: Json): Promise<Json> {
    if (typeof uri !== 'string' || uri.length > LONGEST_URL)
      throw new Refusal(INVALID, 'A resource has an address.');
    const own = { uri, mimeType: 'text/html;profile=mcp-app', text: this.#call.html };
    if (uri === this.#call.uri) return this.#bounded(async () => ({ contents: [own] }));
    const { content } = await this.#bounded(() => this.#world.callTool('read_resource', { uri }));
    const parts = Array.isArray(content) ? content : [];
    return {
      contents: parts.flatMap(part => (isRecord(part) && part.type === 'resource' ? [part.resource] : [])),
    };
  }

  async #bounded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING)
      throw new Refusal(FAILED, `At most ${MOST_WAITING} requests of an app wait at once.`);
    if (!this.#rate.takes(this.#world.now()))
      throw new Refusal(FAILED, `An app makes at most ${MOST_A_MINUTE} requests a minute.`);
    this.#waiting += 1;
    try {
      return await work();
    } finally {
      this.#waiting -= 1;
    }
  }

  #notify(method: string, params: Json): void {
    this.#world.post({ jsonrpc: '2.0', method, params });
  }
}

/** Normalizes an address like browsers, so that a person sees what is opened. A user name could disguise the host: refused. */
function addressOf(text: string): string | null {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return null;
  const { href, username, password } = new URL(text);
  return username === '' && password === '' ? href : null;
}

const TEARDOWN_ID = 'teardown';

/** Returns the text of a message; other content is dropped. */
function textOf({ role, content }: Json): string {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.flatMap(part =>
    isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
  );
  const text = texts.join('\n').trim();
  if (role !== 'user' || text === '')
    throw new Refusal(INVALID, 'A message must be from the user, and have a text.');
  if (text.length > MOST_TEXT_CHARS)
    throw new Refusal(INVALID, `A message has at most ${MOST_TEXT_CHARS} characters.`);
  return text;
}
