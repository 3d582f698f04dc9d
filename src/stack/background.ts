import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '../core/text/error-text.js';
import { REBUILD } from '../shared/called-as.js';
import { SteersmanError } from '../shared/errors.js';
import { identify, isAlive, type ProcessId } from './process-id.js';

export interface BackgroundProcess {
  program: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Gets stdout and stderr. Emptied first. */
  logFile: string;
}

/**
 * Starts a process that outlives this one, in a session of its own, so that Ctrl-C in this terminal does not
 * reach it. Throws a SteersmanError when it can't be started at all.
 */
export async function startInBackground(options: BackgroundProcess): Promise<ProcessId> {
  const log = openSync(options.logFile, 'w', 0o600);
  try {
    const { env, cwd } = options;
    const child = spawn(options.program, options.args, {
      detached: true,
      stdio: ['ignore', log, log],
      env,
      cwd,
    });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    return identify(child.pid ?? 0) ?? { pid: child.pid ?? 0, started: '' };
  } catch (error) {
    const why = errorText(error);
    throw new SteersmanError(
      `${options.program} can't be started: ${why}.`,
      'Check that the file exists and runs.',
    );
  } finally {
    closeSync(log);
  }
}

/** Throws a SteersmanError when a script of the build is not there. */
export function requireScript(path: string): string {
  if (existsSync(path)) return path;
  throw new SteersmanError(`A part of the build is missing: ${path}`, REBUILD);
}

/** What became of a start: it is ready, the process has ended, or neither in time. */
export type StartResult = 'ready' | 'ended' | 'timeout';

/** Waits until `ready` holds, the process has ended or `timeoutMs` are over. */
export async function waitForStart(
  process: ProcessId,
  timeoutMs: number,
  ready: () => boolean | Promise<boolean>,
): Promise<StartResult> {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    if (await ready()) return 'ready';
    if (!isAlive(process)) return 'ended';
    await delay(50);
  }
  return 'timeout';
}

/** The last lines of a log file, for a message; empty when there is none. */
export function lastLines(path: string, count = 8): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}
