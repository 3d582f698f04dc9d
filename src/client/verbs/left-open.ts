/** Runs of the local stack that a crash left open: told at a start, and gone on with only when asked. */

import { plural } from '../../print/format.js';
import { leftOpenRuns } from '../../stack/open-runs.js';
import { resumeQueue } from '../../stack/workers.js';
import { projectWorker } from '../runs/project-worker.js';
import type { Context } from './command.js';

const SHOWN = 5;

/**
 * Lists them on stderr, or with `resume` starts workers with the present settings for their queues. Resolves to
 * the ids of those that go on.
 */
export async function tellLeftOpen(
  { temporal, output }: Context,
  { resume, configDir }: { resume: boolean; configDir: string | null },
): Promise<string[]> {
  if (temporal.local === null) return [];
  const { local, client } = temporal;
  const runs = await leftOpenRuns(client, local.home);
  const ids = [...new Set(runs.map(run => run.workflowId))];
  if (ids.length === 0) return [];
  const { notes } = output;
  const report = (line: string) => notes.line(line);
  if (!resume) {
    const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
    notes.line(
      `${plural(ids.length, 'run')} left open by an earlier session: ${ids.slice(0, SHOWN).join(', ')}${more}.`,
    );
    notes.line(
      'They wait. Go on with them: npm start -- --resume-open. End one: npm run client -- cancel ID',
    );
    return [];
  }
  for (const queue of new Set(runs.map(run => run.taskQueue))) {
    await resumeQueue(local, queue, projectWorker(configDir), { report });
  }
  for (const id of ids) notes.line(`Goes on: ${id}   (npm run client -- watch ${id})`);
  return ids;
}
