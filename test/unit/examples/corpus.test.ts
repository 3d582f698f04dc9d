import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, test } from 'vitest';

const client = new Client({ name: 'test', version: '1.0.0' });
beforeAll(async () => {
  const main = fileURLToPath(new URL('../../../examples/corpus/main.ts', import.meta.url));
  const args = ['--import', 'jiti/register', main];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
});
afterAll(() => client.close());

const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });

test('the corpus: its tools → declared to read only', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ['web_search', true],
    ['web_fetch', true],
  ]);
});

test('the corpus: a search, and a page that it names → the pages that fit, the best first; the whole page', async () => {
  const found = await call('web_search', { query: 'cost of a mooring for sailing boats' });
  expect(found.content).toMatchObject([
    { text: expect.stringMatching(/^Sailing boats.*\nhttps:\S+\nMoorings/) },
  ]);
  const read = await call('web_fetch', { url: 'https://ferries.example/times' });
  expect(read.content).toMatchObject([{ text: expect.stringContaining('The first leaves at 6:40') }]);
});

test.each([
  ['a search for what no page has', 'web_search', { query: 'zeppelin' }, undefined],
  ['a page that is not there', 'web_fetch', { url: 'https://nowhere.example/' }, true],
])('the corpus: %s → says so', async (_, name, args, isError) => {
  const { content, ...rest } = await call(name, args);
  expect([content, rest.isError]).toEqual([
    [{ type: 'text', text: expect.stringMatching(/zeppelin|nowhere/) }],
    isError,
  ]);
});
