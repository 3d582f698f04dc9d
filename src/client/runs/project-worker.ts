/** The background worker that serves runs started from here, on the local stack. */
import { defaultConfigDir } from '../../config/config-dir.js';
import { projectFingerprint } from '../../stack/settings.js';
import { isTrusted, notTrusted } from '../../stack/trust.js';
import type { WorkerSettings } from '../../stack/workers.js';

/**
 * Settings of a worker with the configuration of `configDir`, or of the one that holds here where it is null. Throws a
 * SteersmanError where nobody has said that the latter is trusted.
 */
export function projectWorker(configDir: string | null): WorkerSettings {
  const folder = configDir ?? defaultConfigDir();
  if (configDir === null && !isTrusted(folder)) throw notTrusted(folder);
  // A folder that nobody named, the worker finds where it stands, and looks again whether it is trusted.
  const args = configDir === null ? [] : ['--config', folder];
  return { fingerprint: projectFingerprint(folder, { args: args.join(' ') }), args, cwd: folder };
}
