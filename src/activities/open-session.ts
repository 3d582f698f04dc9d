/** The activity that reads what a run begins with of the conversation that it is a part of. */
import { earlierMessages } from '../core/context/earlier.js';
import { MAIN_THREAD } from '../core/state/thread.js';
import { failpoint } from '../shared/failpoints.js';
import type { SessionStore } from '../shared/store/store.js';
import { pack } from './pack.js';
import type { SteersmanActivities } from './types.js';

/** A result of an activity stands in history, and may be 2 MB there. */
const MOST_BYTES = 400_000;

export function createOpenSession(
  sessions: Pick<SessionStore, 'runs' | 'read'>,
): SteersmanActivities['steersmanOpenSession'] {
  return async function steersmanOpenSession({ session, chain: own, tokens }) {
    const runs = (await sessions.runs(session)).filter(
      ({ chain, parent }) => chain !== own && parent === undefined,
    );
    const earlier = await Promise.all(
      runs.map(async run => {
        const kept = await sessions.read(run, { kind: 'message', limit: Number.POSITIVE_INFINITY });
        const messages = kept.flatMap(each =>
          each.kind === 'message' && each.thread === MAIN_THREAD ? [each.message] : [],
        );
        return { chain: run.chain, answer: run.answer, messages };
      }),
    );
    const messages = earlierMessages(earlier, { tokens, bytes: MOST_BYTES });
    await failpoint('session.opened');
    return pack(messages);
  };
}
