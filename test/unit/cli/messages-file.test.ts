/** `--messages FILE`: what a run begins with, from a file of any of the known forms. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startOptions } from '../../../packages/cli/command/start-options.js';

const dir = mkdtempSync(join(tmpdir(), 'messages-'));

function file(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

test('--messages: a request of chat completions → its messages', async () => {
  const messages = file('chat.json', JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] }));
  const start = await startOptions({ messages });
  expect(start.messages).toMatchObject([{ kind: 'user', content: [{ text: 'Hi' }] }]);
});

test.each<[string, string, RegExp]>([
  ['no JSON', '{"messages": [', /none\.json: it is not JSON/],
  ['Markdown, in one line', '# Notes\n\nTwo boats.\n', /none\.json: it is not JSON: .*# Notes Two boats.*$/],
  ['another form', '{"turns": []}', /none\.json: The conversation cannot be read: `the conversation`/],
  ['a bad role', '[{"role": "x"}]', /none\.json: .*`messages\[0\]\.role` must be one of/],
])('--messages: %s → refused with file and path (Z3)', async (_what, text, fault) => {
  await expect(startOptions({ messages: file('none.json', text) })).rejects.toThrow(fault);
});

test('--messages: no such file → refused', async () => {
  await expect(startOptions({ messages: join(dir, 'gone.json') })).rejects.toThrow(
    /The file of messages .*gone\.json does not exist/,
  );
});
