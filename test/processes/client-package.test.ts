/** The client of its own, as a stranger has it: packed, and installed beside what it depends on. */
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installClient } from '../support/package.js';
import { hasServer, testServer } from '../support/postgres-server.js';
import { projectRoot } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';

const execute = promisify(execFile);
const MOST_BYTES = 60_000_000;

const rig = rigOfFile();
let installed: ReturnType<typeof installClient>;
beforeAll(() => {
  installed = installClient();
});

/** Runs a program in the folder, without variables of this process that name servers, homes or queues. */
async function play(program: string, given: Record<string, string> = {}): Promise<string> {
  writeFileSync(join(installed.dir, 'program.mjs'), program);
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(TEMPORAL_|STEERSMAN_|XDG_)/.test(name),
  );
  const env = { ...Object.fromEntries(inherited), HOME: installed.dir, ...given };
  return (await execute(process.execPath, ['program.mjs'], { cwd: installed.dir, env })).stdout;
}

const STARTS = `// @ts-check
import { connect } from 'steersman-client';
import { agUiEvents } from 'steersman-client/ag-ui';
import { toChatMessages } from 'steersman-client/messages';
import { translate, turnEvents } from 'steersman-client/vocabularies';

const { ADDRESS: address = '', QUEUE: taskQueue = '', WORKSPACE: workspace = '' } = process.env;
const client = await connect({ address });
const run = await client.start('How old is Alba?', { mode: 'direct', taskQueue, workspace });
/** @type {string[]} */
const seen = [];
for await (const event of run.events()) seen.push(event.type);
let turns = 0;
for await (const _ of translate(run.events(), turnEvents())) turns += 1;
let last = '';
for await (const { type } of translate(run.events(), agUiEvents(run.id))) last = type;
const { outcome, text } = await run.result();
const [thread] = await run.transcript();
const said = toChatMessages(thread?.messages ?? []).map(({ role }) => role);
console.log(JSON.stringify({ outcome, text, seen, turns, last, said }));
await client.close();
`;

test('the client of its own: a program elsewhere starts a run, watches it and gets its result; its types fit; all of it is below 60 MB', async () => {
  rig.play([{ text: 'Alba is of 1961.' }]);
  const { project, taskQueue } = rig;
  const given = { ADDRESS: rig.env.address, QUEUE: taskQueue, WORKSPACE: project.workspace };
  const told = JSON.parse(await play(STARTS, given));
  expect(told).toMatchObject({ outcome: 'answered', text: 'Alba is of 1961.' });
  expect(told.seen).toEqual(expect.arrayContaining(['run_started', 'text', 'goal_ended', 'end']));
  expect(told.turns).toBeGreaterThan(1);
  expect(told).toMatchObject({
    last: 'TEXT_MESSAGE_END',
    said: expect.arrayContaining(['user', 'assistant']),
  });
  expect(installed.bytes).toBeLessThan(MOST_BYTES);
  const options = [
    '--noEmit',
    // The types of /messages name those of SDKs, which are optional.
    '--skipLibCheck',
    '--allowJs',
    '--checkJs',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
  ];
  const types = ['--types', 'node', '--typeRoots', join(projectRoot, 'node_modules', '@types')];
  const tsc = join(projectRoot, 'node_modules', '.bin', 'tsc');
  await execute(tsc, [...options, ...types, 'program.mjs'], { cwd: installed.dir }).catch(({ stdout }) => {
    throw new Error(String(stdout));
  });
});

const READS = `import { connect } from 'steersman-client';
import { storeHere } from 'steersman-client/store';

const { ADDRESS: address, QUEUE: taskQueue, WORKSPACE: workspace, KEPT: home } = process.env;
const client = await connect({ address });
const run = await client.start('How old is Alba?', { mode: 'direct', session: 'alba', taskQueue, workspace });
await run.result();
const refused = await client.deleteSession('alba').catch(({ code }) => code);
const store = storeHere(home);
const found = await store.sessions.search({ text: '1962', limit: 5 });
const reader = await connect({ address, store });
await reader.deleteSession('alba');
const left = await store.sessions.line('alba');
console.log(JSON.stringify({ refused, found: found.length, left }));
await client.close();
await reader.close();
`;

test('the client of its own: its door to the store → conversations are found and removed; without it, an error says so', async () => {
  rig.play([{ text: 'Alba is of 1962.' }]);
  const { project, taskQueue } = rig;
  const at = { ADDRESS: rig.env.address, QUEUE: taskQueue, WORKSPACE: project.workspace };
  const told = JSON.parse(await play(READS, { ...at, KEPT: join(project.dir, 'home') }));
  expect(told).toEqual({ refused: 'configuration', found: 1, left: null });
});

const CHECKS = `import { checkStart } from 'steersman-client';
await checkStart('How old is Alba?', { workspace: '/srv/of-the-worker', mode: 'of-the-worker', attended: true });
const told = ({ code, message, remedy }) => ({ code, message, remedy });
console.log(JSON.stringify(await checkStart('', { model: 'gpt', id: 'a', session: 'b' }).catch(told)));
`;

test('the client of its own: checkStart, without a server → what the worker knows passes, and one error names all other faults', async () => {
  const { message, ...rest } = JSON.parse(await play(CHECKS));
  expect(rest).toEqual({ code: 'usage', remedy: 'See StartOptions.' });
  for (const fault of [/goal/, /endpoint\/model/, /session and id: give one/]) expect(message).toMatch(fault);
});

const CONNECTS = `import { connect } from 'steersman-client';
const told = await connect().then(
  async client => (await client.close(), { address: client.address }),
  ({ code, message, remedy }) => ({ code, message, remedy }),
);
console.log(JSON.stringify(told));
`;

test('the client of its own: nothing names a server → an error that says so, and how to name one', async () => {
  expect(JSON.parse(await play(CONNECTS))).toEqual({
    code: 'configuration',
    message: 'No Temporal server is named, and this client has no local stack.',
    remedy: expect.stringMatching(/TEMPORAL_ADDRESS.*`address`.*TEMPORAL_PROFILE/),
  });
});

test('the client of its own: a variable or a profile names a server → it connects there', async () => {
  const { address } = rig.env;
  expect(JSON.parse(await play(CONNECTS, { TEMPORAL_ADDRESS: address }))).toEqual({ address });
  const file = join(installed.dir, 'temporal.toml');
  writeFileSync(file, `[profile.there]\naddress = "${address}"\n`);
  const profile = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'there' };
  expect(JSON.parse(await play(CONNECTS, profile))).toEqual({ address });
});

const REFUSED = `import { storeHere } from 'steersman-client/store';
const told = ({ code, message, remedy }) => ({ code, message, remedy });
console.log(JSON.stringify(await storeHere().sessions.search({ text: '1963', limit: 5 }).catch(told)));
`;

describe.runIf(hasServer())('the client of its own, with a store on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof testServer>> = null;
  beforeAll(async () => {
    server = await testServer();
    process.env.DATABASE_URL = server?.url ?? '';
  });
  afterAll(() => server?.remove());
  const rigThere = rigOfFile();

  test('without the package pg → an error says so; with it, conversations are found and removed', async () => {
    rigThere.play([{ text: 'Alba is of 1962.' }]);
    const { project, taskQueue, env } = rigThere;
    expect(JSON.parse(await play(REFUSED))).toEqual({
      code: 'host',
      message: 'The store on PostgreSQL needs the package pg, which is not installed here.',
      remedy: 'Install it: npm install pg.',
    });
    symlinkSync(join(projectRoot, 'node_modules', 'pg'), join(installed.dir, 'node_modules', 'pg'));
    const at = { ADDRESS: env.address, QUEUE: taskQueue, WORKSPACE: project.workspace };
    expect(JSON.parse(await play(READS, at))).toEqual({ refused: 'configuration', found: 1, left: null });
  });
});
