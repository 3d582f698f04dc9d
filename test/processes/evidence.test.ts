import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { roleOf } from '../../packages/test-kit/by-role.js';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { finishSignal, followUpSignal, stateQuery } from '../../src/workflows/run/definitions.js';
import type { ChatRequest, ScriptedReply, ScriptedToolCall } from '../support/endpoint/model.js';
import { onStage } from '../support/fault-stage.js';
import { killWorkers } from '../support/processes.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { journalOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const rig = rigOfFile({
  workspace: { 'a.txt': 'alpha\nbeta\n' },
  config: { 'steersman.yaml': settingsYaml('steering: note') },
});
afterAll(killWorkers);

const at = (name: string) => join(rig.project.workspace, name);
const put = (name: string, content: string | Uint8Array) => writeFileSync(at(name), content);
const write = (path: string, content: string): ScriptedToolCall => ({
  name: 'write_file',
  arguments: { path, content },
});
const done: ScriptedReply = { text: execution({ summary: 'It is written.', taskCompleted: true }) };
const judged = (evidence: string[], id = 'task-1') => ({ id, completed: true, feedback: 'Seen.', evidence });
const verified = (...tasks: ReturnType<typeof judged>[]): ScriptedReply => ({
  text: verdict({ summary: 'It says gamma.', tasks }),
});

beforeEach(() => {
  put('a.txt', 'alpha\nbeta\n');
});

/** Plays the replies in order; `before` is called before the reply of that index. */
async function pursue(
  replies: readonly ScriptedReply[],
  before: (index: number, request: ChatRequest) => void = () => {},
): Promise<{ result: RunResult; asked: string[]; told: string[]; looks: number }> {
  const script = rig.play((request, index) => {
    before(index, request);
    return replies[index] ?? { error: { status: 400, message: `There is no reply ${index}.` } };
  });
  const { handle, result } = await rig.run('Write it', { autoApprove: true });
  const requests = script.requests.filter(request => roleOf(request) === 'verifier');
  const { events } = await handle.fetchHistory();
  return {
    result,
    asked: requests.map(({ lastUser }) => lastUser),
    told: (await journalOf(handle)).flatMap(event => (event.type === 'reask' ? event.errors : [])),
    looks: looksIn(events),
  };
}

function looksIn(events: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']): number {
  const scheduled = (events ?? []).map(event => event.activityTaskScheduledEventAttributes);
  return scheduled.filter(activity => activity?.activityType?.name === 'steersmanLook').length;
}

describe('evidence before a verdict', () => {
  test('a file written twice, and by somebody in between → the whole difference; cited, the goal rests on evidence', async () => {
    const { result, asked } = await pursue(
      [
        { text: plan({ todos: ['Write a.txt'] }) },
        { toolCalls: [write('a.txt', 'alpha\n')] },
        { toolCalls: [write('a.txt', 'alpha\ngamma\n')] },
        done,
        verified(judged(['e1'])),
      ],
      index => {
        if (index === 2) put('a.txt', 'by somebody\n');
        if (index === 3) put('other.txt', 'by somebody\n');
      },
    );
    expect(asked[0]).toContain('e1 · task-1 · a.txt: changed, 12 bytes:');
    expect(asked[0]).toContain('\n-beta\n+gamma');
    expect(asked[0]).toMatch(/by no call of the goal:\n<files>\nother\.txt \(new\)\n<\/files>/);
    expect(asked[0]).toContain('No tool here runs commands');
    expect(result).toMatchObject({ outcome: 'completed', basis: 'evidence' });
    rmSync(at('other.txt'));
  });

  test("nothing is cited, or what is not there, or another task's → sent back once, then the word of the verifier alone", async () => {
    const replies = (...cited: string[][]): ScriptedReply[] => [
      { text: plan({ todos: ['Write a.txt', 'Write b.txt'] }) },
      { toolCalls: [write('a.txt', 'gamma\n')] },
      done,
      { toolCalls: [write('b.txt', 'delta\n')] },
      done,
      ...cited.map(ids => verified(judged(ids), judged(ids, 'task-2'))),
    ];
    const silent = await pursue(replies([]));
    expect([silent.result.basis, silent.told]).toEqual(['opinion', []]);
    const wrong = await pursue(replies(['e7', 'e1'], ['e7', 'e1']));
    expect(wrong.result).toMatchObject({ outcome: 'completed', basis: 'opinion' });
    expect(wrong.told).toEqual([
      '`evidence` of task "task-1" must name what the request lists (e1, e2), got "e7".',
      '`evidence` of task "task-2" must name what the request lists (e1, e2), got "e7".',
      '`evidence` of task "task-2" names e1, which is of task-1.',
    ]);
    rmSync(at('b.txt'));
  });

  test('what was cited changes after the look → looked at and judged anew, once; then it rests on a word', async () => {
    let changes = 0;
    const { result, asked, looks } = await pursue(
      [
        { text: plan({ todos: ['Write a.txt'] }) },
        { toolCalls: [write('a.txt', 'gamma\n')] },
        done,
        verified(judged(['e1'])),
        verified(judged(['e1'])),
      ],
      index => {
        if (index < 3) return;
        changes += 1;
        put('a.txt', `changed ${changes}\n`);
      },
    );
    expect(asked[1]).toContain('have changed since');
    expect(asked[1]).toContain('+changed 1');
    expect(result).toMatchObject({ outcome: 'completed', basis: 'opinion' });
    // As the goal begins, before the write, twice before a verdict, twice after one.
    expect(looks).toBe(5);
  });

  test('"all tests passed", where nothing can run them → the verifier is told, and no look is made but that of the loading', async () => {
    const { result, asked, looks } = await pursue([
      { text: plan({ todos: ['Run the tests'] }) },
      { text: execution({ summary: 'All 40 tests passed.', taskCompleted: true }) },
      {
        text: verdict({
          summary: 'It is right, as far as it can be seen.',
          tasks: [judged([])],
          exceptions: ['The tests were not run: no tool here runs commands.'],
        }),
      },
    ]);
    expect(asked[0]).toContain('no call changed anything');
    expect(asked[0]).toContain('nothing was run or tested');
    expect(looks).toBe(0);
    expect(result).toMatchObject({
      outcome: 'completed',
      basis: 'opinion',
      exceptions: ['The tests were not run: no tool here runs commands.'],
    });
    expect(result.text).toContain('**Not possible here:**\n\n- The tests were not run');
  });

  test('a binary, a file of 50 MB, one that is gone and one that moved → each is told as it is, no content of the first two', async () => {
    put('picture.bin', new Uint8Array([0, 255, 1, 254]));
    put('large.txt', 'x'.repeat(50_000_000));
    put('old.txt', 'to go\n');
    put('from.txt', 'to move\n');
    const move = { name: 'move_file', arguments: { source: 'from.txt', destination: 'to.txt' } };
    const { asked, result } = await pursue(
      [
        { text: plan({ todos: ['Change them'] }) },
        { toolCalls: [write('picture.bin', 'x'), write('large.txt', 'x'), write('old.txt', 'x'), move] },
        done,
        verified(judged(['e1', 'e2', 'e3', 'e4', 'e5'])),
      ],
      index => {
        if (index !== 2) return;
        put('picture.bin', new Uint8Array([0, 255, 2]));
        put('large.txt', `${'x'.repeat(50_000_000)}y`);
        rmSync(at('old.txt'));
      },
    );
    expect(asked[0]).toContain('picture.bin: changed, 3 bytes; no text, so not compared');
    expect(asked[0]).toContain('large.txt: changed, 50000001 bytes; too large to be compared');
    expect(asked[0]).toContain('old.txt: was there, and is gone');
    expect(asked[0]).toContain('to.txt: moved here from from.txt, 8 bytes');
    expect(asked[0]?.length).toBeLessThan(6_000);
    expect(result.basis).toBe('evidence');
    for (const name of ['picture.bin', 'large.txt', 'to.txt']) rmSync(at(name));
  });
});

test('kill -9 between the look and the write → what stood there was in history, and is looked at no more; the write is made by another worker', async () => {
  const { client, address } = rig.env;
  const failpoints = 'tool.before-send=kill';
  const workspace = { 'b.txt': 'before\n' };
  await onStage({ client, address, failpoints, workspace }, async stage => {
    stage.keepWorker();
    const run = await stage.start('Write', {
      calls: [{ ...write('b.txt', 'after\n'), name: 'filesystem__write_file' }],
    });
    expect(await run.result()).toMatchObject({ outcome: 'completed', basis: 'opinion' });
    const asked = run.requests().findLast(request => roleOf(request) === 'verifier')?.lastUser;
    expect(asked).toContain('e1 · task-1 · b.txt: changed, 6 bytes:\n@@ -1,1 +1,1 @@\n-before\n+after');
    const { events } = await run.handle.fetchHistory();
    expect(looksIn(events)).toBe(2);
    expect(stage.fired('tool.before-send')).toEqual([1]);
  });
});

describe('the files of the workspace', () => {
  test('a first goal → told in the opening of all roles; a follow-up → only where they are others', async () => {
    const one = [{ text: plan({ todos: ['Look'] }) }, done, verified(judged([]))];
    const script = rig.play((_request, index) => {
      if (index === 5) put('new\n"file.txt', 'new');
      return one[index % 3] ?? { error: { status: 400 } };
    });
    const handle = await rig.start('Look', { autoApprove: true, keepOpenSeconds: 60 });
    const idle = () => until('an answer', async () => (await handle.query(stateQuery)).phase === 'idle');
    await idle();
    await handle.signal(followUpSignal, { text: 'Look again' });
    await script.arrived(5);
    await idle();
    await handle.signal(followUpSignal, { text: 'And again' });
    await script.arrived(8);
    await handle.signal(finishSignal);
    await handle.result();
    const { requests } = script;
    for (const request of requests)
      expect(request.system).toMatch(/<workspace_files>\na\.txt 11 B\n<\/workspace_files>$/);
    const told = requests.map(
      ({ body }) => JSON.stringify(body.messages.slice(1)).match(/<workspace_files>/g)?.length ?? 0,
    );
    expect(told).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1]);
    expect(JSON.stringify(requests.at(-1)?.body)).toContain('new?\\"file.txt 3 B');
    rmSync(at('new\n"file.txt'));
  });
});
