/** A console in a process of its own, for tests that kill it, and a network in front of it that can fall silent. */
import { connect, createServer, type Socket } from 'node:net';
import { Links } from '../../packages/console/links.js';
import { startCommand } from './command-line.js';
import { freePort } from './processes.js';

export interface ConsoleProcess {
  /** Such as `http://127.0.0.1:24123/`. */
  url: string;
  /** Its folder, with the digests of links and tokens. */
  home: string;
  /** A link that opens it once, by another address where one is given. */
  link(run?: string, url?: string): string;
  /** Resolves when it serves, on the same port each time. */
  start(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** `names`: other hosts under which it is reached. */
export async function consoleProcess(
  home: string,
  { address, names }: { address: string; names: string[] },
): Promise<ConsoleProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const args = ['console', '--port', String(port), ...names.flatMap(name => ['--name', name])];
  const env = { TEMPORAL_ADDRESS: address, STEERSMAN_HOME: home };
  let kill = async () => {};
  const links = new Links(home);
  return {
    url,
    home,
    link: (run, at = url) => `${at}${run === undefined ? '' : `runs/${run}`}#${links.create()}`,
    async start() {
      const running = startCommand('cli', args, { env, cwd: home });
      kill = async () => {
        running.child.kill('SIGKILL');
        await running.ended;
      };
      await running.printed(/Console {2}http/);
    },
    kill: () => kill(),
  };
}

export interface SilentNetwork {
  url: string;
  /** `127.0.0.1:port`. */
  host: string;
  /** Nothing gets through any more, and nobody is told. */
  silence(): void;
  /** New connections get through; those from before are cut off. */
  speak(): void;
  close(): void;
}

/** Forwards to `to`, which may be told later. */
export async function silentNetwork(to: () => string): Promise<SilentNetwork> {
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (silent) return;
    const other = connect(Number(new URL(to()).port), '127.0.0.1');
    sockets.add(other);
    other.on('error', () => socket.destroy()).on('close', () => sockets.delete(other));
    socket.pipe(other).pipe(socket);
  });
  const cutOff = () => {
    for (const socket of sockets) socket.destroy();
  };
  const port = await freePort();
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}/`,
    host: `127.0.0.1:${port}`,
    silence() {
      silent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    speak() {
      silent = false;
      cutOff();
    },
    close() {
      server.close();
      cutOff();
    },
  };
}
