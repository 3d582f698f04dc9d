/** The background worker that serves runs started from here, on the local stack. */
import { projectRoot } from '../../stack/home.js';
import { projectFingerprint } from '../../stack/settings.js';
import type { WorkerSettings } from '../../stack/workers.js';

/** Settings of a worker with the configuration of `configDir`, or of the project where it is null. */
export function projectWorker(configDir: string | null): WorkerSettings {
  return {
    fingerprint: projectFingerprint(configDir ?? projectRoot),
    args: configDir === null ? [] : ['--config', configDir],
    cwd: projectRoot,
  };
}
