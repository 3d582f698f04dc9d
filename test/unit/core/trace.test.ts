import { describe, expect, test } from 'vitest';
import type { AssistantMessage, ToolEnding } from '../../../src/core/message.js';
import {
  addStep,
  emptyTrace,
  stepOf,
  TRACE_KEPT,
  type Trace,
  type TraceStep,
} from '../../../src/core/trace.js';

function toolStep(tool: string, ending: ToolEnding, elapsedMs: number): Omit<TraceStep, 'step'> {
  return {
    at: 1,
    role: 'executor',
    taskId: 'task-1',
    messageId: 'm1',
    thought: '',
    expectedOutcome: null,
    risk: null,
    confidence: null,
    action: { type: 'tool', tool, arguments: '{}' },
    observation: 'ok',
    ending,
    elapsedMs,
    error: null,
  };
}

const FINAL: Omit<TraceStep, 'step'> = {
  ...toolStep('', 'executed', 5),
  action: { type: 'final' },
  ending: null,
};

function traceOf(steps: readonly Omit<TraceStep, 'step'>[]): Trace {
  const trace = emptyTrace();
  for (const step of steps) addStep(trace, step);
  return trace;
}

describe('addStep', () => {
  test('addStep: first step → number 1, all it says is kept (O2)', () => {
    const step = toolStep('read', 'executed', 5);
    expect(traceOf([step]).steps).toEqual([{ step: 1, ...step }]);
  });

  test.each([
    ['as many as are kept', TRACE_KEPT, 1, 0],
    ['one more', TRACE_KEPT + 1, 2, 1],
    ['many more', TRACE_KEPT + 250, 251, 250],
  ])(
    'addStep: %s → the last 1000 stay, numbers go on, the dropped are counted (O2)',
    (_, count, first, dropped) => {
      const trace = traceOf(Array.from({ length: count }, () => FINAL));
      expect(trace.dropped).toBe(dropped);
      expect(trace.steps.map(({ step }) => step)).toEqual(
        Array.from({ length: 1000 }, (_, index) => first + index),
      );
    },
  );

  test('addStep: calls that were executed → counted and timed by tool (O1, O3)', () => {
    const steps = [
      toolStep('read', 'executed', 5),
      toolStep('write', 'executed', 1),
      toolStep('read', 'executed', 7),
    ];
    expect(traceOf(steps).usedTools).toEqual({
      read: { count: 2, totalMs: 12 },
      write: { count: 1, totalMs: 1 },
    });
  });

  test.each<ToolEnding>([
    'reused',
    'invalid',
    'denied',
    'skipped',
    'cancelled',
    'timed_out',
    'unavailable',
    'outcome_unknown',
  ])('addStep: a call that ended %s → a step, but no use of the tool (O1)', ending => {
    const trace = traceOf([toolStep('read', ending, 5)]);
    expect(trace.steps).toHaveLength(1);
    expect(trace.usedTools).toEqual({});
  });

  test('addStep: a final step → no use of a tool (O1, O2)', () => {
    expect(traceOf([FINAL]).usedTools).toEqual({});
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'addStep: a tool named %s → counted like any (O1)',
    name => {
      const { usedTools } = traceOf([toolStep(name, 'executed', 2), toolStep(name, 'executed', 3)]);
      expect(Object.entries(usedTools)).toEqual([[name, { count: 2, totalMs: 5 }]]);
    },
  );

  test('addStep: uses of steps that were dropped → stay in the totals (O1)', () => {
    const trace = traceOf(Array.from({ length: TRACE_KEPT + 10 }, () => toolStep('read', 'executed', 1)));
    expect(trace.usedTools).toEqual({ read: { count: 1010, totalMs: 1010 } });
  });
});

test('emptyTrace: made twice → two of their own', () => {
  const trace = traceOf([toolStep('read', 'executed', 1)]);
  expect(emptyTrace()).toEqual({ steps: [], dropped: 0, usedTools: {} });
  expect(trace.steps).toHaveLength(1);
});

describe('stepOf', () => {
  const replyWith = (text: string): AssistantMessage => ({
    id: 'm1',
    at: 1,
    kind: 'assistant',
    role: 'executor',
    model: 'test/a',
    stopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0, costUsd: null },
    content: [{ type: 'text', text }],
  });

  test('stepOf: an envelope → what it expects, risks and how sure it is stay with the step (F19, O5)', () => {
    const text = JSON.stringify({
      thought: 'Read it.',
      action: 'read',
      params: { path: 'a' },
      expectedOutcome: 'The text of a',
      risk: { level: 'low', description: 'None' },
      confidence: 90,
    });
    expect(stepOf(replyWith(text))).toMatchObject({
      messageId: 'm1',
      role: 'executor',
      expectedOutcome: 'The text of a',
      risk: { level: 'low', description: 'None' },
      confidence: 90,
    });
  });

  test('stepOf: plain words → nothing is made up (C1)', () => {
    const nothing = { expectedOutcome: null, risk: null, confidence: null };
    expect(stepOf(replyWith('I read it.'))).toMatchObject({ thought: 'I read it.', ...nothing });
  });
});
