import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { eventsQuery, stateQuery } from '../../src/workflows/run/definitions.js';
import { partsOf } from '../support/histories.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { journalOf, transcriptOf, withoutTimes } from '../support/run-views.js';
import { SHORT_RUN_FILES, shortScript } from '../support/team-script.js';

const rig = rigOfFile({ workspace: SHORT_RUN_FILES });

test('continue-as-new at every safe point → the transcript of the uninterrupted run, a journal that goes on (L20)', async () => {
  const whole = rig.play(shortScript());
  const plain = await rig.run('How many boats?');
  const parts = rig.play(shortScript());
  const cut = await rig.run('How many boats?', { continueAsNew: 'every-safe-point' });

  const expected = withoutTimes(await transcriptOf(plain.handle));
  expect(withoutTimes(await transcriptOf(cut.handle))).toEqual(expected);
  expect(parts.requests.map(request => request.body)).toEqual(whole.requests.map(request => request.body));
  expect(comparable(cut.result)).toEqual(comparable(plain.result));

  const events = await journalOf(cut.handle);
  expect(events.map(event => event.seq)).toEqual(events.map((_, index) => index + 1));
  const handovers = events.filter(event => event.type === 'continued_as_new').length;
  expect(handovers).toBeGreaterThanOrEqual(8);
  const rest = events.filter(event => event.type !== 'continued_as_new');
  expect(rest.map(event => event.type)).toEqual((await journalOf(plain.handle)).map(event => event.type));
  await walkBack(cut.handle, handovers + 1);
});

function comparable({ trace, usage, counters, tasks, text, outcome }: RunResult) {
  return {
    steps: trace.steps.length,
    used: Object.keys(trace.usedTools),
    usage,
    counters,
    tasks,
    text,
    outcome,
  };
}

/** Each part names the one before it, and still answers for its own events. */
async function walkBack(handle: WorkflowHandle, count: number): Promise<void> {
  const parts = await partsOf(rig.env.client, handle);
  expect(parts).toHaveLength(count);
  for (const [index, { workflowId, runId }] of parts.entries()) {
    const part = rig.env.client.workflow.getHandle(workflowId, runId);
    const view = await part.query(stateQuery);
    expect(view).toMatchObject({
      internals: { segment: index + 1, previousRunId: parts[index - 1]?.runId ?? null },
    });
  }
  const [first] = parts;
  if (!first) throw new Error('no parts');
  const page = await rig.env.client.workflow.getHandle(first.workflowId, first.runId).query(eventsQuery, 0);
  expect(page.events[0]).toMatchObject({ seq: 1, type: 'run_started' });
}
