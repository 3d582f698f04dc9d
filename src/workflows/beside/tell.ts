/**
 * Moments of a run that the worker is told of, before the run goes on. Features say what of a moment concerns them; all
 * of it is one activity, and where it concerns none there is no activity.
 */
import type { MomentEnd, MomentFacts, MomentInput } from '../../activities/types.js';
import { ownValue } from '../../base/json/json.js';
import { COMPACTOR } from '../../conversation/summary.js';
import type { Cause, Outcome } from '../../run/limits/cause.js';
import { type CallFailure, isRetryableModelFailure } from '../../run/limits/failure.js';
import { here } from '../../run/state/cursor.js';
import { messageNumber } from '../../run/state/kept.js';
import { stopRun } from '../platform/inbox-handlers.js';
import type { Called } from '../run/ports.js';
import type { Run } from '../run/run.js';
import type { Moment, Part, Reply } from './feature.js';

/** Null: it concerns nobody. */
function tell(run: Run, moment: Moment): Promise<Called<MomentEnd>> | null {
  const parts = run.features.flatMap(feature => feature.tells?.(run, moment) ?? []);
  return parts.length === 0 ? null : ask(run, moment, parts);
}

async function ask(run: Run, moment: Moment, parts: readonly Part[]): Promise<Called<MomentEnd>> {
  const { goal, settings } = run.state;
  const told = { key: keyOf(run, moment), goal: goal.number, context: settings.context ?? {} };
  const input: MomentInput = Object.assign(
    { ...told, ...factsOf(run, moment) },
    ...parts.map(part => part.input),
  );
  const ended = await run.ports.tell(input);
  for (const part of parts) part.told?.(ended);
  if (!ended.ok && ended.failure.kind === 'cancelled') run.ports.throwIfCancelled();
  return ended;
}

/** Names the moment, by the id of this execution: a run that was reset says other things under the same names. */
export function keyOf(run: Run, moment: Moment): string {
  const { goal, lastId } = run.state;
  const name = () => {
    switch (moment.at) {
      case 'turn': {
        const { message, turn } = moment.reply;
        // The reply of a wrap-up is outside the count, as a summary is: the next one has its number.
        const isCounted = here(run.cursor).phase !== 'wrap_up' && message.role !== COMPACTOR;
        return isCounted ? `turn-${turn}` : `turn-${turn}-${message.id}`;
      }
      case 'results':
        return moment.messageIds()[0];
      case 'error':
        return `error-${run.nextId('c')}`;
      case 'goal':
        // A goal that a message opens again ends twice.
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
      const isRetryable = kind !== 'application' || isRetryableModelFailure(type);
      return { at: 'error', role, model, error: message || type || kind, isRetryable };
    }
    case 'end':
      return { at: 'end', outcome: moment.outcome, cause: moment.cause };
    default:
      return { at: moment.at };
  }
}

/** Why the run may not begin; null where it may. */
export async function refusalToBegin(run: Run): Promise<CallFailure | null> {
  const telling = tell(run, { at: 'begin' });
  if (!telling) return null;
  const told = await telling;
  return told.ok ? null : told.failure;
}

export function turnEnded(run: Run, reply: Reply): Promise<void> | null {
  const telling = tell(run, { at: 'turn', reply });
  return telling ? telling.then(ended => (ended.ok ? undefined : fail(run, ended.failure))) : null;
}

/** After a reply that is no turn, such as a summary. */
export async function replied(run: Run, message: Reply['message']): Promise<void> {
  await turnEnded(run, { message, turn: run.state.total.turns });
}

/** Results of tools that were said after the message of number `after`. */
export function resultsSaid(run: Run, thread: string, after: number): Promise<void> | null {
  // By the name that it keeps: of a branch it is the copy's already.
  const messageIds = () =>
    (ownValue(run.state.threads, thread)?.messages ?? [])
      .filter(message => message.kind === 'tool_result' && messageNumber(message) > after)
      .map(({ id }) => id);
  const telling = tell(run, { at: 'results', messageIds });
  return telling ? telling.then(() => undefined) : null;
}

/** Whatever comes of it, that failure is what counts. */
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

/** A feature wants the run to end, as a person may. */
export function stop(run: Run, cause: Cause, why: string): void {
  if (run.state.people.stop === null) stopRun(run, why, cause);
}

/** Nobody says that the goal may go on: without the hook it would, and nothing would be paid. */
function fail(run: Run, { kind, type, message }: CallFailure): void {
  if (kind === 'cancelled') return;
  stop(run, 'failed:hook', `The hook at the end of a turn failed: ${message || type || kind}`);
}
