/**
 * Asks a person through the run: a signal opens the gate, a query returns the answer. The activity keeps running,
 * because the asking server waits on its connection, which no other worker has.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { AskPerson } from '../../activities/tools/server-requests.js';
import type { FormMessage } from '../../run/gates/form.js';
import type { FormAnswer } from '../../run/gates/gate.js';
import { askPatiently, type Patience } from '../../shared/query-errors.js';
import { formAnswerQuery, formSignal } from '../../workflows/run/definitions.js';

/** A person takes longer than this; a query takes a few milliseconds. */
const LOOK_EVERY_MS = 1_000;
const PATIENCE: Patience = { giveUpMs: 40_000, bearing: ['passing', 'gone'] };

type Handle = Pick<WorkflowHandle, 'signal' | 'query'>;

/** `attempt`: the activity's attempt. */
export function personAsker(handle: Handle, attempt: number, lookEveryMs = LOOK_EVERY_MS): AskPerson {
  let asked = 0;
  return async ({ callId, question, waitMs }, signal) => {
    asked += 1;
    const form = { callId, attempt, id: String(asked) };
    const late = AbortSignal.timeout(Math.min(waitMs, LONGEST_MS));
    try {
      await handle.signal(formSignal, { ...form, question });
      return await answerTo(handle, form, { signal: AbortSignal.any([signal, late]), lookEveryMs });
    } catch {
      // After any failure the question is closed.
      const ended: FormMessage = { ...form, question: null, by: late.aborted ? 'timeout' : 'superseded' };
      await handle.signal(formSignal, ended).catch(() => undefined);
      return { kind: 'form', decision: late.aborted ? 'decline' : 'cancel' };
    }
  };
}

const LONGEST_MS = 2_147_483_647;

async function answerTo(
  handle: Handle,
  { callId, attempt, id }: Pick<FormMessage, 'callId' | 'attempt' | 'id'>,
  { signal, lookEveryMs }: { signal: AbortSignal; lookEveryMs: number },
): Promise<FormAnswer> {
  for (;;) {
    const key = `${callId}:${attempt}:${id}`;
    const answer = await askPatiently(() => handle.query(formAnswerQuery, key), { ...PATIENCE, signal });
    if (answer !== null) return answer;
    await sleep(lookEveryMs, undefined, { signal });
  }
}
