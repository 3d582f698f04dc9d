import { expect, test } from 'vitest';
import { CONTENT, teamRun } from '../../support/team-run.js';

const TASKS = Array.from({ length: 9 }, (_, index) => ({
  id: `task-${index + 1}`,
  description: `Read src/part-${index + 1}.ts and list every function that it exports, with its parameters.`,
  completionCriteria: `Each function of src/part-${index + 1}.ts is listed, or it is shown that there is none.`,
}));
const report = (at: number) => `src/part-${at}.ts has two functions, open at line 12 and close at line 40.`;

/** A report and a plan, two rounds a task: 20 calls. */
async function twentyCalls() {
  const { calls } = await teamRun({
    answer: ({ role, times }) => {
      const at = Math.ceil(times / 2);
      if (role === 'planner') return { summary: 'One by one.', needsMorePlanning: false, todos: TASKS };
      if (role === 'executor')
        return {
          summary: times % 2 === 0 ? report(at) : `Reading part ${at}.`,
          taskCompleted: times % 2 === 0,
        };
      if (role !== 'verifier') return undefined;
      const tasks = TASKS.map(({ id }) => ({ id, completed: true, feedback: 'Seen.' }));
      return { ...(CONTENT.verifier as object), tasks };
    },
  });
  return calls.map(({ request }) => request);
}

test('a run of 20 calls: the last request → each report once, each task in plan and instruction alone, the first in the plan (OU13)', async () => {
  const requests = await twentyCalls();
  expect(requests).toHaveLength(20);
  const last = requests.at(-1) ?? '';
  const times = (part: string) => last.split(part).length - 1;
  for (const [index, { description, completionCriteria }] of TASKS.entries()) {
    const told = index === 0 ? 1 : 2;
    expect(times(description)).toBe(told);
    expect(times(completionCriteria)).toBe(told);
    expect(times(report(index + 1))).toBe(1);
  }
});

test('a run of 20 calls: what is new with each call → no more than the task, its states and the reply (OU13)', async () => {
  const sizes = (await twentyCalls()).map(request => Buffer.byteLength(request));
  const grown = sizes.slice(2, -1).map((size, index) => size - (sizes[index + 1] ?? 0));
  expect(Math.max(...grown)).toBeLessThan(800);
});
