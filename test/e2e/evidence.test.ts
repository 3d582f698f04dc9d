import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { roleOf } from '../../src/testing/by-role.js';
import { execution, plan, verdict } from '../../src/testing/role-outputs.js';
import type { RunResult } from '../../src/workflows/messages.js';
import type { ChatRequest, ScriptedReply, ScriptedToolCall } from '../support/endpoint/model.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { journalOf } from '../support/run-views.js';

const rig = rigOfFile({ workspace: { 'a.txt': 'alpha\nbeta\n' } });

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
  const looks = (events ?? []).filter(
    event => event.activityTaskScheduledEventAttributes?.activityType?.name === 'steersmanLook',
  ).length;
  return {
    result,
    asked: requests.map(({ lastUser }) => lastUser),
    told: (await journalOf(handle)).flatMap(event => (event.type === 'reask' ? event.errors : [])),
    looks,
  };
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
    expect(asked[0]).toContain(' alpha\n-beta\n+gamma');
    expect(asked[0]).toMatch(/none of its calls:\n<files>\nother\.txt\n<\/files>/);
    expect(asked[0]).toContain('No tool here runs commands');
    expect(result).toMatchObject({ outcome: 'completed', basis: 'evidence' });
    rmSync(at('other.txt'));
  });
});
