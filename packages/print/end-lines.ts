/** Formats the end of a run, for people and for scripts. Pure. */
import {
  type Basis,
  type Cause,
  causeText,
  mayPass,
  type Outcome,
  type RunEnd,
  UNREADABLE,
} from 'steersman/client';
import { TRY_LATER } from 'steersman/run';
import type { Output } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import { EXIT, exitCodeOf } from './commands/exit-codes.js';

export function endLine(
  end: Pick<RunEnd, 'id' | 'status' | 'outcome' | 'cause' | 'basis' | 'failure'>,
): string {
  if (end.failure?.type === UNREADABLE) return `The run ${end.id} was ${end.status}. ${end.failure.message}`;
  if (end.outcome === null) {
    const by = end.failure?.message ? `: ${end.failure.message}` : '';
    return `The run ${end.id} was ${end.status.replace('_', ' ')}${by}. It left no answer.`;
  }
  return goalEndLine({ ...end, outcome: end.outcome }, end.failure?.message);
}

/** Returns a line about a goal's end and its cause. `why`: the failure's own message. */
export function goalEndLine(
  {
    outcome,
    cause,
    basis,
    exceptions,
  }: { outcome: Outcome; cause: Cause | null; basis?: Basis | null; exceptions?: string[] | null },
  why?: string,
): string {
  const name = NAMES[outcome];
  if (outcome === 'completed' && cause && basis) return `${name}: ${causeText(cause, { basis, exceptions })}`;
  if (outcome === 'completed' || outcome === 'answered' || outcome === 'cancelled') return `${name}.`;
  if (cause === null) return why ? `${name}: ${why}` : `${name}.`;
  const said = outcome === 'failed' && why ? why : causeText(cause);
  return `${name}: ${said}${mayPass(cause) ? ` ${TRY_LATER}` : ''}`;
}

const NAMES: Record<Outcome, string> = {
  completed: 'Completed',
  answered: 'Answered',
  unverified: 'Unverified',
  budget_exhausted: 'Budget exhausted',
  stopped: 'Stopped',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

/** Returns the machine-readable end of a run, which `--json` prints last. */
export function resultLine(end: RunEnd): object {
  const { id, runId, outcome, cause, result, failure, status } = end;
  return {
    type: 'result',
    id,
    runId,
    status,
    outcome,
    cause,
    basis: result?.basis ?? null,
    exceptions: result?.exceptions ?? [],
    text: result?.text ?? '',
    ...(result?.value !== undefined && { value: result.value }),
    tasks: result?.tasks ?? [],
    checks: result?.checks ?? [],
    usage: result?.usage ?? null,
    usageBy: result?.usageBy ?? [],
    counters: result?.counters ?? null,
    ...(failure === null ? {} : { failure }),
  };
}

export function printAnswer(output: Output, end: RunEnd): void {
  if (exitCodeOf(end.outcome) !== EXIT.ok) output.notes.line(endLine(end));
  noteUnkept(output, end);
  printText(output, end);
}

/** Prints how the run ended, then its answer. */
export function printEnd(output: Output, end: RunEnd): void {
  output.notes.line(endLine(end));
  noteUnkept(output, end);
  printText(output, end);
}

function noteUnkept({ notes }: Output, { result }: RunEnd): void {
  if (result?.unkept !== undefined)
    notes.line(
      'The store of conversations was unavailable at the end. Once it works again, a worker adds what is missing.',
    );
}

function printText(output: Output, end: RunEnd): void {
  if (end.result?.text) output.out.line(terminalText(end.result.text));
}
