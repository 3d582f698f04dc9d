/** Runs of the local stack that a crash left open: told at a start, and gone on with only when asked. */

import { plural } from '../../print/format.js';
import { startCall, verbCall } from '../../shared/called-as.js';
import type { Context } from './command.js';

const SHOWN = 5;

/** Lists them on stderr. */
export async function tellLeftOpen({ client, output: { notes } }: Context): Promise<void> {
  const ids = (await client.leftOpen()).map(run => run.id);
  if (ids.length === 0) return;
  const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
  notes.line(
    `${plural(ids.length, 'run')} left open by an earlier session: ${ids.slice(0, SHOWN).join(', ')}${more}.`,
  );
  notes.line(`They wait. Go on with them: ${startCall('--resume-open')}. End one: ${verbCall('cancel ID')}`);
}

/** Goes on with them, with the configuration that they were started with or that of `configDir`. */
export async function resumeLeftOpen(
  { client, output: { notes } }: Context,
  configDir: string | undefined,
): Promise<void> {
  const runs = await client.leftOpen();
  if (runs.length === 0) notes.line('No run was left open.');
  await client.resumeLeftOpen(runs, configDir === undefined ? {} : { configDir });
  for (const { id } of runs) notes.line(`Goes on: ${id}   (${verbCall(`watch ${id}`)})`);
}
