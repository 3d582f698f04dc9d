/** The activity that reads the earlier messages of a run's conversation. */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import { type EarlierRun, earlierMessages, noAnswerOf, outgrow } from '../conversation/earlier.js';
import { FAILURE } from '../run/limits/failure.js';
import type { Message } from '../run/messages/message.js';
import { idInSession, lastNumberIn, type RunRecord } from '../run/state/stored-line.js';
import { MAIN_THREAD } from '../run/state/thread.js';
import { failpoint } from '../shared/process/failpoints.js';
import { lineageOf, messagesOfEach, type SessionStore } from '../shared/store/store.js';
import { RunUnanswered } from './keep.js';
import { pack } from './pack.js';
import { storeWithin } from './stop-signal.js';
import type { OpenSessionInput, SteersmanActivities } from './types.js';

/** An activity's result is part of the history, and may have at most 2 MB there. */
const MOST_BYTES = 400_000;
const READ_MS = 18_000;

/** The number of attempts; then a run begins without the records of a run that does not answer. */
export const OPEN_TRIES = 5;
/** The number of previous runs, unknown to the store, that are looked for. */
const MOST_UNKNOWN = 10;

export interface OpenDeps {
  sessions: Pick<SessionStore, 'line' | 'runs' | 'readEach'>;
  namespaceId(): Promise<string | null>;
  /** Adds a run's missing records to the store, if the run has ended. @throws RunUnanswered */
  keepLate(workflowId: string): Promise<void>;
}

export function createOpenSession({
  sessions,
  ...deps
}: OpenDeps): SteersmanActivities['steersmanOpenSession'] {
  const read = async (input: OpenSessionInput) => {
    const { session, chain: own, workspace, tokens, noAnswer: said, rollsBack } = input;
    const runs = (await lineageOf(sessions, session)).filter(
      ({ run }) => run.chain !== own && run.parent === undefined && run.workspace === workspace,
    );
    const room = { tokens, bytes: MOST_BYTES };
    const earlier: EarlierRun[] = [];
    for await (const { run, upTo, messages } of messagesOfEach(sessions, runs.reverse())) {
      // Messages after the one that a branch continues from do not belong to it.
      const isWhole = upTo === undefined;
      // A branch continues from within the run, so it wants its messages.
      const isRolledBack = rollsBack === true && run.outcome === 'failed' && isWhole;
      const shared = messages.filter(({ thread }) => thread === MAIN_THREAD).map(({ message }) => message);
      earlier.unshift({
        chain: run.chain,
        ...(isRolledBack
          ? { messages: beforeLastGoal(shared), answer: null }
          : { messages: shared, answer: isWhole ? run.answer : null }),
        noAnswer: isWhole && !isRolledBack ? noAnswerOf(run, { noAnswer: said }) : undefined,
      });
      if (outgrow(earlier, room)) break;
    }
    return earlierMessages(earlier, room);
  };
  return async function steersmanOpenSession(input) {
    const { session, workspace, chain } = input;
    const known = await storeWithin(READ_MS, sessions.line(session));
    if (known && known.workspace !== workspace) throw elsewhere(session, workspace);
    const runs = await storeWithin(READ_MS, sessions.runs(session));
    const untold = await keepEnds(
      deps,
      lateIn(
        session,
        runs.filter(run => run.chain !== chain),
        (await deps.namespaceId()) ?? '',
      ),
    );
    const messages = await storeWithin(READ_MS, read(input));
    await failpoint('session.opened');
    return untold.length === 0 ? pack(messages) : pack({ messages, untold });
  };
}

/** A goal that failed is the last of its run; those before it have their answers. */
function beforeLastGoal(messages: readonly Message[]): Message[] {
  const at = messages.findLastIndex(message => message.kind === 'user' && message.purpose === 'goal');
  return messages.slice(0, Math.max(0, at));
}

/** Returns runs whose end the store may lack: those stored as open, and unknown ones before this run. */
function lateIn(session: string, runs: readonly RunRecord[], namespaceId: string): string[] {
  const open = runs.filter(run => !run.ended && run.parent === undefined && run.namespaceId === namespaceId);
  const { workflowId = '' } = activityInfo().workflowExecution ?? {};
  const own = lastNumberIn(session, [{ workflowId }]);
  const first = Math.max(lastNumberIn(session, runs) + 1, own - MOST_UNKNOWN);
  const unknown = Array.from({ length: Math.max(0, own - first) }, (_, at) =>
    idInSession(session, first + at),
  );
  return [...open.map(run => run.workflowId), ...unknown];
}

/** @returns the runs that do not answer. */
async function keepEnds({ keepLate }: Pick<OpenDeps, 'keepLate'>, ids: readonly string[]): Promise<string[]> {
  const untold: string[] = [];
  for (const id of ids)
    try {
      await keepLate(id);
    } catch (error) {
      if (!(error instanceof RunUnanswered)) throw error;
      if (error.mayPass && activityInfo().attempt < OPEN_TRIES) throw error;
      untold.push(id);
    }
  return untold;
}

/** A person who may start runs in one folder must not read conversations of another. */
function elsewhere(session: string, workspace: string): ApplicationFailure {
  const message = `The run cannot start: the conversation ${session} belongs to another workspace than ${workspace}. Start it in that one, or begin another conversation.`;
  return ApplicationFailure.nonRetryable(message, FAILURE.run.badInput);
}
