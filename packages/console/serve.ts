/** Serves the console over HTTP: on the loopback address, unless another address and a token are configured. */
import { createServer } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { errorText, plural } from 'steersman/base';
import { connect, type SteersmanClient, SteersmanError } from 'steersman/client';
import { defaultConfigDir, isTrusted, moduleIn } from 'steersman/config';
import {
  isLoopback,
  isSame,
  listenerOf,
  listenOn,
  makeFolder,
  readJson,
  removeFile,
  resolveHome,
  urlHost,
  verbCall,
  writeJson,
} from 'steersman/shared';
import { z } from 'zod';
import { type ComponentOptions, componentsIn, NO_COMPONENTS } from './components.js';
import { createConsole } from './console.js';
import { hostHeader } from './guard.js';
import { Links } from './links.js';
import { digestOf, proofBy } from './proof.js';
import { createSandbox } from './sandbox.js';

const CONSOLE_PORT = 7_418;
const LEAST_TOKEN_CHARS = 32;
const LOOPBACK = '127.0.0.1';

export interface ServeOptions {
  /** Default: 7418, or any free port if that is taken. */
  port?: number | undefined;
  /** Address to listen on. Default: the loopback address, which other machines can't reach. */
  listen?: string | undefined;
  /** Further host names under which a proxy in front of it serves it, such as `console.example`. */
  names?: readonly string[];
  /** A token that works besides links, for people without a terminal here. Required if other machines can connect. */
  token?: string | undefined;
  /** Folder of the local stack, with its conversations. */
  home?: string;
  /** Default: a client that connects at the first page's request. */
  client?: SteersmanClient;
  /** The folder for runs that the page starts. Default: the current one. */
  workspace?: string;
  /** The project's components. Default: the components of the configuration in force, if it is trusted. */
  components?: ComponentOptions;
  /** Receives lines for people. */
  report(line: string): void;
}

export interface ConsoleServed {
  /** Returns the console's address with a one-time code; `run`: the page of this run. */
  link(run?: string): string;
  closed: Promise<unknown>;
  /** Ends the console; runs continue. */
  close(): Promise<void>;
}

/** Starts the console. Throws a SteersmanError if it can't listen, or would serve other machines without a token. */
export async function serveConsole(options: ServeOptions): Promise<ConsoleServed> {
  const { listen = LOOPBACK, names = [], home = resolveHome(), report } = options;
  const token = checkedToken(listen, options.token);
  const links = new Links(home);
  links.sweep();
  const http = createServer();
  const { port, closed, close } = await listenOn(http, {
    host: listen,
    ports: options.port === undefined ? [CONSOLE_PORT, 0] : [options.port],
    remedy: 'Give another port: --port 0 takes any.',
  });
  const hosts = [...hostsOf(listen).map(name => hostHeader(name, port)), ...names];
  const keeper = sharedClient(options.client, { home, report });
  const apps = names.length > 0 ? null : await serveSandbox(listen, hosts);
  const pages = createConsole({
    ...(apps && { sandboxUrl: apps.url }),
    ...{ home, client: keeper.get },
    knows: given => links.knows(given) || (token !== null && isSame(given, token)),
    redeem: word => links.redeem(word),
    prove: (id, challenge) =>
      proofBy([...links.digests(), ...(token === null ? [] : [digestOf(token)])], id, challenge),
    hosts,
    components: options.components ?? (await componentsHere(report)),
    ...(options.workspace !== undefined && { workspace: options.workspace }),
  });
  http.on('request', listenerOf(pages.fetch));
  const url = `http://${hostsOf(listen)[0]}:${port}/`;
  const leave = noteServed(home, url);
  return {
    link: run => linkTo(url, links, run),
    closed,
    async close() {
      leave();
      pages.close();
      close();
      apps?.close();
      await keeper.close();
    },
  };
}

/** Loads the components. A fault of the configuration is reported, and the console starts without components. */
async function componentsHere(report: (line: string) => void): Promise<ComponentOptions> {
  const dir = defaultConfigDir();
  try {
    if (isTrusted(dir)) return await componentsIn(dir);
    const module = moduleIn(dir);
    if (module === null) return NO_COMPONENTS;
    throw new Error(
      `the folder is not trusted, or ${module} has changed since. Look at it; to trust it, call there, in a terminal: ${verbCall('doctor')}. Then start the console again.`,
    );
  } catch (error) {
    const fault = `The console has no components of this folder: ${errorText(error)}`;
    report(fault);
    return { ...NO_COMPONENTS, fault };
  }
}

/** Returns a link to a console that already serves this home (at `port`, if set); null if no console does. */
export async function linkOfRunning(
  { run, port }: { run?: string; port?: number } = {},
  home = resolveHome(),
): Promise<string | null> {
  const served = readJson(recordOf(home), servedSchema);
  if (served === undefined || (port !== undefined && new URL(served.url).port !== String(port))) return null;
  const answers = await fetch(`${served.url}icon.svg`, { signal: AbortSignal.timeout(1_000) }).catch(
    () => null,
  );
  return answers?.ok && isRunning(served.pid) ? linkTo(served.url, new Links(home), run) : null;
}

/** Writes a page of this home that leads to a link, and returns its path. */
export function pageToLink(link: string, home = resolveHome()): string {
  return new Links(home).pageTo(link);
}

/**
 * Serves the frames of apps on a separate port, only for browsers of this machine: the name and proxy that other
 * machines use are unknown here.
 */
async function serveSandbox(listen: string, hosts: readonly string[]) {
  if (!isLoopback(listen)) return null;
  const frames = createSandbox({ consoles: hosts.map(host => `http://${host}`) });
  const { port, close } = await listenOn(createServer(listenerOf(frames.fetch)), {
    host: LOOPBACK,
    ports: [0],
  });
  return { close, url: `http://${LOOPBACK}:${port}/` };
}

function linkTo(url: string, links: Links, run: string | undefined): string {
  return `${url}${run === undefined ? '' : `runs/${encodeURIComponent(run)}`}#${links.create()}`;
}

/** The console that serves a home: the last one that started. */
const servedSchema = z.object({ url: z.url(), pid: z.number() });

function recordOf(home: string): string {
  return join(home, 'console', 'served.json');
}

function noteServed(home: string, url: string): () => void {
  makeFolder(join(home, 'console'));
  writeJson(recordOf(home), { url, pid: process.pid } satisfies z.infer<typeof servedSchema>);
  return () => {
    if (readJson(recordOf(home), servedSchema)?.url === url) removeFile(recordOf(home));
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function checkedToken(listen: string, token: string | undefined): string | null {
  const isLong = token !== undefined && token.length >= LEAST_TOKEN_CHARS;
  if (token !== undefined && !isLong)
    throw new SteersmanError(
      `The token of the console has ${plural(token.length, 'character')}, and needs at least ${LEAST_TOKEN_CHARS}.`,
      'Set STEERSMAN_CONSOLE_TOKEN to a long random text: openssl rand -hex 32.',
    );
  if (!isLong && !isLoopback(listen))
    throw new SteersmanError(
      `Anyone who can reach ${listen} could start, steer and approve runs: a token is needed.`,
      'Set STEERSMAN_CONSOLE_TOKEN to a long random text (openssl rand -hex 32), or leave out --listen.',
    );
  return token ?? null;
}

/** Returns the host names of an address; links use the first. */
function hostsOf(listen: string): string[] {
  const names = [LOOPBACK, 'localhost', '[::1]'];
  if (listen !== '0.0.0.0' && listen !== '::') return [...new Set([urlHost(listen), ...names])];
  const own = Object.values(networkInterfaces()).flatMap(each => each ?? []);
  return [hostname(), ...own.map(({ address }) => urlHost(address)), 'localhost'];
}

/** Connects once; after a failure the next request of a page tries again. */
function sharedClient(given: SteersmanClient | undefined, options: Pick<ServeOptions, 'home' | 'report'>) {
  let connected: Promise<SteersmanClient> | null = given ? Promise.resolve(given) : null;
  return {
    get() {
      connected ??= connect(options).catch((error: unknown) => {
        connected = null;
        throw error;
      });
      return connected;
    },
    async close() {
      if (!given) await (await connected?.catch(() => null))?.close();
    },
  };
}
