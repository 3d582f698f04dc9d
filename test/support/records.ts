/** What stores are given in tests. */

import { type Message, NO_USAGE } from '../../src/run/messages/message.js';
import type { RunRecord, StoredLine } from '../../src/run/state/stored-line.js';

export function runRecord(session: string, more: Partial<RunRecord> = {}): RunRecord {
  return {
    v: 1,
    chain: `chain-of-${session}`,
    session,
    workflowId: session,
    runId: 'execution-1',
    namespaceId: 'namespace-1',
    goal: `Goal of ${session}`,
    mode: 'react',
    workspace: '/work',
    number: 1,
    startedAt: 1_000,
    changedAt: 2_000,
    outcome: null,
    cause: null,
    answer: null,
    ended: false,
    usage: NO_USAGE,
    kept: { id: 0, seq: 0 },
    ...more,
  };
}

export function said(number: number, text: string, thread = 'main'): StoredLine {
  const message: Message = {
    id: `m${number}`,
    at: number,
    kind: 'user',
    purpose: 'steer',
    content: [{ type: 'text', text }],
  };
  return { kind: 'message', thread, message };
}
