import { WorkflowUpdateFailedError } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { answerGateUpdate } from '../../src/workflows/run/definitions.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, toolSteps, toolTexts } from '../support/run-views.js';
import {
  byRole,
  calls,
  clarification,
  latch,
  openGateOf,
  planned,
  reported,
  settingsYaml,
} from '../support/steering.js';
import { until } from '../support/wait.js';

const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note', 'gates: { timeoutMs: 1000 }') },
});

const write = { name: 'write_file', arguments: { path: 'x.txt', content: 'x' } };

test('an approval that nobody gives → denied at the deadline; an answer after it is refused (C23)', async () => {
  const hold = latch();
  const asked = rig.play(
    byRole({ planner: [planned], executor: [calls(write), { ...reported(), hold: { until: hold.until } }] }),
  );
  const handle = await rig.start('Write', { attended: true });
  const { id: gateId } = await openGateOf(handle, 'approval');
  await until('the deadline', async () => (await eventsOf(handle, 'gate_closed')).length === 1);
  const late = handle.executeUpdate(answerGateUpdate, { args: [{ gateId, decision: 'approve' }] });
  const refused = await late.catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(WorkflowUpdateFailedError);
  expect(String((refused as WorkflowUpdateFailedError).cause)).toContain('is closed');
  hold.open();
  const result = (await handle.result()) as RunResult;
  expect(toolSteps(result).flatMap(step => step.ending ?? [])).toEqual(['denied']);
  expect(toolTexts(asked.requests[2])[0]).toContain('"Nobody answered in time".');
  expect(await eventsOf(handle, 'gate_closed')).toMatchObject([{ gateId, by: 'timeout', decision: 'deny' }]);
});

test('a plan that nobody approves → the run stops with the plan as its answer (L15)', async () => {
  rig.play(byRole({ planner: [planned] }));
  const { result } = await rig.run('Do it', { attended: true, approvePlan: true });
  expect(result).toMatchObject({ outcome: 'stopped', text: expect.stringContaining('Do it') });
});

test('a question that nobody answers → the planner makes the best plan it can (C34)', async () => {
  rig.play(byRole({ planner: [clarification('Which boat?'), planned], executor: [reported()] }));
  const { result, handle } = await rig.run('Paint it', { attended: true });
  expect(result.outcome).toBe('completed');
  expect(await eventsOf(handle, 'gate_closed')).toMatchObject([{ by: 'timeout', decision: 'no answer' }]);
});

test('a client that gives no result in time → it may have run the call, and the run goes on (T11)', async () => {
  const tool = { name: 'ask_crew', description: 'Asks.', inputSchema: { type: 'object' } };
  const asked = rig.play(byRole({ planner: [planned], executor: [calls({ name: 'ask_crew' }), reported()] }));
  const { result } = await rig.run('Ask', { clientTools: [tool] });
  expect(result.outcome).toBe('completed');
  expect(toolTexts(asked.requests[2])[0]).toContain('may or may not have taken effect');
  expect(toolSteps(result)[0]).toMatchObject({ ending: 'outcome_unknown' });
});

test('a question of a role with tools that nobody answers → it is told to decide itself (F17)', async () => {
  const ask = { name: 'ask_person', arguments: { question: 'Which boat?' } };
  const script = rig.play([calls(ask), { text: 'The red one: I assumed it.' }]);
  const { result, handle } = await rig.run('Paint it', { attended: true, mode: 'react' });
  expect(result).toMatchObject({ cause: 'direct_answer', text: 'The red one: I assumed it.' });
  expect(toolTexts(script.requests[1])[0]).toContain('decide yourself');
  expect(await eventsOf(handle, 'gate_closed')).toMatchObject([{ by: 'timeout', decision: 'no answer' }]);
});
