/** What the `console` section of a configuration says, with its paths absolute. */
import { join } from 'node:path';
import { loadSettings } from './settings.js';

export async function consoleSettings(
  configDir: string,
): Promise<{ module: string | null; unsafeHtml: string[] }> {
  const { components, unsafeHtml } = (await loadSettings(configDir)).console;
  return { module: components === undefined ? null : join(configDir, components), unsafeHtml };
}
