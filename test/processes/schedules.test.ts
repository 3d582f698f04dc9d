import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestTeam, type TestTeam } from '../../packages/test-kit/index.js';
import { connect, type SteersmanClient } from '../../src/client/index.js';
import { type Ended, startCommand } from '../support/command-line.js';
import { quietTemporal } from '../support/quiet.js';
import { latch } from '../support/steering.js';
import { until } from '../support/wait.js';

let team: TestTeam;
let client: SteersmanClient;
let held = latch();

beforeAll(async () => {
  quietTemporal();
  team = await startTestTeam({
    reply: () => ({ text: 'Nothing has changed.', hold: { until: held.until } }),
    settings: { steering: 'note' },
  });
  client = await connect({ temporal: { client: team.environment.client } });
});
afterAll(async () => {
  held.open();
  await client?.close();
  await team?.close();
});

const start = () => ({ mode: 'direct' as const, workspace: team.workspace, taskQueue: team.taskQueue });

test('a schedule, triggered → a run of its own id that nobody attends; a second start beside it is skipped; times that never come are refused, and change nothing; deleted, it is gone', async () => {
  const { schedules } = client;
  const nightly = { ...start(), cron: '30 2 * * *', timezone: 'Europe/Paris', limits: { turns: 3 } };
  await schedules.create('nightly', 'What has changed?', nightly);
  await expect(schedules.create('nightly', 'What else?', nightly)).rejects.toMatchObject({
    code: 'conflict',
  });

  const run = await schedules.trigger('nightly');
  expect(run).toMatch(/^nightly-20/);
  expect(await schedules.trigger('nightly')).toBeNull();
  held.open();
  const { outcome, text: answer } = await (await client.attach(run ?? '')).result();
  expect({ outcome, answer }).toEqual({ outcome: 'answered', answer: 'Nothing has changed.' });

  await schedules.create('nightly', 'What is new?', {
    ...nightly,
    cron: '0 5 * * MON # at noon',
    replace: true,
  });
  const shown = await schedules.show('nightly');
  expect(shown).toMatchObject({
    goal: 'What is new?',
    when: '0 5 * * 1 (Europe/Paris)',
    overlap: 'skip',
    paused: false,
    taskQueue: team.taskQueue,
    settings: { mode: 'direct', autoApprove: false, limits: { turns: 3 }, workspace: team.workspace },
    runs: [{ id: run, startedAt: expect.any(String) }],
    started: 1,
    skipped: 1,
  });
  expect(shown.settings).not.toHaveProperty('attended');
  expect(shown.next[0]).toMatch(/^\d{4}-.*T0[34]:00:00/);

  await schedules.pause('nightly', { note: 'holidays' });
  expect(await schedules.show('nightly')).toMatchObject({ paused: true, note: 'holidays', next: [] });
  await schedules.resume('nightly');
  expect(await schedules.show('nightly')).toMatchObject({ paused: false });
  const unheardOf = [
    { cron: 'every night' },
    { cron: '0 0 30 2 *' },
    { cron: '@daily', timezone: 'Europe/Atlantis' },
  ];
  for (const times of unheardOf) {
    const change = { ...nightly, ...times, replace: true };
    await expect(schedules.create('x', 'Go', { ...nightly, ...times })).rejects.toMatchObject({
      code: 'usage',
    });
    await expect(schedules.create('nightly', 'Go', change)).rejects.toMatchObject({ code: 'usage' });
  }
  await expect(schedules.show('x')).rejects.toMatchObject({ code: 'not_found' });
  expect(await schedules.show('nightly')).toMatchObject({
    goal: 'What is new?',
    when: shown.when,
    next: shown.next,
  });
  await schedules.delete('nightly');
  await expect(schedules.show('nightly')).rejects.toMatchObject({ code: 'not_found' });
});

test('a schedule whose runs may be beside each other, triggered three times at once → three runs, each with its id, all shown as open', async () => {
  held = latch();
  const { schedules } = client;
  await schedules.create('beside', 'Look.', { ...start(), cron: '30 2 * * *', overlap: 'allow_all' });
  const runs = await Promise.all([1, 2, 3].map(() => schedules.trigger('beside')));
  runs.push(await schedules.trigger('beside'));
  expect(new Set(runs).size).toBe(4);
  for (const run of runs) expect(run).toMatch(/^beside-20/);
  const open = async () => (await schedules.show('beside')).open.sort();
  // What the server lists comes a moment later.
  await until('all are listed', async () => (await open()).length === 4);
  expect(await open()).toEqual([...runs].sort());
  expect(await schedules.show('beside')).toMatchObject({ started: 4, skipped: 0 });
  held.open();
  for (const run of runs) await (await client.attach(run ?? '')).result();
  await until('none is open', async () => (await open()).length === 0);
  await schedules.delete('beside');
});

test('the verb schedule: made, triggered, listed, deleted → as the API does', async () => {
  held = latch();
  held.open();
  const env = { TEMPORAL_ADDRESS: team.environment.address };
  const call = (...args: string[]): Promise<Ended> =>
    startCommand('cli', ['schedule', ...args, '--json'], { cwd: team.workspace, env }).ended;
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await call(...args);
    expect(code, stderr).toBe(0);
    return stdout === '' ? null : JSON.parse(stdout);
  };
  const words = ['--every', '6h', '--mode', 'direct', '--limit', 'turns=5', '--task-queue', team.taskQueue];
  expect(await json('create', 'watch', 'Look again', ...words, '--paused')).toMatchObject({
    id: 'watch',
    goal: 'Look again',
    when: 'every 6h',
    paused: true,
    next: [],
    settings: { limits: { turns: 5 }, workspace: team.workspace },
  });
  const { run } = await json('trigger', 'watch');
  await (await client.attach(run)).result();
  expect(await json('list')).toMatchObject({ id: 'watch', runs: [{ id: run }] });
  expect(await json('delete', 'watch')).toEqual({ id: 'watch', deleted: true });
});
