/** The activity that reads what a run begins with of the conversation that it is a part of. */
import { ApplicationFailure } from '@temporalio/activity';
import { type EarlierRun, earlierMessages, noAnswerOf, outgrow } from '../core/context/earlier.js';
import { FAILURE } from '../core/limits/failure.js';
import { MAIN_THREAD } from '../core/state/thread.js';
import { failpoint } from '../shared/failpoints.js';
import { lineageOf, type SessionStore, saidInEach } from '../shared/store/store.js';
import { pack } from './pack.js';
import { storeWithin } from './stop-signal.js';
import type { OpenSessionInput, SteersmanActivities } from './types.js';

/** A result of an activity stands in history, and may be 2 MB there. */
const MOST_BYTES = 400_000;
const READ_MS = 18_000;

export function createOpenSession(
  sessions: Pick<SessionStore, 'line' | 'runs' | 'readEach'>,
): SteersmanActivities['steersmanOpenSession'] {
  const read = async ({ session, chain: own, workspace, tokens, noAnswer: said }: OpenSessionInput) => {
    const known = await sessions.line(session);
    if (known && known.workspace !== workspace) throw elsewhere(session, workspace);
    const runs = (await lineageOf(sessions, session)).filter(
      ({ run }) => run.chain !== own && run.parent === undefined && run.workspace === workspace,
    );
    const room = { tokens, bytes: MOST_BYTES };
    const earlier: EarlierRun[] = [];
    for await (const { run, upTo, messages } of saidInEach(sessions, runs.reverse())) {
      // What came after the message that a branch goes on from is no part of it.
      const isWhole = upTo === undefined;
      const shared = messages.filter(({ thread }) => thread === MAIN_THREAD).map(({ message }) => message);
      earlier.unshift({
        ...{ chain: run.chain, answer: isWhole ? run.answer : null, messages: shared },
        noAnswer: isWhole ? noAnswerOf(run, { noAnswer: said }) : undefined,
      });
      if (outgrow(earlier, room)) break;
    }
    return earlierMessages(earlier, room);
  };
  return async function steersmanOpenSession(input) {
    const messages = await storeWithin(READ_MS, read(input));
    await failpoint('session.opened');
    return pack(messages);
  };
}

/** Whoever may start runs in one folder is not told what was said of another. */
function elsewhere(session: string, workspace: string): ApplicationFailure {
  const message = `The run can not start: the conversation ${session} belongs to another workspace than ${workspace}. Start it in that one, or begin another conversation.`;
  return ApplicationFailure.nonRetryable(message, FAILURE.run.badInput);
}
