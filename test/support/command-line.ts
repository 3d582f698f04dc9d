/** The command line as a user calls it: built scripts in processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { vi } from 'vitest';
import { projectRoot } from './project.js';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** What was printed so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when stdout and stderr together match; rejects when the process ends before. */
  printed(pattern: RegExp): Promise<void>;
  ended: Promise<Ended>;
}

/** Starts `dist/<script>.js`. Its environment is this one's without Temporal's variables, and `env`. */
export function startCommand(
  script: string,
  args: string[],
  options: { env: Record<string, string>; cwd: string },
): Running {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(TEMPORAL_(?!CLI_PATH)|INIT_CWD|OPENAI_)/.test(name),
  );
  const child = spawn(process.execPath, [join(projectRoot, 'dist', `${script}.js`), ...args], {
    cwd: options.cwd,
    env: { ...Object.fromEntries(inherited), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }));
  const printed = async (pattern: RegExp) => {
    let over = false;
    void ended.then(() => {
      over = true;
    });
    while (!pattern.test(stdout + stderr)) {
      if (over) throw new Error(`ended without ${pattern}:\n${stdout}\n${stderr}`);
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended]);
    }
  };
  return { child, stdout: () => stdout, stderr: () => stderr, printed, ended };
}

let calls = 0;
let before: string | null = null;

const SCRIPTS = { steersman: 'cli.js', client: 'client.js', start: 'start.js' };

/**
 * Calls a command line in this process: a process of its own takes a second to start. What it tells later code of the
 * process, `vi.resetModules()` takes back at the end of the file, and before another program.
 */
export async function callHere(program: keyof typeof SCRIPTS, args: string[]): Promise<Ended> {
  const { argv } = process;
  const listeners = [process.stdout, process.stderr].map(
    stream => [stream, stream.listeners('error')] as const,
  );
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text, ...rest) => {
      said[name] += text;
      (rest.at(-1) as (() => void) | undefined)?.();
      return true;
    });
  vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  try {
    if (before !== null && before !== program) vi.resetModules();
    before = program;
    calls += 1;
    process.argv = [process.execPath, join(projectRoot, 'dist', SCRIPTS[program]), ...args];
    await import(`${projectRoot}/src/${program}.ts?call=${calls}`);
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    process.argv = argv;
    process.exitCode = undefined;
    vi.restoreAllMocks();
    for (const [stream, before] of listeners)
      for (const one of stream.listeners('error'))
        if (!before.includes(one)) stream.off('error', one as () => void);
  }
}
