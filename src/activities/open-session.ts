/** The activity that reads what a run begins with of the conversation that it is a part of. */
import { earlierMessages } from '../core/context/earlier.js';
import { MAIN_THREAD } from '../core/state/thread.js';
import { failpoint } from '../shared/failpoints.js';
import { lineageOf, type SessionStore, saidIn } from '../shared/store/store.js';
import { pack } from './pack.js';
import type { SteersmanActivities } from './types.js';

/** A result of an activity stands in history, and may be 2 MB there. */
const MOST_BYTES = 400_000;

export function createOpenSession(sessions: SessionStore): SteersmanActivities['steersmanOpenSession'] {
  return async function steersmanOpenSession({ session, chain: own, tokens }) {
    const runs = (await lineageOf(sessions, session)).filter(
      ({ run: { chain, parent } }) => chain !== own && parent === undefined,
    );
    const earlier = await Promise.all(
      runs.map(async each => {
        const said = await saidIn(sessions, each);
        const messages = said.filter(({ thread }) => thread === MAIN_THREAD).map(({ message }) => message);
        // What came after the message that a branch goes on from is no part of it.
        const answer = each.upTo === undefined ? each.run.answer : null;
        return { chain: each.run.chain, answer, messages };
      }),
    );
    const messages = earlierMessages(earlier, { tokens, bytes: MOST_BYTES });
    await failpoint('session.opened');
    return pack(messages);
  };
}
