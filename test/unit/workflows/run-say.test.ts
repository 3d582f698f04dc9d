import { expect, test } from 'vitest';
import type { UserMessage } from '../../../src/run/messages/message.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import type { Ports } from '../../../src/workflows/run/ports.js';
import { Run } from '../../../src/workflows/run/run.js';

function runThatRead(): Run {
  const state = newRunState('The goal', { mode: 'team', workspace: '/w', autoApprove: false }, 1);
  state.tools.ledger.entries.read = {
    toolUseId: 'c1',
    tool: 'read',
    messageId: 'm1',
    ending: 'executed',
    isError: false,
    complete: true,
    isStub: false,
    paths: ['/w/a'],
  };
  return new Run(state, { now: () => 1 } as Ports);
}

test.each<[UserMessage['purpose'], boolean]>([
  ['goal', false],
  ['steer', false],
  ['instruction', true],
  ['reask', true],
])('a message that is a %s → what was read before holds: %s (LI8)', (purpose, holds) => {
  const run = runThatRead();
  run.say(run.mainThread(), purpose, 'I changed it, read it again.');
  expect(Object.keys(run.state.tools.ledger.entries)).toEqual(holds ? ['read'] : []);
});

test('an instruction that gives a task → names it, so that trimming keeps it (LI6)', () => {
  const run = runThatRead();
  run.say(run.mainThread(), 'instruction', 'Do this task now.', { taskId: 'task-1' });
  run.say(run.mainThread(), 'instruction', 'Plan.');
  expect(run.mainThread().messages).toMatchObject([{ taskId: 'task-1' }, { purpose: 'instruction' }]);
  expect(run.mainThread().messages[1]).not.toHaveProperty('taskId');
});
