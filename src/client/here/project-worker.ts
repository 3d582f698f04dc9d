/** The background worker of the local stack that serves runs started from here. */

import { existsSync } from 'node:fs';
import { defaultConfigDir } from '../../config/files/config-dir.js';
import { displayPath } from '../../config/files/files.js';
import { projectFingerprint } from '../../config/trust/settings.js';
import { isTrusted, notTrusted } from '../../config/trust/trust.js';
import type { WorkerSettings } from '../../shared/local/protocol.js';
import { folderOfQueue, type QueueFolder } from '../../shared/local/queues.js';
import { hintOf } from '../../shared/process/called-as.js';
import { SteersmanError } from '../../shared/process/errors.js';

/**
 * Returns the settings of a worker with the configuration of `configDir`, or of the default folder for null. Throws a
 * SteersmanError if the latter is not trusted.
 */
export function projectWorker(configDir: string | null): WorkerSettings {
  return workerOf({ folder: configDir ?? defaultConfigDir(), named: configDir !== null });
}

/** Returns the settings of a worker for a queue whose runs were left open, with the folder of their start. */
export function workerOfQueue(home: string, taskQueue: string): WorkerSettings {
  const folder = folderOfQueue(home, taskQueue);
  if (folder === null) return projectWorker(null);
  return { ...workerOf(folder), ofOther: folder.folder !== defaultConfigDir() };
}

function workerOf({ folder, named }: QueueFolder): WorkerSettings {
  if (!existsSync(folder)) throw gone(folder);
  // Commands with an option for the folder have asked for trust before; the console has no such option.
  if (!named && !isTrusted(folder))
    throw notTrusted(folder, hintOf('', 'For one start, name it: `configDir`.'));
  // If the folder was not named, the worker finds it by its current folder, and checks its trust again.
  const args = named ? ['--config', folder] : [];
  const fingerprint = projectFingerprint(folder, { args: args.join(' ') });
  return { fingerprint, args, cwd: folder, folder: { folder, named } };
}

function gone(folder: string): SteersmanError {
  return new SteersmanError(
    `The folder ${displayPath(folder)}, with the configuration of these runs, is gone.`,
    `Put it back, or name another for them: ${hintOf('--resume-open --config DIR', '`resumeLeftOpen(runs, { configDir })`')}`,
    'configuration',
  );
}
