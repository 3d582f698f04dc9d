/** Says why a `.env` sets no endpoint of models. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hintOf } from '../../shared/process/called-as.js';
import { oneLine } from '../../shared/process/terminal-text.js';
import { displayPath, readDotEnv } from './files.js';

const NAMES_SHOWN = 5;

/**
 * Returns a sentence about the `.env` that was meant to set an endpoint, or an empty text: the file in `from` is not
 * read if that is not a configuration folder, and the names in the configuration folder's file may be misspelt.
 * `configDir` is trusted.
 */
export function dotEnvHint(configDir: string, from: string = process.cwd()): string {
  const own = join(configDir, '.env');
  const here = join(from, '.env');
  if (here !== own && existsSync(here)) {
    const name = hintOf('--config .', '`configDir`');
    return ` ${displayPath(here)} is not read, because no steersman.yaml is beside it: write one, even an empty one, or name its folder (${name}).`;
  }
  if (!existsSync(own)) return '';
  const names = Object.entries(readDotEnv(configDir)).flatMap(([name, value]) =>
    value.trim() ? [name] : [],
  );
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  const what =
    names.length === 0 ? 'nothing' : `${names.slice(0, NAMES_SHOWN).map(oneLine).join(', ')}${more}`;
  return ` ${displayPath(own)} sets ${what}.`;
}
