/** A conversation that outgrows its limit: a model summarises it, and the work goes on from the summary. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Sessions } from '../../src/client/kept/kept-runs.js';
import { onStage } from '../support/fault-stage.js';
import { killWorkers } from '../support/processes.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, journalOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
const rig = rigOfFile({
  config: {
    'steersman.yaml': settingsYaml('steering: note', 'context:', '  maxTokens: 8000', '  threshold: 1'),
  },
  workspace: Object.fromEntries(NAMES.map(name => [`${name}.txt`, `${name} is here.`])),
});
afterAll(killWorkers);

const SUMMARY = {
  goals: ['Say how long the pool is.'],
  decisions: [],
  facts: [{ fact: 'The pool is 7 m long', source: 'a.txt' }],
  openTasks: ['Read the rest.'],
  references: [],
};
/** What a model says beside a call is no result: only a summary makes it shorter. */
const look = (name: string) => ({
  text: `Of ${name}: ${'I look at it closely. '.repeat(250)}`,
  toolCalls: [{ name: 'read_text_file', arguments: { path: `${name}.txt` } }],
});

test('X5, X6: words fill the conversation → a model summarises them, and the run goes on from that', async () => {
  let turn = 0;
  const script = rig.play(({ lastUser }) => {
    if (lastUser.includes('about to be shortened')) return { text: JSON.stringify(SUMMARY) };
    const name = NAMES[turn++];
    return name === undefined ? { text: 'The pool is 7 m long.' } : look(name);
  });
  const { handle, result } = await rig.run('How long is the pool?', { mode: 'react' });
  expect(result).toMatchObject({ text: 'The pool is 7 m long.' });
  const compacted = await eventsOf(handle, 'thread_compacted');
  expect(compacted.length).toBeGreaterThan(0);
  for (const { before, after, dropped } of compacted) {
    expect(before).toBeGreaterThan(8_000);
    expect(after).toBeLessThan(before * 0.7);
    expect(dropped).toBeGreaterThan(1);
  }
  const sent = JSON.stringify(script.requests.at(-1));
  expect(sent).toContain('The pool is 7 m long (a.txt)');
  expect(sent).toContain('How long is the pool?');
  expect(sent).not.toContain('about to be shortened');
  expect(sent).not.toContain('Of a: I look');
  expect(sent).toContain('Of i: I look');
  // What was said is in the store, and what was summarised is charged.
  const [kept] = await new Sessions(join(rig.project.dir, 'home')).show(handle.workflowId);
  expect(JSON.stringify(kept?.transcript)).toContain('Of a: I look');
  const entries = result.usageBy.filter(({ role }) => role === 'compactor');
  expect(entries).toMatchObject([{ calls: compacted.length }]);
});

/** A run whose calls fill its conversation, on workers that are killed where the failpoints say. */
async function summarised(at: { failpoints?: string } = {}) {
  const found = { asked: 0, calls: 0, firstAt: 0, lives: 0, events: [] as string[] };
  const options = { client: rig.env.client, address: rig.env.address, ...at };
  await onStage(options, async stage => {
    const yaml = join(stage.project.configDir, 'steersman.yaml');
    appendFileSync(yaml, '\ncontext:\n  maxTokens: 8000\n  threshold: 1\n');
    const kept = stage.keepWorker();
    let turn = 0;
    const run = await stage.start('six calls', {
      calls: [],
      change(reply, { role, nth, lastUser }) {
        if (nth === 1) found.calls += 1;
        if (lastUser.includes('about to be shortened')) {
          found.asked += 1;
          found.firstAt ||= found.calls;
          return { text: JSON.stringify(SUMMARY) };
        }
        if (role !== 'executor' || turn === 6) return reply;
        turn += 1;
        return { toolCalls: [{ name: 'echo', arguments: { text: `${turn}`.repeat(5_000) } }] };
      },
    });
    const { outcome } = await run.result();
    expect(outcome).toBe('completed');
    found.lives = kept.lives;
    found.events = (await journalOf(run.handle)).map(({ type }) => type as string);
  });
  return found;
}

test('a worker is killed in a summary, before its call or after it → another one has it written, once (X5)', async () => {
  const plain = await summarised();
  expect(plain).toMatchObject({ lives: 1, asked: 1 });
  for (const [point, asked] of [
    ['model.before-send', 1],
    ['model.after-reply', 2],
  ] as const) {
    const found = await summarised({ failpoints: `${point}=kill@${plain.firstAt}` });
    expect({ point, asked: found.asked, lives: found.lives }).toEqual({ point, asked, lives: 2 });
    const summaries = found.events.filter(type => /compact/.test(type));
    expect(summaries).toEqual(['compaction_started', 'thread_compacted']);
  }
});
