/** Skills of a project on a real server: a run keeps to those that it began with, whatever dies or changes meanwhile. */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { callHere } from '../support/command-line.js';
import { killWorkers, startWorkerProcess } from '../support/processes.js';
import { projectRoot, shippedServers } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, toolTexts } from '../support/run-views.js';
import { answer, calls, latch, settingsYaml } from '../support/steering.js';

const FILES = [
  'release-notes/SKILL.md',
  'release-notes/references/kinds.md',
  'table-check/SKILL.md',
  'table-check/scripts/check.sh',
];
const skills = Object.fromEntries(
  FILES.map(file => [
    `.claude/skills/${file}`,
    readFileSync(join(projectRoot, 'test/support/skills', file), 'utf8'),
  ]),
);
const broken = { '.claude/skills/broken/SKILL.md': '---\nname: broken\n---\nDo it.\n' };
const rig = rigOfFile({
  config: {
    ...{ ...skills, ...broken, ...shippedServers() },
    'table.csv': 'a,b\n1,2\n3\n',
    'steersman.yaml': settingsYaml('steering: note', `workspaces: [${tmpdir()}]`),
  },
});
afterAll(killWorkers);

const ask = (args: Record<string, string>) => calls({ name: 'skill', arguments: args });

test('skills: a script of one that lies in the workspace → named by its folder, and run by `run` behind its gate, whatever allowed-tools says (SK4)', async () => {
  const command = 'sh .claude/skills/table-check/scripts/check.sh table.csv';
  const script = rig.play([
    ask({ name: 'table-check' }),
    calls({ name: 'run', arguments: { command } }),
    { text: 'Row 3 is bad.' },
  ]);
  const workspace = rig.project.configDir;
  const handle = await rig.start('Check the table.', { mode: 'react', workspace, attended: true });
  await answer(handle, 'approval', { decision: 'approve' });
  expect(await handle.result()).toMatchObject({ outcome: 'answered' });
  const [body, output] = toolTexts(script.requests[2]);
  expect(body).toContain('"folder":".claude/skills/table-check"');
  expect(body).toContain('run from its folder in the workspace');
  expect(output).toMatch(/\n3\n/);
});

test('skills: the worker is killed before the first is read, another reads it, then a file changes → the text that was pinned, then none, with the reason (SK3)', async () => {
  const { project, taskQueue, env, model } = rig;
  await rig.stopWorker();
  const options = { address: env.address, taskQueue, project, model };
  const first = await startWorkerProcess(options);
  const [killed, changed] = [latch(), latch()];
  const script = rig.play(request => {
    const said = toolTexts(request).join('\n');
    if (said.includes('has changed since')) return { text: 'It has changed.' };
    if (said.includes('It permits nothing'))
      return { ...ask({ name: 'table-check', file: 'scripts/check.sh' }), hold: { until: changed.until } };
    return { ...ask({ name: 'table-check' }), hold: { until: killed.until } };
  });
  const handle = await rig.start('Check the table.', { mode: 'react' });
  await script.arrived(0);
  await first.kill();
  const second = await startWorkerProcess(options);
  killed.open();
  await script.arrived(2);
  writeFileSync(join(project.configDir, '.claude/skills/table-check/scripts/check.sh'), 'rm -r .\n');
  changed.open();
  expect(await handle.result()).toMatchObject({ outcome: 'answered' });
  await second.kill();
  await rig.startWorker();
  const [body, file] = toolTexts(script.requests.at(-1));
  expect(body).toContain('<tool_output tool="skill">\nRun `scripts/check.sh FILE`');
  expect(body).toContain('"files":["scripts/check.sh"]');
  expect(file).toContain('has changed since this run began');
  expect(file).not.toContain('rm -r');
  expect(JSON.stringify(script.requests[0]?.sent)).toContain('- table-check: Checks a table in CSV');
  expect(await eventsOf(handle, 'skill_loaded')).toEqual([
    expect.objectContaining({ name: 'table-check', digest: expect.stringMatching(/^[\w-]{16}$/) }),
  ]);
  const [loaded] = await eventsOf(handle, 'run_loaded');
  expect(loaded?.warnings).toEqual([
    expect.stringContaining('broken/SKILL.md:2: description: it is missing'),
  ]);
});

test('skills list, show and check → what runs have, what one says, and what is wrong with another', async () => {
  const config = ['--config', rig.project.configDir];
  const list = await callHere('client', ['skills', 'list', '--json', ...config]);
  expect(
    list.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).name),
  ).toEqual(['release-notes', 'table-check']);
  expect(list.stderr).toContain('1 left out');
  const show = await callHere('client', ['skills', 'show', 'release-notes', ...config]);
  expect(show.stdout).toContain('references/kinds.md');
  expect(show.stdout).toContain('# Release notes');
  const unknown = await callHere('client', ['skills', 'show', 'pdf', ...config]);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('The skills are: release-notes, table-check.'),
  ]);
  const check = await callHere('client', ['skills', 'check', ...config]);
  expect([check.code, check.stdout]).toEqual([1, expect.stringContaining('left out: ')]);
  expect(check.stdout).toContain('allowed-tools: it grants nothing here');
  const good = await callHere('client', [
    'skills',
    'check',
    join(rig.project.configDir, '.claude/skills/release-notes'),
  ]);
  expect([good.code, good.stdout]).toEqual([0, '']);
  const none = await callHere('client', ['skills', 'check', rig.project.configDir]);
  expect([none.code, none.stderr]).toEqual([
    1,
    expect.stringContaining('has no skill. Name the folder of one'),
  ]);
});
