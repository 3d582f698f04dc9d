/** Whether there is a mode of a name, as far as that can be said before a start. */
import { resolve } from 'node:path';
import { defaultConfigDir } from '../../config/config-dir.js';
import { loadSettings } from '../../config/settings.js';
import { MODES } from '../../core/agents/modes.js';

/** Why a local worker with this configuration does not know the mode; a worker elsewhere may have others. */
export async function modeFaults(mode: string, configDir: string | undefined): Promise<string[]> {
  if (MODES.some(name => name === mode)) return [];
  const settings = await loadSettings(resolve(configDir ?? defaultConfigDir())).catch(() => null);
  // What is wrong with the file, its worker says.
  if (settings === null || mode in settings.modes) return [];
  const known = [...MODES, ...Object.keys(settings.modes)].join(', ');
  return [
    `There is no mode "${mode}": there are ${known}. Others are declared under modes in steersman.yaml.`,
  ];
}
