import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Streams } from '../../../packages/session/screen/terminal.js';
import { runSession } from '../../../packages/session/session.js';
import type { Gate } from '../../../src/run/gates/gate.js';
import { noColors, textSink } from '../../../src/shared/process/output.js';
import { approvalGate, eventItem, fakeRuns, gateOpened, lookOf, warning } from '../../support/fake-runs.js';
import { until } from '../../support/wait.js';

const GATE = approvalGate();
const { id: gateId, kind, title } = GATE;

/** A session of a run whose state is told when the test says so. */
async function session() {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  let screen = '';
  stdout.on('data', chunk => {
    screen += chunk;
  });
  let notes = '';
  const sink = textSink(text => {
    notes += text;
  }, noColors);
  const output = { out: sink, notes: sink };
  const asked: ((gates: Gate[] | null) => void)[] = [];
  const runs = fakeRuns();
  const run = {
    ...{ id: 'r', inputOf: async () => null, events: (await runs.attach('r')).events },
    state: () =>
      new Promise((resolve, reject) =>
        asked.push(gates =>
          gates === null
            ? reject(new Error('No worker answers.'))
            : resolve({ ...lookOf({ gates }), internals: { lastEventSeq: 0 }, goals: [] }),
        ),
      ),
  };
  const context = { output, progress: { line: () => {} } };
  const options = { run, goal: 'Go.', owned: false, notifier: { take: () => {} } };
  const code = runSession(context as never, options as never, { stdin, stdout } as unknown as Streams);
  return {
    ...{ runs, asked, code, screen: () => screen, notes: () => notes },
    press: (keys: string) => void stdin.write(keys),
    drawn: (text: string) => until(`${text} is drawn`, () => screen.includes(text)),
    query: (number: number) => until(`state query ${number}`, () => asked[number - 1]),
  };
}

test('a gate opens → its lines are drawn with its keys, when the state lists it (TE4, TE5)', async () => {
  const { runs, screen, press, drawn, query, code, notes } = await session();
  runs.happens(gateOpened(1, GATE));
  const tell = await query(1);
  press('x');
  await drawn('> x');
  expect(screen()).not.toContain(title);
  tell([GATE]);
  await drawn('y approve');
  expect(screen()).toContain('a.txt');
  press('\u0003');
  await drawn('d detach');
  press('d');
  expect(await code).toBe(130);
  expect(notes()).toContain('The run r waits for your answer');
});

test('a gate whose state is not told, or told from before → is asked for until it is (TE5)', async () => {
  const { runs, screen, press, drawn, query, code, notes } = await session();
  runs.happens(warning(1, 'Slow.'));
  const early = await query(1);
  runs.happens(gateOpened(2, GATE));
  await drawn('Slow.');
  early([]);
  (await query(2))(null);
  const tell = await query(3);
  expect(screen()).not.toContain(title);
  tell([GATE]);
  await drawn('y approve');
  press('\u0003dd');
  await code;
  expect(notes()).toContain('The run r waits for your answer');
});

test('a gate that closes before its state is told → its lines stand above its end (TE5)', async () => {
  const { runs, screen, press, drawn, query, code } = await session();
  runs.happens(
    gateOpened(1, GATE),
    eventItem(2, 'gate_closed', { gateId, kind, by: 'person', decision: 'approve' }),
  );
  await query(1);
  await drawn('approve');
  expect(screen().indexOf(title)).toBeGreaterThan(0);
  expect(screen().lastIndexOf('approve')).toBeGreaterThan(screen().lastIndexOf(title));
  expect(screen()).not.toContain('y approve');
  press('\u0003d');
  await code;
});
