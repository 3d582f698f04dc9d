import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import {
  MOST_TOOLS_COUNTED,
  STEP_BYTES,
  TRACE_BYTES,
  TRACE_SHELVED_ABOVE,
} from '../../../../src/base/sizes/bounds.js';
import type { AssistantMessage, ToolEnding } from '../../../../src/run/messages/message.js';
import {
  addStep,
  emptyTrace,
  type NotedStep,
  offloadSteps,
  stepOf,
  stepsToOffload,
  type Trace,
} from '../../../../src/run/state/trace.js';

function toolStep(tool: string, ending: ToolEnding, elapsedMs: number): NotedStep {
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
    resultId: 'm2',
    decidedBy: null,
    tokens: { input: 3, output: 4 },
    elapsedMs,
    error: null,
  };
}

const FINAL: NotedStep = {
  ...toolStep('', 'executed', 5),
  action: { type: 'final' },
  ending: null,
};

function traceOf(steps: readonly NotedStep[]): Trace {
  const trace = emptyTrace();
  for (const step of steps) addStep(trace, step);
  return trace;
}

describe('addStep', () => {
  test('addStep: first step → number 1, all it says is kept, and what it does not say takes no room (O2)', () => {
    const { expectedOutcome, risk, confidence, decidedBy, error, ...said } = toolStep('read', 'executed', 5);
    const [step] = traceOf([{ ...said, expectedOutcome, risk, confidence, decidedBy, error }]).steps;
    expect(JSON.stringify(step)).toBe(JSON.stringify({ step: 1, ...said }));
  });

  test('addStep: steps in Chinese without end → bounded in bytes, the last stay, numbers go on, the dropped are counted (O2, ST1)', () => {
    const trace = traceOf(Array.from({ length: 1_000 }, () => ({ ...FINAL, thought: '帆'.repeat(200) })));
    expect(jsonBytes(trace.steps)).toBeLessThanOrEqual(TRACE_BYTES);
    expect(trace.steps.length).toBeGreaterThan(50);
    expect(trace.dropped + trace.steps.length).toBe(1_000);
    expect(trace.steps.map(({ step }) => step)).toEqual(
      Array.from({ length: trace.steps.length }, (_, index) => trace.dropped + index + 1),
    );
  });

  test('addStep: a step with a text of any length → cut with a mark (ST1)', () => {
    const [step] = traceOf([{ ...FINAL, observation: '\u0000'.repeat(100_000) }]).steps;
    expect(jsonBytes(step)).toBeLessThanOrEqual(STEP_BYTES);
    expect(step?.observation).toMatch(/… \[cut: \d+ characters\]$/);
  });

  test('addStep: more tools than are counted each → the rest counted together (ST1)', () => {
    const { usedTools } = traceOf(
      Array.from({ length: 400 }, (_, index) => toolStep(`tool${index}`, 'executed', 1)),
    );
    expect(Object.keys(usedTools)).toHaveLength(MOST_TOOLS_COUNTED + 1);
    expect(usedTools['(others)']).toEqual({
      count: 400 - MOST_TOOLS_COUNTED,
      totalMs: 400 - MOST_TOOLS_COUNTED,
    });
  });

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
    const trace = traceOf(Array.from({ length: 1_010 }, () => toolStep('read', 'executed', 1)));
    expect(trace.usedTools).toEqual({ read: { count: 1010, totalMs: 1010 } });
  });
});

test('emptyTrace: made twice → two of their own', () => {
  const trace = traceOf([toolStep('read', 'executed', 1)]);
  expect(emptyTrace()).toEqual({ steps: [], dropped: 0, stored: [], usedTools: {} });
  expect(trace.steps).toHaveLength(1);
});

describe('stepOf', () => {
  const replyWith = (text: string): AssistantMessage => ({
    id: 'm1',
    at: 1,
    kind: 'assistant',
    action: 'answering',
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

describe('shelving', () => {
  const long = (taskId: string | null) => ({
    ...toolStep('read', 'executed', 1),
    taskId,
    thought: 'x'.repeat(200),
  });
  const traceWith = (earlier: number, ofTask: number) =>
    traceOf([
      ...Array.from({ length: earlier }, () => long('task-1')),
      ...Array.from({ length: ofTask }, () => long('task-2')),
    ]);

  test('stepsToOffload: little in the trace → nothing (ST1)', () => {
    expect(stepsToOffload(traceWith(20, 20), ['task-2'])).toEqual([]);
  });

  test('stepsToOffload: much → all before the task at hand, in order (ST1)', () => {
    const trace = traceWith(130, 15);
    expect(jsonBytes(trace.steps)).toBeGreaterThan(TRACE_SHELVED_ABOVE);
    expect(stepsToOffload(trace, ['task-2']).map(({ step }) => step)).toEqual(
      Array.from({ length: 130 }, (_, n) => n + 1),
    );
  });

  test('stepsToOffload: a task that alone is too much → its oldest steps, half of what is kept (ST1)', () => {
    const trace = traceWith(0, 140);
    const offloaded = stepsToOffload(trace, ['task-2']);
    expect(offloaded.length).toBeGreaterThan(30);
    expect(offloaded.length).toBeLessThan(140);
  });

  test('offloadSteps: with and without a reference → the steps go, are counted, and the reference is kept (ST1)', () => {
    const trace = traceWith(3, 3);
    offloadSteps(trace, 2, 'ref-1');
    offloadSteps(trace, 1, null);
    expect(trace).toMatchObject({ dropped: 3, stored: ['ref-1'] });
    expect(trace.steps[0]?.step).toBe(4);
  });
});
