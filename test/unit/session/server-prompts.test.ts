import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addStartOptions, readStart } from '../../../packages/cli/command/start-options.js';
import { promptText } from '../../../packages/session/input/server-prompts.js';
import { type FakeMcp, fakeMcp } from '../../support/fake-mcp-server.js';

const CALLED_AS = '../../../src/shared/process/called-as.js';

let fake: FakeMcp;
let dir: string;

beforeEach(() => {
  fake = fakeMcp();
  dir = mkdtempSync(join(tmpdir(), 'steersman-server-prompts-'));
  writeFileSync(join(dir, '.mcp.json'), JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.doUnmock(CALLED_AS);
  vi.resetModules();
  fake.remove();
  rmSync(dir, { recursive: true, force: true });
});

const place = () => ({ config: dir, workspace: dir });

/** Called by npm in a checkout, the configuration would be the checkout's. */
async function askedByCommand() {
  vi.resetModules();
  const asIs = await import('../../../src/shared/process/called-as.js');
  vi.doMock(CALLED_AS, () => ({ ...asIs, byNpm: false }));
  vi.resetModules();
  return import('../../../packages/session/input/server-prompts.js');
}

test('prompts: a folder that nobody named or trusted → refused, and no server starts', async () => {
  vi.spyOn(process, 'cwd').mockReturnValue(dir);
  const { promptServers, promptsOf, promptText } = await askedByCommand();
  const here = { config: undefined, workspace: dir, ask: null };
  const asks = [
    () => promptServers(here),
    () => promptsOf('fake', here),
    () => promptText('fake:talk', [], here),
  ];
  for (const ask of asks)
    await expect(ask()).rejects.toMatchObject({ message: expect.stringContaining('is not used') });
  expect(fake.events()).toEqual([]);
});

test.each([
  ['no server of this name → those that there are', 'fkae:talk', [], /no enabled tool server fkae/],
  ['no name of a prompt → how one is called', 'talk', [], /talk is not the name of a prompt/],
  ['a word without = → named', 'fake:review', ['a.ts'], /a\.ts is not an argument/],
])('prompts: %s, and no server starts', async (_, called, words, message) => {
  await expect(promptText(called, words, place())).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(message),
  });
  expect(fake.events()).toEqual([]);
});

test('--prompt with arguments → shown on stderr with what is left out, and it is the goal; its server has ended', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const command = addStartOptions(new Command().allowExcessArguments()).argument('[goal]');
  command.parse(['file=a=b.ts', 'tone=very dry', '--prompt', 'fake:review', '--config', dir], {
    from: 'user',
  });
  const { goal } = await readStart(command.args[0], command.opts(), command);
  expect(goal).toBe('Review a=b.ts, in a very dry tone.');
  const shown = said.mock.calls.map(([text]) => String(text)).join('');
  expect(shown).toContain(goal);
  expect(shown).toContain('Left out, because they are not text: image, resource file:///notes');
  const [{ pid = 0 } = {}] = fake.events();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
