import { expect, test } from 'vitest';
import {
  parseExecutorResponse,
  parsePlannerResponse,
  parseVerifierResponse,
} from '../../../../src/client/messages/index.js';

const CODE = '`'.repeat(3);

const PLAN = {
  type: 'component',
  component: 'planner-response',
  summary: 'Two steps',
  needsMorePlanning: false,
  todos: [
    {
      id: 't1',
      description: 'Count the teas',
      priority: 1,
      status: 'pending',
      dependencies: [],
      completionCriteria: 'A number stands in count.txt',
    },
  ],
};

test('readers: a planner in either form, in a fence → the same tasks, typed (G16)', () => {
  const flat = parsePlannerResponse(`Here it is:\n${CODE}json\n${JSON.stringify(PLAN)}\n${CODE}`);
  const { type: _type, component: _component, ...params } = PLAN;
  const envelope = parsePlannerResponse(
    JSON.stringify({
      thought: 'Simple.',
      action: 'TASK_PLAN',
      params,
      expectedOutcome: 'a plan',
      risk: { level: 'low', description: 'none' },
      confidence: 90,
    }),
  );
  for (const { ok, value } of [flat, envelope]) {
    expect(ok).toBe(true);
    expect(value?.summary).toBe('Two steps');
    expect(value?.tasks.map(({ id, description }) => [id, description])).toEqual([['t1', 'Count the teas']]);
  }
  expect(envelope.envelope.confidence).toBe(90);
});

test('readers: an executor and a verifier → their fields, by which a run decides (G16)', () => {
  const report = parseExecutorResponse(
    '{"summary":"Counted 3.","taskCompleted":true,"nextAction":"complete"}',
  );
  expect(report.value).toMatchObject({ summary: 'Counted 3.', taskCompleted: true, nextAction: 'complete' });
  const verdict = parseVerifierResponse(
    '{"allCompleted":true,"userNeedsSatisfied":false,"overallFeedback":"One is missing","improvements":["Count again"],"tasks":[]}',
  );
  expect(verdict.value).toMatchObject({ allCompleted: true, userNeedsSatisfied: false });
  expect(verdict.value?.improvements).toEqual(['Count again']);
});

test('readers: no JSON, a question of the role → errors in words, never an exception (G16)', () => {
  const prose = parseVerifierResponse('All is well.');
  expect(prose.ok).toBe(false);
  expect(prose.ok ? [] : prose.errors).toEqual([
    'The reply must be one complete, valid JSON object, got text that begins with "All is well.".',
  ]);
  const asks = parsePlannerResponse(
    '{"action":"CLARIFICATION_REQUIRED","params":{"question":"Which year?"}}',
  );
  expect(asks.special).toEqual({ kind: 'clarification', question: 'Which year?' });
  expect(asks.value).toBeNull();
});

test('readers: a planner whose plan goes on from an earlier one → its tasks, where those of before are named (G16)', () => {
  const plan = JSON.stringify({
    ...PLAN,
    todos: [{ id: 't2', description: 'Sum up', dependencies: ['t1'] }],
  });
  expect(parsePlannerResponse(plan).ok).toBe(false);
  const read = parsePlannerResponse(plan, { knownTaskIds: ['t1'] });
  expect(read.value?.tasks).toMatchObject([{ id: 't2', dependencies: ['t1'] }]);
});

test('readers: what is no text, and JSON without end → errors in words, never an exception (G16)', () => {
  for (const said of [undefined, null, 7, {}, '['.repeat(100_000), '{"a":'.repeat(100_000)])
    for (const read of [parsePlannerResponse, parseExecutorResponse, parseVerifierResponse])
      expect(read(said as string)).toMatchObject({
        ok: false,
        errors: [expect.stringContaining('JSON object')],
      });
});
