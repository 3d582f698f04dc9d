/** The settings of a worker as its file says them now. */

import { join } from 'node:path';
import type { ConfigInCode } from '../../config/in-code.js';
import { loadSettings, SETTINGS_FILE, type Settings, TRUSTED_SECTIONS } from '../../config/settings.js';
import { verbCall } from '../../shared/process/called-as.js';

export interface LiveSettings {
  /** For a new run. Throws a SteersmanError where the file can't be read. */
  read(): Promise<Settings>;
  /** For a call of a run in flight: while the file can't be read, what it said last holds. */
  readOrLast(): Promise<Settings>;
}

export interface LiveSettingsOptions extends ConfigInCode {
  configDir: string | null;
  /** Whether the folder is trusted as it is now. Default: it is, for it was named. */
  isTrusted?: () => boolean;
  /** Gets a line for people. Default: nobody does. */
  report?: (line: string) => void;
}

/**
 * Read anew for each call, as for each run. What the folder's files say of where conversations and keys go, and of who
 * pays, counts only while the folder is trusted as it is: who may write there, a model's approved tool call among
 * them, has not the say on that.
 */
export function liveSettings(options: LiveSettingsOptions, first: Settings): LiveSettings {
  const { configDir, isTrusted = () => true, report } = options;
  let last = first;
  let told = false;
  const read = async () => {
    const now = await loadSettings(configDir, options);
    const trusted = isTrusted();
    if (!trusted && !told) report?.(untrusted(configDir ?? '.'));
    told = !trusted;
    last = trusted ? now : { ...now, ...sectionsOf(last) };
    return last;
  };
  return { read, readOrLast: () => read().catch(() => last) };
}

function sectionsOf(settings: Settings): Partial<Settings> {
  return Object.fromEntries(TRUSTED_SECTIONS.map(name => [name, settings[name]]));
}

function untrusted(folder: string): string {
  return `${TRUSTED_SECTIONS.join(', ')} of ${join(folder, SETTINGS_FILE)} are used as they were: it, .mcp.json, tools/ or what .env of that folder sets have changed, and nobody has said that they are trusted so. Look at them, then call there, in a terminal: ${verbCall('doctor')}.`;
}
