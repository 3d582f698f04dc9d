/** The settings of a worker as its file says them now. */

import type { ConfigInCode } from '../config/in-code.js';
import { loadSettings, type Settings } from '../config/settings.js';

/** Read anew for each call, as for each run; while the file can't be read, what it said last holds. */
export function liveSettings(
  options: ConfigInCode & { configDir: string | null },
  first: Settings,
): () => Promise<Settings> {
  let last = first;
  return async () => {
    last = await loadSettings(options.configDir, options).catch(() => last);
    return last;
  };
}
