/** What a chaos takes for wrong, and what not: of messages, and of sessions. */

import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { BUILT_IN_WORDS } from '../../src/base/words/words.js';
import type { RunEnd } from '../../src/client/record/run-end.js';
import { toolResult } from '../../src/conversation/tool-result.js';
import { type Message, NO_USAGE, type UserMessage } from '../../src/run/messages/message.js';
import { readReceipt } from '../../src/run/steering/receipt.js';
import { messageFaults } from '../support/chaos/findings.js';
import { endsWell } from '../support/chaos/kinds.js';
import type { RunRecord } from '../support/chaos/records.js';
import { sessionFaults } from '../support/chaos/session-findings.js';
import { KEEPER } from '../support/chaos/tool-work.js';

const TEXT = 'message 1 of r';

function user(at: number, text: string, more: Pick<UserMessage, 'purpose' | 'taskId'>): UserMessage {
  return { id: `u${at}`, at, kind: 'user', content: [{ type: 'text', text }], ...more };
}

function record(id: string, status: string, read: readonly string[] = []): RunRecord {
  const end: RunEnd = {
    id,
    runId: id,
    status,
    outcome: null,
    cause: null,
    basis: null,
    result: null,
    failure: null,
  };
  const threads = [read.map(text => user(0, text, { purpose: 'steer' }))];
  return { id, end, parts: [], threads, journal: [] };
}

it.each([
  ['was terminated then', 'nothing is wrong', 'terminated', [], []],
  ['was terminated then, and is in the run itself', 'it is doubled', 'terminated', [TEXT], ['m1 is in 2']],
  ['ended by itself and does not have it', 'it is lost', 'completed', [], ['m1 is in 0']],
])('a message of a chaos: told as read by an agent that %s → %s', (_when, _outcome, status, read, wrong) => {
  const input = { payloads: [defaultPayloadConverter.toPayload({ id: 'm1', text: TEXT })] };
  const events = [{ workflowExecutionSignaledEventAttributes: { signalName: 'steer', input } }];
  const parts = [{ workflowId: 'r', runId: 'r', history: { events } }];
  const told = [
    { seq: 1, at: 0, type: 'receipt' as const, ...readReceipt(BUILT_IN_WORDS.en, 'm1', 'middle/3') },
  ];
  const records = [{ ...record('r', 'completed', read), parts }, record('r/middle/3', status)];
  const found = messageFaults({ people: { events: told, toldOfGap: false }, records });
  expect(found.map(fault => fault.split(' conv')[0])).toEqual(wrong);
});

const END = { outcome: 'completed', cause: 'verified', answer: '' } as const;

it.each([
  ['after the end of the run', 'nothing is wrong', 2, [], []],
  ['after the end, and is in the conversation', 'it was read', 2, [TEXT], ['m1 was refused and is in the']],
  ['before the end', 'nobody accepted it', 0, [], ['m1 has the receipts dropped']],
])('a message of a chaos: refused %s → %s', (_when, _outcome, at, read, wrong) => {
  const input = { payloads: [defaultPayloadConverter.toPayload({ id: 'm1', text: TEXT })] };
  const events = [{ workflowExecutionSignaledEventAttributes: { signalName: 'steer', input } }];
  const parts = [{ workflowId: 'r', runId: 'r', history: { events } }];
  const told = [
    { seq: 1, at: 0, type: 'run_ended' as const, ...END },
    {
      seq: at,
      at: 0,
      type: 'receipt' as const,
      id: 'm1',
      state: 'dropped' as const,
      how: 'The run has ended.',
    },
  ];
  const records = [{ ...record('r', 'completed', read), parts }];
  const found = messageFaults({ people: { events: told, toldOfGap: false }, records });
  expect(found.map(fault => fault.split(' conv')[0])).toEqual(wrong);
});

const task = (taskId: string, at: number) => user(at, `Do ${taskId}.`, { purpose: 'instruction', taskId });

/** A call of the keeper's tools, and its result. */
function keeper(at: number, tool: 'remember' | 'recall', text: string): Message[] {
  const call = { type: 'tool_use' as const, id: `c${at}`, name: `${KEEPER}__${tool}`, input: { text } };
  const reply = { kind: 'assistant', role: 'executor', stopReason: 'tool_use', model: 'm' } as const;
  const result = toolResult(call, 'executed', { content: [{ type: 'text', text }] });
  return [
    { ...reply, id: `a${at}`, at, action: 'calling_tool', usage: NO_USAGE, content: [call] },
    { id: `r${at}`, at, kind: 'tool_result', content: [result] },
  ];
}

// The task of higher priority begins first. In the conversation it is in its place of the plan: the second.
it.each([
  ['what the task before it left, which stands behind it', 'right', 2, keeper(11, 'recall', 'b')],
  ['nothing, in a session of its own', 'right', 2, keeper(11, 'recall', 'nothing')],
  ['what nobody remembered', 'wrong', 2, keeper(11, 'recall', 'c')],
  ['what was remembered after it had begun', 'wrong', 2, keeper(21, 'recall', 'late')],
  ['not what it remembered', 'wrong', 2, [...keeper(11, 'remember', 'a'), ...keeper(12, 'recall', 'b')]],
  ['what stands behind it, where none is beside another', 'wrong', 1, keeper(11, 'recall', 'b')],
])('a session of a chaos: a task recalls %s → %s', (_what, outcome, parallelTasks, calls) => {
  const second = [task('b', 1), ...keeper(2, 'remember', 'b'), ...keeper(20, 'remember', 'late')];
  const thread = [task('a', 10), ...calls, ...second];
  const faults = sessionFaults(thread, { settings: { limits: { parallelTasks } } });
  expect(faults).toHaveLength(outcome === 'right' ? 0 : 1);
});

it.each([
  ['a short one, at its limit of replies', true, 'unverified', 'turn_cap', true],
  ['a short one, at its limit of tokens', true, 'budget_exhausted', 'budget:tokens', true],
  ['an ample one, at its limit of replies', false, 'unverified', 'turn_cap', false],
  ['an ample one, with an answer', false, 'answered', 'direct_answer', true],
] as const)('the end of a tree: %s → right or not', (_, isShort, outcome, cause, right) => {
  const draft = { kind: 'tree', settings: {}, isShort, quits: null, losesAgents: false } as const;
  expect(endsWell(draft, { outcome, cause })).toBe(right);
});
