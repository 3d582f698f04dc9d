/** The background worker that serves runs started from here, on the local stack. */

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
 * Settings of a worker with the configuration of `configDir`, or of the one that holds here where it is null. Throws a
 * SteersmanError where nobody has said that the latter is trusted.
 */
export function projectWorker(configDir: string | null): WorkerSettings {
  return workerOf({ folder: configDir ?? defaultConfigDir(), named: configDir !== null });
}

/** The same for runs of a queue that were left open: with the folder that they were started with. */
export function workerOfQueue(home: string, taskQueue: string): WorkerSettings {
  const folder = folderOfQueue(home, taskQueue);
  if (folder === null) return projectWorker(null);
  return { ...workerOf(folder), ofOther: folder.folder !== defaultConfigDir() };
}

function workerOf({ folder, named }: QueueFolder): WorkerSettings {
  if (!existsSync(folder)) throw gone(folder);
  if (!named && !isTrusted(folder)) throw notTrusted(folder);
  // A folder that nobody named, the worker finds where it stands, and looks again whether it is trusted.
  const args = named ? ['--config', folder] : [];
  const fingerprint = projectFingerprint(folder, { args: args.join(' ') });
  return { fingerprint, args, cwd: folder, folder: { folder, named } };
}

function gone(folder: string): SteersmanError {
  return new SteersmanError(
    `The folder ${displayPath(folder)} is gone, whose configuration these runs were started with.`,
    `Put it back, or name another for them: ${hintOf('--resume-open --config DIR', '`resumeLeftOpen(runs, { configDir })`')}`,
    'configuration',
  );
}
