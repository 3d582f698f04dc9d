/** The activity that keeps a part of a run in the store of sessions. */
import { Context } from '@temporalio/activity';
import type { KeepPage, Mark } from '../core/state/kept.js';
import { failpoint } from '../shared/failpoints.js';
import { askPatiently } from '../shared/query-errors.js';
import type { SessionStore } from '../shared/store/store.js';
import type { SteersmanActivities } from './types.js';

export interface KeepDeps {
  sessions: Pick<SessionStore, 'keep'>;
  namespaceId(): Promise<string | null>;
  /** Asks the query `keepPage` of the run that the activity works for. */
  readPage(after: Mark, upTo: Mark): Promise<KeepPage>;
  redact<T>(value: T): T;
}

/** The run waits for it: the activity's own retries come after. */
const GIVE_UP_MS = 8_000;

/** Makes `steersmanKeep`: page by page, so that what was kept before a failure stays. */
export function createKeep({
  sessions,
  namespaceId,
  readPage,
  redact,
}: KeepDeps): SteersmanActivities['steersmanKeep'] {
  return async function steersmanKeep({ after, upTo }) {
    const signal = Context.current().cancellationSignal;
    for (let from = after; ; ) {
      const page = await askPatiently(() => readPage(from, upTo), { giveUpMs: GIVE_UP_MS, signal });
      await failpoint('keep.before-write');
      await sessions.keep(...recordOf(page, (await namespaceId()) ?? '', redact));
      await failpoint('keep.after-write');
      if (!page.more) return null;
      from = page.kept;
    }
  };
}

/** A page as the store takes it. */
function recordOf(
  { run, records, kept }: Omit<KeepPage, 'more'>,
  namespaceId: string,
  redact: KeepDeps['redact'],
): Parameters<SessionStore['keep']> {
  return [{ v: 1, ...redact(run), namespaceId, kept }, redact(records)];
}
