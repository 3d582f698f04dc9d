import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { bundleWorkflowCode, DefaultLogger, type InjectedSinks, Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import type { TraceReport } from '../../src/run/state/trace.js';
import { SteersmanPlugin } from '../../src/worker/plugin.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { frozenHistories, type NamedHistory } from '../support/histories.js';
import { projectRoot } from '../support/project.js';
import { quietTemporal } from '../support/quiet.js';
import type { ResultSinks } from '../support/told-results.js';

quietTemporal();

/** The result that the code of a history's time returned; null without one. */
function resultIn({ history }: NamedHistory): RunResult | null {
  const ended = history.events?.at(-1)?.workflowExecutionCompletedEventAttributes;
  const [payload] = ended?.result?.payloads ?? [];
  return payload ? defaultPayloadConverter.fromPayload<RunResult>(payload) : null;
}

/**
 * The run's own words may have changed since, and JSON is told by its content now: such texts are only there. A call that
 * failed has its time now, which was 0.
 */
function comparable(
  { steps, dropped, usedTools, tokenUsage, totalMs, finishReason }: TraceReport,
  as = steps,
) {
  const told = steps.map((step, index) => {
    const { ending, observation = '', error: before } = as[index] ?? step;
    const { observation: said, error, ...rest } = step;
    const isSame = ending === 'executed' && before === undefined && !/^[[{]/.test(observation);
    const elapsedMs = ending === undefined || ending === 'executed' ? step.elapsedMs : 'of a failure';
    return {
      ...{ ...rest, elapsedMs, said: isSame ? said : said !== undefined },
      error: isSame ? error : error !== undefined,
    };
  });
  return { steps: told, dropped, usedTools, tokenUsage, totalMs, finishReason };
}

test('trace: whole runs of code that noted steps beside the journal → the same trace, from the journal alone (O1, O2, O5)', async () => {
  const whole = frozenHistories().flatMap(history => {
    const [start] = history.history.events ?? [];
    const before = resultIn(history);
    const isWhole = !start?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    return isWhole && before ? [{ ...history, before }] : [];
  });
  const module = join(projectRoot, 'test', 'support', 'told-results.ts');
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: module,
    workflowInterceptorModules: [module],
    plugins: [new SteersmanPlugin()],
    logger: new DefaultLogger('ERROR'),
  });
  const told = new Map<string, RunResult>();
  const sinks: InjectedSinks<ResultSinks> = {
    results: { tell: { fn: ({ runId }, result) => void told.set(runId, result), callDuringReplay: true } },
  };
  let at = 0;
  for await (const { runId, error } of Worker.runReplayHistories(
    { workflowBundle, sinks, plugins: [new SteersmanPlugin()] },
    whole,
  )) {
    const { name, before } = whole[at++] ?? {};
    const now = told.get(runId);
    expect(error).toBeUndefined();
    expect({ name, ...(now && comparable(now.trace, before?.trace.steps)) }).toEqual({
      name,
      ...(before && comparable(before.trace)),
    });
  }
  expect(at).toBeGreaterThan(20);
});
