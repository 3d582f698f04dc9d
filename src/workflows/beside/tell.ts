/**
 * Moments that the worker is notified of before the run continues. Features contribute parts of a moment; all of them go into
 * one activity. Without parts there is no activity.
 */
import type { MomentEnd, MomentFacts, MomentInput } from '../../activities/types.js';
import { ownValue } from '../../base/json/json.js';
import type { Cause, Outcome } from '../../run/limits/cause.js';
import { type CallFailure, FAILURE, isRetryableModelFailure } from '../../run/limits/failure.js';
import { COMPACTOR } from '../../run/limits/usage-by.js';
import { here } from '../../run/state/cursor.js';
import { messageNumber } from '../../run/state/stored-line.js';
import type { Called } from '../run/ports.js';
import type { Run } from '../run/run.js';
import { stopRun } from '../run/tell-agents.js';
import type { Moment, Part, Reply } from './feature.js';

/** Returns null if no feature has a part in the moment. */
function tell(run: Run, moment: Moment): Promise<Called<MomentEnd>> | null {
  const parts = run.features.flatMap(feature => feature.tells?.(run, moment) ?? []);
  return parts.length === 0 ? null : ask(run, moment, parts);
}

async function ask(run: Run, moment: Moment, parts: readonly Part[]): Promise<Called<MomentEnd>> {
  const { goal, settings } = run.state;
  const common = { key: keyOf(run, moment), goal: goal.number, context: settings.context ?? {} };
  const input: MomentInput = Object.assign(
    { ...common, ...factsOf(run, moment) },
    ...parts.map(part => part.input),
  );
  const ended = await run.ports.tell(input);
  for (const part of parts) part.told?.(ended);
  if (!ended.ok && ended.failure.kind === 'cancelled') run.ports.throwIfCancelled();
  return ended;
}

/** Returns the key of a moment. It contains the id of this execution, because a reset run repeats names with other content. */
export function keyOf(run: Run, moment: Moment): string {
  const { goal, lastId } = run.state;
  const name = () => {
    switch (moment.at) {
      case 'turn': {
        const { message, turn } = moment.reply;
        // A wrap-up or summary does not count as a turn, so the next reply has its number.
        const isCounted = here(run.cursor).phase !== 'wrap_up' && message.role !== COMPACTOR;
        return isCounted ? `turn-${turn}` : `turn-${turn}-${message.id}`;
      }
      case 'results':
        return moment.messageIds()[0];
      case 'error':
        return `error-${run.nextId('c')}`;
      case 'goal':
        // A goal that a message reopens ends twice.
        return `goal-${goal.number}-${lastId}`;
      case 'end':
        return `goal-${goal.number}-end`;
      default:
        return moment.at;
    }
  };
  return `${run.ports.runId}-${name()}`;
}

function factsOf({ state }: Run, moment: Moment): MomentFacts {
  switch (moment.at) {
    case 'turn': {
      const { message, turn } = moment.reply;
      const { id, role, model, usage } = message;
      return { at: 'turn', turn, role, model, usage, messageId: id };
    }
    case 'results':
      return { at: 'results', messageIds: moment.messageIds() };
    case 'error': {
      const { role, failure } = moment;
      const { kind, type, message } = failure;
      const model = ownValue(state.models.at, role) ?? state.settings.model ?? '';
      const mayPass = isRetryableModelFailure(type) || type === FAILURE.run.busy;
      const isRetryable = kind !== 'application' || mayPass;
      return { at: 'error', role, model, error: message || type || kind, isRetryable };
    }
    case 'end':
      return { at: 'end', outcome: moment.outcome, cause: moment.cause };
    default:
      return { at: moment.at };
  }
}

/** Returns why the run may not begin; null if it may. */
export async function refusalToBegin(run: Run): Promise<CallFailure | null> {
  const telling = tell(run, { at: 'begin' });
  if (!telling) return null;
  const ended = await telling;
  return ended.ok ? null : ended.failure;
}

export function turnEnded(run: Run, reply: Reply): Promise<void> | null {
  const telling = tell(run, { at: 'turn', reply });
  return telling ? telling.then(ended => (ended.ok ? undefined : fail(run, ended.failure))) : null;
}

/** Notifies of a reply that is not a turn, such as a summary. */
export async function replied(run: Run, message: Reply['message']): Promise<void> {
  await turnEnded(run, { message, turn: run.state.total.turns });
}

/** Notifies of tool results that were added after the message of number `after`. */
export function notifyResults(run: Run, thread: string, after: number): Promise<void> | null {
  // In a branch, `thread` is the id of the branch's copy.
  const messageIds = () =>
    (ownValue(run.state.threads, thread)?.messages ?? [])
      .filter(message => message.kind === 'tool_result' && messageNumber(message) > after)
      .map(({ id }) => id);
  const telling = tell(run, { at: 'results', messageIds });
  return telling ? telling.then(() => undefined) : null;
}

/**
 * Notifies of the part of a reply that arrived before an interruption: it is in the conversation, but is not a turn.
 */
export function notifyCutReply(run: Run, messageId: string): Promise<void> | null {
  if (!run.behaves(4)) return null;
  const telling = tell(run, { at: 'results', messageIds: () => [messageId] });
  return telling ? telling.then(() => undefined) : null;
}

/** Notifies of a failed model. The result is ignored: the model's failure is what counts. */
export async function modelFailed(run: Run, role: string, failure: CallFailure): Promise<void> {
  const telling = tell(run, { at: 'error', role, failure });
  if (telling) await telling;
}

export async function goalEnds(
  run: Run,
  { outcome, answer }: { outcome: Outcome; answer: string },
): Promise<void> {
  const telling = tell(run, { at: 'goal', outcome, answer });
  if (telling) await telling;
}

export async function runEnds(
  run: Run,
  { outcome, cause }: { outcome: Outcome; cause: Cause },
): Promise<void> {
  const telling = tell(run, { at: 'end', outcome, cause });
  if (telling) await telling;
}

/** Ends the run for a feature, as a person's stop does. */
export function stop(run: Run, cause: Cause, why: string): void {
  if (run.state.people.stop === null) stopRun(run, why, cause);
}

/** Stops the run if its hook failed: without this, the run would continue without its hook and without being charged. */
function fail(run: Run, { kind, type, message }: CallFailure): void {
  if (kind === 'cancelled') return;
  const what =
    type === FAILURE.accountFailed ? 'The account was not settled' : 'The hook at the end of a turn failed';
  stop(run, 'failed:hook', `${what}: ${message || type || kind}`);
}
