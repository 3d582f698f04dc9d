/** Live text of replies that write their calls as text: a watcher sees what they say, never a tag. */

import { afterEach, expect, test } from 'vitest';
import { CODECS } from '../../../src/models/tool-syntax/codecs.js';
import { startScriptedModel } from '../../support/endpoint/model.js';
import { startCall, tool } from '../../support/model-calls.js';
import { eventually } from '../../support/wait.js';

const CALL = '<tool_call>\n<name>read</name>\n<arguments>\n<path>a.txt</path>\n</arguments>\n</tool_call>';

test.each([
  ['a call', `I look.\n${CALL}`, 'I look.\n'],
  ['a form of others', 'I look. <function=read>{"path":"a"}</function>', 'I look. '],
  ['a call in a list', `<tool_calls>${CALL}</tool_calls>`, ''],
  ['no call', 'if a < b, <b>say</b> <functional>', 'if a < b, <b>say</b> <functional>'],
])('live text: %s, letter by letter → only what is said', (_, text, shown) => {
  const prose = CODECS.xml?.proseReader?.() ?? String;
  let before = '';
  for (let end = 1; end <= text.length; end += 1) {
    const now = prose(text.slice(0, end));
    expect(shown.startsWith(now)).toBe(true);
    expect(now.startsWith(before)).toBe(true);
    before = now;
  }
  expect(before).toBe(shown);
});

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map(server => server.close())));

test('live text: a call written as text → no heartbeat has its tags', async () => {
  const server = await startScriptedModel({
    reply: [
      {
        text: `I look.\n${CALL}`,
        chunkChars: 3,
        hold: { until: new Promise(() => undefined), atChunk: 'end' },
      },
    ],
  });
  open.push(server);
  const call = startCall({
    baseUrl: server.baseUrl,
    endpoint: { toolSyntax: 'xml' },
    head: { tools: [tool('read')] },
    deps: { live: { throttleMs: 1, idleMs: 1 } },
  });
  // All of it has come.
  const tokens = Math.ceil(`I look.\n${CALL}`.length / 4);
  await eventually(() => expect(call.heartbeats.at(-1)?.spent?.outputTokens).toBe(tokens));
  expect(call.heartbeats.at(-1)?.tail).toBe('I look.\n');
  call.environment.cancel('CANCELLED');
  await call.result;
  expect(call.heartbeats.map(({ tail }) => tail).join('')).not.toContain('<');
});
