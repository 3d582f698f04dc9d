import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { composePrompt } from '../../../../src/config/prompts/compose-prompt.js';
import { loadRoles } from '../../../../src/config/prompts/prompts.js';

let configDir: string;

async function put(path: string, text: string): Promise<void> {
  const file = join(configDir, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

beforeEach(async () => {
  configDir = await mkdtemp(join(tmpdir(), 'steersman-compose-'));
});

test('composed: a role of a team → its system text is shared, its prompt a message, with the business context (P16)', async () => {
  await put('prompts/business/planner.md', 'Teas are kept in teas.csv.');
  const { system, message, file, warnings } = await composePrompt('planner', { configDir });
  expect(message).toContain('Teas are kept in teas.csv.');
  expect(system).not.toContain('teas.csv');
  expect(system).not.toBe('');
  expect([file.endsWith('prompts/core/planner.md'), warnings]).toEqual([true, []]);
});

test('composed: a role that speaks alone, one with a conversation of its own → one system text (P16)', async () => {
  for (const role of ['react', 'router', 'search']) {
    const { system, message } = await composePrompt(role, { configDir, systemMessage: 'Be brief.' });
    expect([message, system.startsWith('Be brief.\n\n')]).toEqual([null, true]);
  }
});

test('composed: tools → asked for only where the prompt lists them (P16)', async () => {
  let asked = 0;
  const tools = async () => {
    asked += 1;
    return [];
  };
  await composePrompt('planner', { configDir, tools });
  expect(asked).toBe(0);
  const own = { name: 'lister', description: 'd', output: 'text' as const };
  const { system } = await composePrompt('lister', {
    ...{ configDir, tools, today: '2026-11-22' },
    roles: [{ ...own, prompt: '{{businessContext}}{{toolOverview}} {{today}} {{HISTORY}}' }],
  });
  expect(asked).toBe(1);
  expect(system).toContain('(No tools are connected.) 2026-11-22 `HISTORY`');
});

test('composed: a fault of the file, an unknown role → refused with its place, or the names (P16)', async () => {
  await put(
    'prompts/core/auditor.md',
    '---\ndescription: d\noutput: text\n---\n{{businessContext}} {{maxTask}}',
  );
  await expect(composePrompt('auditor', { configDir })).rejects.toThrow(
    /auditor\.md:5: \{\{maxTask\}\} is not/,
  );
  await expect(composePrompt('writer', { configDir })).rejects.toMatchObject({
    message: 'There is no role "writer".',
    remedy: expect.stringContaining('auditor'),
  });
});

test('a placeholder of other systems in single braces → a warning with the name here, JSON and other words are none (P16)', async () => {
  const head = '---\ndescription: d\noutput: text\n---\n';
  await put(
    'core/a.md',
    `${head}{{businessContext}}\nTools:\n{tool_definitions}\n{ "steps": [] } {id} {{HISTORY}}`,
  );
  const [role] = await loadRoles([configDir], 'en');
  expect(role?.warnings).toEqual([
    expect.stringMatching(
      /core\/a\.md:7: \{tool_definitions\} stays as it is, for single braces are text: write \{\{AVAILABLE_TOOLS\}\}\.$/,
    ),
  ]);
});
