/** Hooks of the worker: functions of its program, and addresses of its configuration, that are called at moments of a run. */
import type { MomentEnd } from '../../activities/types.js';
import type { HookName } from '../../run/agents/run-config.js';
import { type CallFailure, FAILURE } from '../../run/limits/failure.js';
import { NOTE_EVENTS } from '../../run/state/note.js';
import type { Feature, Moment, Part } from '../../workflows/beside/feature.js';
import { stop } from '../../workflows/beside/tell.js';
import { Held } from '../../workflows/run/memory.js';
import type { Called } from '../../workflows/run/ports.js';
import type { Run } from '../../workflows/run/run.js';

export const hooks: Feature<Run> = { name: 'hooks', tells };

/** Names of the worker's hooks for a run that could not begin, and so did not pin them. */
const unpinned = new Held<{ names: readonly string[] }>('hooks', () => ({ names: [] }));

function has(run: Run, ...names: HookName[]): boolean {
  const { pinned } = run.state;
  const known: readonly string[] | undefined = pinned === null ? unpinned.of(run).names : pinned.hooks;
  return names.some(name => known?.includes(name));
}

function tells(run: Run, moment: Moment): Part | null {
  switch (moment.at) {
    case 'turn':
      return has(run, 'onTurnEnd', 'onMessage') ? { told: ended => turnEnded(run, ended) } : null;
    case 'results':
      return has(run, 'onMessage') && moment.messageIds().length > 0
        ? { told: ended => warned(run, 'onMessage', ended) }
        : null;
    case 'error':
      if (run.state.pinned === null) unpinned.of(run).names = moment.failure.hooks ?? [];
      return has(run, 'onError') ? { told: ended => noted(run, ended) } : null;
    case 'end':
      return has(run, 'onRunEnd') ? { told: ended => warned(run, 'onRunEnd', ended) } : null;
    default:
      return null;
  }
}

/** Stops the run if a hook refuses to continue, as a person's stop does. */
function turnEnded(run: Run, ended: Called<MomentEnd>): void {
  if (!ended.ok) return;
  warned(run, 'onMessage', ended);
  const { goOn, why = 'The hook onTurnEnd ended it.' } = ended.value;
  if (!goOn) stop(run, 'hook_stop', why);
}

/** Records the notes of hooks. */
function noted(run: Run, ended: Called<MomentEnd>): void {
  const notes = ended.ok ? (ended.value.notes ?? []) : [];
  for (const { type, text } of notes) run.journal(NOTE_EVENTS[type], { text });
}

/** Warns once for each hook: its text may differ each time, which would let the state grow. */
function warned(run: Run, hook: HookName, ended: Called<MomentEnd>): void {
  noted(run, ended);
  if (!ended.ok && ended.failure.kind === 'cancelled') return;
  const text = ended.ok ? ended.value.warning : failureOf(hook, ended.failure);
  if (text !== undefined) run.warnOnce(hook, text);
}

/** A failed charge precedes the hooks of its moment. */
function failureOf(hook: HookName, { type, message }: CallFailure): string {
  const why = type === FAILURE.accountFailed ? 'was not called' : 'failed';
  return `The hook ${hook} ${why}: ${message}`;
}
