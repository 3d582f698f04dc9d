import { describe, expect, test } from 'vitest';
import { REFUSAL } from '../../../../src/run/limits/failure.js';
import { isOutsideTask, queryGuard, type Step } from '../../../../src/workflows/platform/query-guard.js';

const LAST: Step = { time: '100.5', events: 20, isReplay: false };

describe('guard of queries', () => {
  test.each<[string, Step | null, Partial<Step>, boolean]>([
    ['the first step', null, { time: '100.5', events: 3 }, false],
    ['the next workflow task', LAST, { time: '101.0', events: 26 }, false],
    ['a further step of the same task: no new events', LAST, {}, false],
    ['a replay of several tasks', LAST, { events: 26, isReplay: true }, false],
    ['events without a task, by a query that came with the whole history', LAST, { events: 22 }, true],
    ['the same after a replay', { ...LAST, isReplay: true }, { events: 22 }, true],
  ])('%s → refused only where a query alone brings events (ST3)', (_, last, step, outside) => {
    expect(isOutsideTask(last, { ...LAST, ...step })).toBe(outside);
  });

  type Internals = NonNullable<ReturnType<typeof queryGuard>['internals']>[number];
  type ActivateInput = Parameters<NonNullable<Internals['activate']>>[0];

  /** Steps of one run, as the SDK gives them; what reached the run. */
  function run() {
    const [guard] = queryGuard().internals ?? [];
    const reached: ActivateInput[] = [];
    const activate = (seconds: number, historyLength: number, more: object = {}, batchIndex = 0) => {
      const timestamp = { seconds, nanos: 7 };
      const jobs = [{ signalWorkflow: {} }];
      const activation = { timestamp, historyLength, isReplaying: false, jobs, ...more };
      const input = { activation, batchIndex } as unknown as ActivateInput;
      guard?.activate?.(input, given => void reached.push(given));
    };
    return { activate, reached };
  }

  test('a step that no task has caused → an error of its own, and the run does not see it (ST3)', () => {
    const { activate, reached } = run();
    activate(100, 3);
    expect(() => activate(100, 5)).toThrow(REFUSAL);
    expect(reached).toHaveLength(1);
    activate(101, 9);
    expect(reached).toHaveLength(2);
  });

  const alone = { jobs: [{ queryWorkflow: { queryId: 'legacy_query' } }] };

  test('the first step after a replay, then at once a query by itself → refused: the step may be of a task that died (ST3)', () => {
    const { activate } = run();
    activate(100, 3, { isReplaying: true });
    activate(105, 9);
    expect(() => activate(105, 9, alone)).toThrow(REFUSAL);
  });

  test('a query by itself after a whole replay, after a second task, or with a task → answered', () => {
    const { activate, reached } = run();
    activate(100, 3, { isReplaying: true });
    activate(100, 3, alone);
    activate(105, 9);
    activate(105, 9, alone);
    const other = run();
    other.activate(100, 3, { isReplaying: true });
    other.activate(105, 9);
    other.activate(105, 9, { jobs: [{ queryWorkflow: { queryId: 'q1' } }] });
    other.activate(107, 12);
    other.activate(107, 12, alone);
    expect([reached.length, other.reached.length]).toEqual([4, 5]);
  });

  test('queries, and the second batch of a step → let through, and not compared', () => {
    const { activate, reached } = run();
    activate(100, 3);
    activate(100, 5, { jobs: [{ queryWorkflow: {} }] });
    activate(100, 5, {}, 1);
    expect(reached).toHaveLength(3);
  });

  test('activations of another form, as an upgrade of the SDK may bring → an error that says so', () => {
    const { activate } = run();
    expect(() => activate(100, 3, { timestamp: undefined })).toThrow(/another form/);
    expect(() => activate(100, 3, { historyLength: undefined })).toThrow(/another form/);
  });
});
