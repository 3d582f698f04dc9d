import { expect, test } from 'vitest';
import type { CompareFileInput } from '../../../../../src/activities/types.js';
import type { RunSettings } from '../../../../../src/run/agents/run-config.js';
import { requestPause } from '../../../../../src/workflows/inbox/inbox-handlers.js';
import type { Run } from '../../../../../src/workflows/run/run.js';
import { runNextCalls } from '../../../../../src/workflows/turn/tools/run-tools.js';
import { answer, fileTool, runAtCalls } from '../../../../support/small-run.js';
import { eventually } from '../../../../support/wait.js';

const WRITE = { name: 'put', input: { path: 'a', content: 'new' } };

/** A run that is about to write; the file is looked at when the test lets it. */
function aboutToWrite(settings: Partial<RunSettings> = {}) {
  const looked: CompareFileInput[] = [];
  let look = () => {};
  const may = new Promise<void>(resolve => {
    look = resolve;
  });
  const compareFile = async (input: CompareFileInput) => {
    looked.push(input);
    await may;
    return { ok: true as const, value: { kind: 'changed' as const, diff: '-old\n+new' } };
  };
  const small = runAtCalls([WRITE, { name: 'put', input: { path: 'b' } }], {
    settings,
    ports: { compareFile },
  });
  return { ...small, looked, look, turning: next(small.run) };
}

function next(run: Run): Promise<void> {
  const { batch } = run.state.cursor.position.turns;
  return runNextCalls(run, batch as NonNullable<typeof batch>);
}

const gates = (run: Run) => run.state.people.gates.map(({ gate }) => gate);

test('gate of a write: opened when the file was looked at, with the others; looked at once (PR8)', async () => {
  const { run, looked, look, turning, ran } = aboutToWrite();
  expect(gates(run)).toEqual([]);
  look();
  await eventually(() => expect(gates(run)).toHaveLength(2));
  expect(gates(run)[0]?.body).toContain('-old\n+new');
  answer(run, { gateId: gates(run)[0]?.id, decision: 'approve' });
  await turning;
  expect(ran).toHaveLength(1);
  expect(looked).toEqual([{ callId: 't1', workspace: '/w', arguments: WRITE.input }]);
});

test('gate of a write: a stop while the file is looked at → no gate is opened (PR8)', async () => {
  const { run, look, turning } = aboutToWrite();
  run.state.people.stop = { reason: 'enough', at: 0 };
  look();
  await turning;
  expect(gates(run)).toEqual([]);
});

test('gate of a write: nobody attends → the file is not looked at (PR8)', async () => {
  const { looked, turning, look } = aboutToWrite({ attended: false });
  look();
  await turning;
  expect(looked).toEqual([]);
});

test('a pause while a file is looked at → its gate is open, and the call before it does not run (L10)', async () => {
  const small = runAtCalls([{ name: 'read', input: {} }, WRITE], {
    ports: {
      compareFile: async () => {
        requestPause(small.run, null);
        return { ok: true, value: { kind: 'unread' } };
      },
    },
  });
  await next(small.run);
  expect(gates(small.run)).toHaveLength(1);
  expect(small.ran).toEqual([]);
});

const EDIT = {
  ...fileTool('edit'),
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, edits: { type: 'array' } },
    additionalProperties: false,
  },
};

test('SE9: an edit that can not be applied, beside one that can → a gate for the other alone; its result says why', async () => {
  const edit = (path: string) => ({ name: 'edit', input: { path, edits: [{ oldText: 'x', newText: 'y' }] } });
  const compareFile = async ({ arguments: given }: CompareFileInput) => ({
    ok: true as const,
    value:
      given?.path === 'a'
        ? { kind: 'fails' as const, why: 'Nothing was changed.' }
        : { kind: 'unread' as const },
  });
  const pinned = { tools: [EDIT] };
  const { run, results, ran } = runAtCalls([edit('a'), edit('b')], { pinned, ports: { compareFile } });
  await next(run);
  expect(gates(run)).toHaveLength(1);
  expect(results()).toMatchObject([
    { ending: 'invalid', note: expect.stringContaining('Nothing was changed.') },
  ]);
  const second = next(run);
  answer(run, { gateId: gates(run)[0]?.id, decision: 'approve' });
  await second;
  expect(ran).toHaveLength(1);
});
