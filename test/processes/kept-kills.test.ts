/**
 * Workers that are killed at each step of keeping, charging and calling hooks: nothing that was said is lost, and
 * nothing is charged twice. Opening a session and compaction have theirs in `session-runs` and `compaction`.
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFolder } from '../../packages/store/folder.js';
import type { Database } from '../../packages/store/postgres/migrations.js';
import { connectPostgres, postgresStore } from '../../packages/store/postgres/postgres.js';
import { storedEvents, storedMessages } from '../../src/client/stored/stored-runs.js';
import type { Store } from '../../src/shared/store/store.js';
import { type FaultStage, onStage, type Part, type StagedRun } from '../support/fault-stage.js';
import { hasServer, testServer } from '../support/postgres-server.js';
import { killWorkers } from '../support/processes.js';
import { sharedTemporal } from '../support/rig.js';
import { eventsOf, journalOf, transcriptOf } from '../support/run-views.js';

let env: TestWorkflowEnvironment;
let database: Awaited<ReturnType<typeof testServer>> = null;
let pooled: Database | null = null;
const pool = () => {
  pooled ??= connectPostgres(database?.url ?? '');
  return pooled;
};
/** Keys that the hook was asked with, in order, by its address. */
const asked = new Map<string, string[]>();
const hook = createServer((req, res) => {
  const { url = '', headers } = req;
  asked.set(url, [...(asked.get(url) ?? []), String(headers['idempotency-key'])]);
  req.resume().on('end', () => res.writeHead(204).end());
});

beforeAll(async () => {
  await new Promise<void>(resolve => hook.listen(0, '127.0.0.1', resolve));
  [env, database] = await Promise.all([sharedTemporal(), testServer()]);
});
afterAll(async () => {
  killWorkers();
  hook.close();
  await env?.teardown();
  await pooled?.close();
  await database?.remove();
});

type Kind = 'folder' | 'PostgreSQL';
const BALANCE = 100;

interface Case {
  /** As STEERSMAN_FAILPOINTS takes it. */
  plan: string;
  outcome: string;
  /** The model fails for good after its first reply: the goal is free. */
  fails?: true;
  /** Also on PostgreSQL, where what it does is another. */
  both?: true;
  /** Hook calls that come twice. */
  repeated?: number;
}

/** The last write of this run is its second: the loading lists it, and its end has all. */
const CASES: Case[] = [
  { plan: 'keep.before-write=kill', outcome: 'the run is listed' },
  { plan: 'keep.after-write=kill', outcome: 'the run is listed once' },
  { plan: 'keep.before-write=kill@2', both: true, outcome: 'its end is kept' },
  { plan: 'keep.after-write=kill@2', both: true, outcome: 'its end is kept once' },
  { plan: 'hook.before-charge=kill@2', both: true, outcome: 'the turn is charged' },
  { plan: 'hook.after-charge=kill@2', both: true, outcome: 'the turn is charged once' },
  { plan: 'hook.before-refund=kill', both: true, outcome: 'what it cost is given back', fails: true },
  { plan: 'hook.after-refund=kill', both: true, outcome: 'what it cost is given back once', fails: true },
  { plan: 'hook.before-call=kill@2', outcome: 'the hook is called' },
  { plan: 'hook.after-call=kill@2', outcome: 'the hook is called again, with its key', repeated: 1 },
];

const STORES: Kind[] = hasServer() ? ['folder', 'PostgreSQL'] : ['folder'];

async function passKill(stage: FaultStage, given: Case, kind: Kind): Promise<void> {
  const store = storeOf(stage, kind);
  const path = `/${stage.project.dir.split('/').at(-1)}`;
  addHook(stage, path);
  addSettings(stage, '', 'credits:', '  account: tenant', '  perTurn: 1', '');
  await store.accounts.grant(path, 'first', BALANCE);
  const kept = stage.keepWorker();
  const calls = [1, 2].map(at => ({ name: 'echo', arguments: { text: `${at}` } }));
  const change: Part['change'] = (reply, { at }) =>
    given.fails && at > 0 ? { error: { status: 401, message: 'No.' } } : reply;
  const run = await stage.start('two calls', { calls, change }, { context: { tenant: path } });
  if (given.fails) await expect(run.result()).rejects.toThrow();
  else expect(await run.result()).toMatchObject({ outcome: 'completed' });
  const [point = '', , passage = '1'] = given.plan.split(/[=@]/);
  expect(stage.fired(point)).toEqual([Number(passage)]);
  expect(kept.lives).toBe(2);
  await expectKept(store, run);
  const turns = (await eventsOf(run.handle, 'model_call_ended')).length;
  expect(await store.accounts.show(path)).toMatchObject({ balance: BALANCE - (given.fails ? 0 : turns) });
  const keys = asked.get(path) ?? [];
  expect([new Set(keys).size, keys.length - turns]).toEqual([turns, given.repeated ?? 0]);
}

function addHook(stage: FaultStage, path: string): void {
  const { port } = hook.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${path}`;
  addSettings(stage, '', 'hooks:', '  onTurnEnd:', `    url: ${url}`, '    secretVariable: HOOK_SECRET', '');
}

function addSettings({ project }: FaultStage, ...lines: string[]): void {
  appendFileSync(join(project.configDir, 'steersman.yaml'), lines.join('\n'));
}

function storeOf({ project }: FaultStage, kind: Kind): Store {
  return kind === 'folder' ? openFolder(join(project.dir, 'home', 'store')) : postgresStore(pool());
}

/** Each event and each message of it once, whole, in order, and that it has ended. */
async function expectKept({ sessions }: Store, { handle }: StagedRun): Promise<void> {
  const [found] = await sessions.find(handle.workflowId);
  if (!found) throw new Error('nothing of the run is kept');
  expect(await storedEvents(sessions, found, 0)).toEqual(await journalOf(handle));
  const said = await storedMessages(sessions, found);
  expect(said.map(({ message }) => message)).toEqual(await transcriptOf(handle));
  expect(found).toMatchObject({ ended: true });
}

describe.concurrent('a worker is killed, and another one takes over', () => {
  for (const kind of STORES)
    for (const given of CASES.filter(({ both }) => both === true || kind === 'folder'))
      test(`${given.plan}, ${kind} → ${given.outcome}; nothing is lost, nothing is charged twice (E1, E7)`, () =>
        onStage(
          {
            ...{ client: env.client, address: env.address, failpoints: given.plan },
            env: {
              HOOK_SECRET: 'whsec-0123456789abcdef',
              ...(kind === 'PostgreSQL' && { DATABASE_URL: database?.url ?? '' }),
            },
          },
          stage => passKill(stage, given, kind),
        ));

  test.each([
    ['hook.before-call', 'the goal goes on'],
    ['keep.before-write', 'its end is kept'],
  ])(
    '%s=kill@2-5: four workers die in one call, one after the other → %s, as if none had (C13)',
    async point => {
      const failpoints = `${point}=kill@2-5`;
      const secrets = { HOOK_SECRET: 'whsec-0123456789abcdef' };
      await onStage({ client: env.client, address: env.address, failpoints, env: secrets }, async stage => {
        addHook(stage, `/${point}`);
        const kept = stage.keepWorker();
        const run = await stage.start('two calls', { calls: [{ name: 'echo', arguments: { text: '1' } }] });
        expect(await run.result()).toMatchObject({ outcome: 'completed' });
        expect([stage.fired(point), kept.lives]).toEqual([[2, 3, 4, 5], 5]);
        expect(await eventsOf(run.handle, 'store_failed')).toEqual([]);
        await expectKept(storeOf(stage, 'folder'), run);
      });
    },
  );

  test('tool.completion=kill, recall → read again by another worker, and said once (X7)', () =>
    onStage({ client: env.client, address: env.address, failpoints: 'tool.completion=kill' }, async stage => {
      const kept = stage.keepWorker();
      const run = await stage.start('one look', {
        calls: [{ name: 'recall', arguments: { query: 'look' } }],
      });
      expect(await run.result()).toMatchObject({ outcome: 'completed', counters: { toolCalls: 1 } });
      expect([stage.fired('tool.completion'), kept.lives]).toEqual([[1], 2]);
      expect(run.seen()).toHaveLength(1);
      await expectKept(storeOf(stage, 'folder'), run);
    }));
});
