/** Prompts of the fake server, in a process of its own over stdio. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseMcpConfig } from '../../../src/mcp/connection/config.js';
import type { McpConnection } from '../../../src/mcp/connection/connection.js';
import { McpPool } from '../../../src/mcp/connection/pool.js';
import { expandPrompt, listPrompts, promptUsage } from '../../../src/mcp/prompts.js';
import { type FakeMcp, fakeMcp } from '../../support/fake-mcp-server.js';

let fake: FakeMcp;
let pool: McpPool;
let connection: McpConnection;

beforeAll(async () => {
  fake = fakeMcp();
  const text = JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } });
  const config = { file: '.mcp.json', dir: process.cwd(), ...parseMcpConfig(text, '.mcp.json') };
  pool = new McpPool({ config, lookup: () => undefined });
  connection = await pool.connect('fake', process.cwd());
});

afterAll(async () => {
  await pool.close();
  fake.remove();
});

describe('prompts of a server', () => {
  test('a list of several pages → all that can be typed, as they are called; what they say of themselves is clean', async () => {
    const prompts = await listPrompts(connection);
    expect(prompts.map(promptUsage)).toEqual([
      'fake:review file=VALUE [tone=VALUE]',
      'fake:talk',
      'fake:command',
      'fake:long',
      'fake:empty',
    ]);
    expect(prompts[0]?.description).toBe('Reviews a file.');
  });

  test('texts, a picture and a resource → the texts without control sequences; the others are named', async () => {
    expect(await expandPrompt(connection, 'review', { file: 'a.ts' })).toEqual({
      text: 'Review a.ts, in a kind tone.',
      leftOut: ['image', 'resource file:///notes'],
    });
  });

  test('a conversation → each message says whose it is', async () => {
    const { text } = await expandPrompt(connection, 'talk', {});
    expect(text).toBe('user: What is best?\n\nassistant: It depends.');
  });

  test.each([
    ['none of this name → those that there are', 'reveiw', {}, /no prompt reveiw/, /fake:review, fake:talk/],
    ['an argument missing → named', 'review', { tone: 'dry' }, /the argument file is missing/, /file=VALUE/],
    ['an argument that it has not → named', 'talk', { file: 'a' }, /no argument file/, /fake:talk$/],
    ['no text → said', 'empty', {}, /has no text/, /^$/],
    ['over 16 KB → refused, with its size', 'long', {}, /16386 bytes.*16384/, /name the file to read/],
  ])('%s', async (_, name, args: Record<string, string>, message, remedy) => {
    await expect(expandPrompt(connection, name, args)).rejects.toMatchObject({
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(remedy),
    });
  });
});
