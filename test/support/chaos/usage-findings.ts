/** Whether what a tree of runs says it used is what its histories hold. */

import { usageOf } from '../../../src/run/limits/usage-by.js';
import type { Usage } from '../../../src/run/messages/message.js';
import { eventsOf, firstOf, isTerminated, type RunRecord } from './records.js';

/** Input and output. */
type Tokens = [input: number, output: number];

export function usageFaults(records: readonly RunRecord[]): string[] {
  const usedBy = new Map(records.map(({ id, end }) => [id, end?.result?.usage]));
  return records.flatMap(record => {
    const { id, end } = record;
    if (!end?.result) return !end || isTerminated(record) ? [] : [`${id} left no result`];
    const { usage, usageBy } = end.result;
    const total = tokensOf(usage);
    const parts = sum(usageBy.map(entry => tokensOf(usageOf(entry))));
    const children = childrenOf(record).map(child => tokensOf(usedBy.get(child)));
    const counted = sum([...ownCalls(record), ...children]);
    return [
      ...(same(total, parts) ? [] : [`${id} used ${total} tokens, and its parts are ${parts}`]),
      ...(same(total, counted) ? [] : [`${id} says ${total} tokens, and its history has ${counted}`]),
    ];
  });
}

function childrenOf(record: RunRecord): string[] {
  return eventsOf(record).flatMap(
    event => event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId ?? [],
  );
}

/** Of model calls, whatever became of them. */
function ownCalls(record: RunRecord): Tokens[] {
  return eventsOf(record).flatMap(event => {
    const ended = event.activityTaskCompletedEventAttributes;
    const { failure } = event.activityTaskFailedEventAttributes ?? {};
    const { failure: timeout } = event.activityTaskTimedOutEventAttributes ?? {};
    const used =
      firstOf<{ usage?: Usage } | null>(ended?.result)?.usage ??
      firstOf<{ usage?: Usage }>(failure?.applicationFailureInfo?.details)?.usage ??
      firstOf<{ spent?: Usage }>(timeout?.timeoutFailureInfo?.lastHeartbeatDetails)?.spent;
    return used ? [tokensOf(used)] : [];
  });
}

function tokensOf(usage: Usage | undefined): Tokens {
  return [usage?.inputTokens ?? 0, usage?.outputTokens ?? 0];
}

function sum(all: readonly Tokens[]): Tokens {
  return all.reduce<Tokens>(([input, output], [more, moreOut]) => [input + more, output + moreOut], [0, 0]);
}

function same([input, output]: Tokens, [otherInput, otherOutput]: Tokens): boolean {
  return input === otherInput && output === otherOutput;
}
