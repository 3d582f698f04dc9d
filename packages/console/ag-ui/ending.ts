/** Decides when and how an AG-UI stream ends: the run asks, waits for a tool of the client, has its answer, or has ended. */

import { type AgUiEvent, asksPerson, interruptOf, toolCallOf } from '@steersman/ag-ui';
import type { RunSnapshot } from 'steersman/client';
import { type Cause, causeText, type Outcome } from 'steersman/run';
import type { Followed } from './followed.js';
import { type AgUiInput, speaks1 } from './input.js';
import type { Sent } from './send.js';

type Ending = Extract<AgUiEvent, { type: 'RUN_FINISHED' | 'RUN_ERROR' }>;

/** Returns the last event of the stream; null while it continues. */
export function endingOf(input: AgUiInput, followed: Followed, sent: Pick<Sent, 'since'>): Ending | null {
  const { run, snapshot, told, goalEnd, end } = followed;
  if (end !== null) {
    const text = end.result?.text ?? goalEnd?.answer ?? '';
    return ended(input, run.id, { ...end, text, why: end.failure?.message });
  }
  // A snapshot is valid only at its own event: an older one is outdated, and the events of a newer one were not sent yet.
  if (snapshot === null || snapshot.lastEventSeq !== told) return null;
  if (sent.since !== null && told <= sent.since) return null;
  const asking = gateEnding(input, run.id, snapshot);
  if (asking !== null) return asking;
  const isAnswered = snapshot.phase === 'idle' && (sent.since === null || (goalEnd?.seq ?? 0) > sent.since);
  if (!isAnswered || goalEnd === null) return null;
  return ended(input, run.id, { ...goalEnd, text: goalEnd.answer });
}

function gateEnding(input: AgUiInput, run: string, { gates }: RunSnapshot): Ending | null {
  const { threadId, runId } = input;
  const asked = gates.filter(asksPerson);
  if (asked.length > 0) {
    const interrupts = asked.map(gate => interruptOf(run, gate));
    return { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'interrupt', interrupts } };
  }
  if (gates.length === 0) return null;
  const pendingToolCallIds = gates.flatMap(gate => toolCallOf(run, gate) ?? []);
  const outcome = { type: 'success' as const, ...(speaks1(input) && { pendingToolCallIds }) };
  return { type: 'RUN_FINISHED', threadId, runId, outcome };
}

function ended(
  input: AgUiInput,
  run: string,
  {
    outcome,
    cause,
    text,
    why,
  }: { outcome: Outcome | null; cause: Cause | null; text: string; why?: string | undefined },
): Ending {
  if (outcome === null || outcome === 'failed') {
    const message = why || (cause === null ? 'The run was ended.' : causeText(cause));
    return { type: 'RUN_ERROR', message, code: cause ?? 'terminated' };
  }
  const { threadId, runId } = input;
  const wasStopped = outcome === 'stopped' || outcome === 'cancelled';
  const type = wasStopped ? 'cancelled' : 'success';
  return {
    ...{ type: 'RUN_FINISHED', threadId, runId },
    result: { run, outcome, cause, text },
    ...((speaks1(input) || !wasStopped) && { outcome: { type } }),
  };
}
