import { afterEach, describe, expect, it } from 'vitest';
import { envelope } from '../../../packages/test-kit/role-outputs.js';
import type { ModelRequestHead } from '../../../src/rules/prompts/model-request.js';
import type { ScriptedModel, ScriptedReply } from '../../support/endpoint/model.js';
import { startScriptedModel } from '../../support/endpoint/model.js';
import { runCall, tool } from '../../support/model-calls.js';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

const READ = tool('read_text_file', {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
});

async function replyTo(reply: ScriptedReply, head: Partial<ModelRequestHead> = {}) {
  const server = await startScriptedModel({ reply: [reply] });
  open.push(server);
  const executor = { output: 'execution', dialect: 'envelope', tools: [READ] } as const;
  return runCall({ baseUrl: server.baseUrl, callId: 'c4', head: { ...executor, tools: [READ], ...head } });
}

const CALL = envelope('read_text_file', { path: 'a.md' });

describe('executor of the envelope dialect (F19)', () => {
  it('action names an offered tool → a call like a native one, beside the text that holds it', async () => {
    expect(await replyTo({ text: CALL })).toMatchObject({
      content: [
        { type: 'text', text: CALL },
        { type: 'tool_use', id: 'c4_1', name: 'read_text_file', input: { path: 'a.md' } },
      ],
      stopReason: 'tool_use',
    });
  });

  it('an executor of the component dialect → the same', async () => {
    expect(await replyTo({ text: CALL }, { dialect: 'component' })).toMatchObject({
      content: [{ type: 'text' }, { type: 'tool_use', name: 'read_text_file', input: { path: 'a.md' } }],
      stopReason: 'tool_use',
    });
  });

  it('arguments that do not fit → errors with path, as for native calls (C4)', async () => {
    const { content } = await replyTo({ text: envelope('read_text_file', { path: 7 }) });
    expect(content.at(-1)).toMatchObject({
      type: 'tool_use',
      argErrors: [expect.stringContaining('path')],
    });
  });

  it('broken JSON → mended first; the call says it all, so no mended text is kept', async () => {
    const result = await replyTo({ text: "{'action': 'read_text_file', 'params': {'path': 'a.md',},}" });
    expect(result.content.at(-1)).toMatchObject({ name: 'read_text_file', input: { path: 'a.md' } });
    expect(result.outputText).toBeUndefined();
  });

  it.each<[string, ScriptedReply, Partial<ModelRequestHead>]>([
    ['its output is text', { text: CALL }, { dialect: 'component', output: 'text' }],
    ['no tools are offered', { text: CALL }, { tools: [] }],
    ['action is COMPLETE', { text: envelope('COMPLETE', { summary: 'Done.' }) }, {}],
    ['action names a tool that is not offered', { text: envelope('write_file', { path: 'a' }) }, {}],
    ['the reply was cut in the JSON', { text: CALL.slice(0, -20), stopReason: 'max_tokens' }, {}],
    [
      'WK5: its end had to be mended',
      { text: "{'action': 'read_text_file', 'params': {'path': 'a.md'}," },
      {},
    ],
    ['it is a question', { text: envelope('CLARIFICATION_REQUIRED', { question: 'Which?' }) }, {}],
  ])('no call: %s', async (_when, reply, head) => {
    const { content, stopReason } = await replyTo(reply, head);
    expect(content.map(block => block.type)).toEqual(['text']);
    expect(stopReason).not.toBe('tool_use');
  });

  it('native call beside such JSON → the native one only', async () => {
    const toolCalls = [{ name: 'read_text_file', arguments: { path: 'b.md' } }];
    const { content } = await replyTo({ text: CALL, toolCalls });
    expect(content.filter(block => block.type === 'tool_use')).toMatchObject([{ input: { path: 'b.md' } }]);
  });
});
