/** A conversation that outgrows its limit: a model summarises it, and the work goes on from the summary. */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { EndedTurn, HookMessage } from '../../src/activities/run-hooks.js';
import { Sessions } from '../../src/client/here/sessions.js';
import { textOf } from '../../src/run/messages/message.js';
import { onStage } from '../support/fault-stage.js';
import { killWorkers } from '../support/processes.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, journalOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';

const NAMES = Array.from({ length: 38 }, (_, at) => `file-${at + 1}`);
/** A summary is soon due, and soon affordable: its reply may have few tokens. */
const SHORT = ['context:', '  maxTokens: 4000', '  threshold: 1', 'limits:', '  execution: 40'];
const FEW_WRITTEN = ['  info:', '    openai/gpt-5-mini: { maxOutputTokens: 1000 }'];
/** Replies that hooks heard of, and the messages of them. */
const heard = { turns: [] as EndedTurn[], messages: [] as HookMessage[] };
const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml(...FEW_WRITTEN, 'steering: note', ...SHORT) },
  workspace: Object.fromEntries(NAMES.map(name => [`${name}.txt`, `${name} is here.`])),
  hooks: {
    onTurnEnd(turn: EndedTurn) {
      heard.turns.push(turn);
      return true;
    },
    onMessage: (said: HookMessage) => heard.messages.push(said),
  },
});
afterAll(killWorkers);

const SUMMARY = {
  goals: ['Say how long the pool is.'],
  decisions: [],
  facts: [{ fact: 'The pool is 7 m long', source: 'file-1.txt' }],
  openTasks: ['Read the rest.'],
  references: [],
};
/** What a model says beside a call is no result: only a summary makes it shorter. */
const closely = (name: string, times: number) => `Of ${name}: ${'I look at it closely. '.repeat(times)}`;
const look = (name: string) => ({
  text: closely(name, 20),
  toolCalls: [{ name: 'read_text_file', arguments: { path: `${name}.txt` } }],
});

test('X5, X6, LL1: words fill the conversation → a model summarises them for a tenth of what is sent, and the run goes on from that', async () => {
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
    expect(before).toBeGreaterThan(4_000);
    expect(after).toBeLessThan(before * 0.7);
    expect(dropped).toBeGreaterThan(1);
  }
  const sent = JSON.stringify(script.requests.at(-1));
  expect(sent).toContain('The pool is 7 m long (file-1.txt)');
  expect(sent).toContain('How long is the pool?');
  expect(sent).not.toContain('about to be shortened');
  expect(sent).not.toContain('Of file-1: I look');
  expect(sent).toContain('Of file-38: I look');
  // What was said is in the store, and what was summarised is charged.
  const [kept] = await new Sessions(join(rig.project.dir, 'home')).show(handle.workflowId);
  expect(JSON.stringify(kept?.transcript)).toContain('Of file-1: I look');
  const entries = result.usageBy.filter(({ role }) => role === 'compactor');
  expect(entries).toMatchObject([{ calls: compacted.length }]);
  const [{ inputTokens = 0, outputTokens = 0 } = {}] = entries;
  // Hooks hear of them as of any reply.
  const turns = heard.turns.filter(({ role }) => role === 'compactor');
  expect(turns.map(({ usage }) => usage)).toEqual(compacted.map(({ usage }) => usage));
  const { messages } = heard;
  const said = messages.filter(({ message }) => message.kind === 'assistant' && message.role === 'compactor');
  expect(said.map(({ message }) => textOf(message))).toEqual(compacted.map(() => JSON.stringify(SUMMARY)));
  expect(inputTokens + outputTokens).toBeLessThan((result.usage.inputTokens - inputTokens) / 10);
});

const LENGTH = {
  type: 'object',
  properties: { lengthM: { type: 'integer', minimum: 1 } },
  required: ['lengthM'],
};
const toldIn = (request: unknown) => JSON.stringify(request).split('<answer_schema>').length - 1;

test('X5, TA6: a typed run whose conversation is summarised, then refused as too long → each request has the schema, and the value fits', async () => {
  let turn = 0;
  const shortened: number[] = [];
  let refusals = 0;
  const script = rig.play(({ lastUser }) => {
    if (lastUser.includes('about to be shortened')) {
      shortened.push(turn);
      return { text: JSON.stringify(SUMMARY) };
    }
    if (turn === NAMES.length && refusals++ === 0)
      return {
        error: { status: 400, message: 'The context is too long.', code: 'context_length_exceeded' },
      };
    const name = NAMES[turn++];
    if (name !== undefined) return look(name);
    return { text: turn === NAMES.length + 1 ? '{"lengthM": 0}' : '{"lengthM": 7}' };
  });
  const { handle, result } = await rig.run('How long is the pool?', { mode: 'react', answer: LENGTH });
  expect(result).toMatchObject({ outcome: 'answered', text: '{"lengthM": 7}', value: { lengthM: 7 } });
  expect(shortened.length).toBeGreaterThan(0);
  const dropped = (await eventsOf(handle, 'thread_compacted')).map(event => event.dropped);
  expect(dropped.every(count => count > 1)).toBe(true);
  expect(await eventsOf(handle, 'thread_trimmed')).not.toEqual([]);
  const asked = script.requests.filter(({ lastUser }) => !lastUser.includes('about to be shortened'));
  expect(asked.map(({ sent }) => toldIn(sent) > 0)).toEqual(asked.map(() => true));
  expect(await eventsOf(handle, 'reask')).toHaveLength(1);
});

/** A run whose calls fill its conversation, on workers that are killed where the failpoints say. */
async function summarised(at: { failpoints?: string } = {}) {
  const found = { asked: 0, calls: 0, firstAt: 0, lives: 0, events: [] as string[] };
  const config = { 'steersman.yaml': settingsYaml(...FEW_WRITTEN, ...SHORT) };
  const options = { client: rig.env.client, address: rig.env.address, config, ...at };
  await onStage(options, async stage => {
    const kept = stage.keepWorker();
    let turn = 0;
    const run = await stage.start('many calls', {
      calls: [],
      change(reply, { role, nth, lastUser }) {
        if (nth === 1) found.calls += 1;
        if (lastUser.includes('about to be shortened')) {
          found.asked += 1;
          found.firstAt ||= found.calls;
          return { text: JSON.stringify(SUMMARY) };
        }
        if (role !== 'executor' || turn === NAMES.length) return reply;
        turn += 1;
        // Grows slowly: when the summary is due, the goal can pay for two calls of it.
        const text = `${turn}`;
        return { text: closely(text, 12), toolCalls: [{ name: 'echo', arguments: { text } }] };
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
