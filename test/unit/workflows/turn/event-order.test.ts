import { expect, test } from 'vitest';
import { runTeam } from '../../../support/scripted-team.js';
import { testRole } from '../../../support/small-run.js';

test('react: a turn → its call, the reply, then each tool begun and ended in the order of the calls, then the next call (H4)', async () => {
  const { run } = await runTeam([{ text: 'I look.', calls: ['put', 'put'] }, { text: 'There are two.' }], {
    settings: { mode: 'react', autoApprove: true },
    pinned: {
      roles: {
        react: testRole('react', { output: 'text' }),
        summary: testRole('summary', { output: 'text', tools: [] }),
      },
    },
  });
  const order = run.state.log.journal.events
    .map(({ type }) => type)
    .filter(type => type.startsWith('model_call') || type.startsWith('tool_call'));
  const called = ['model_call_started', 'model_call_ended'];
  const ran = ['tool_call_started', 'tool_call_ended'];
  expect(order).toEqual([...called, ...ran, ...ran, ...called]);
});
