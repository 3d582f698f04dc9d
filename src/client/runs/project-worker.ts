/** The background worker that serves runs started from here, on the local stack. */
import { defaultConfigDir } from '../../config/config-dir.js';
import { projectFingerprint } from '../../stack/settings.js';
import type { WorkerSettings } from '../../stack/workers.js';

/** Settings of a worker with the configuration of `configDir`, or of the one that holds here where it is null. */
export function projectWorker(configDir: string | null): WorkerSettings {
  const folder = configDir ?? defaultConfigDir();
  return { fingerprint: projectFingerprint(folder), args: ['--config', folder], cwd: folder };
}
