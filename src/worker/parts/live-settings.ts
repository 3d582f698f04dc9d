/** The current settings of a worker's file. */

import { join } from 'node:path';
import type { ConfigInCode } from '../../config/settings/in-code.js';
import {
  loadSettings,
  SETTINGS_FILE,
  type Settings,
  TRUSTED_SECTIONS,
} from '../../config/settings/settings.js';
import { verbCall } from '../../shared/process/called-as.js';

export interface LiveSettings {
  /** Reads the settings for a new run. Throws a SteersmanError if the file is unreadable. */
  read(): Promise<Settings>;
  /** Reads the settings for a call of an open run; while the file is unreadable, the last ones apply. */
  readOrLast(): Promise<Settings>;
}

export interface LiveSettingsOptions extends ConfigInCode {
  configDir: string | null;
  /** Returns true if the folder is trusted in its current state. Default: true, because it was named. */
  isTrusted?: () => boolean;
  /** Receives a line for people. Default: no report. */
  report?: (line: string) => void;
}

/**
 * Reads the settings again for each call and each run. Settings that decide where conversations and keys go, and who
 * pays, change only while the folder is trusted: a writer, such as a model's approved tool call, must not decide that.
 */
export function liveSettings(options: LiveSettingsOptions, first: Settings): LiveSettings {
  const { configDir, isTrusted = () => true, report } = options;
  let last = first;
  let hasReported = false;
  const read = async () => {
    const now = await loadSettings(configDir, options);
    const trusted = isTrusted();
    if (!trusted && !hasReported) report?.(untrusted(configDir ?? '.'));
    hasReported = !trusted;
    last = trusted ? now : { ...now, ...sectionsOf(last) };
    return last;
  };
  return { read, readOrLast: () => read().catch(() => last) };
}

function sectionsOf(settings: Settings): Partial<Settings> {
  return Object.fromEntries(TRUSTED_SECTIONS.map(name => [name, settings[name]]));
}

function untrusted(folder: string): string {
  return `${TRUSTED_SECTIONS.join(', ')} of ${join(folder, SETTINGS_FILE)} are used as they were: it, .mcp.json, tools/ or what .env of that folder sets have changed, and these changes are not trusted yet. Look at them, then call there, in a terminal: ${verbCall('doctor')}.`;
}
