/** What one model call comes to when its endpoint misbehaves: over real HTTP, through provider, classifier and stream reader. */
import { ApplicationFailure } from '@temporalio/common';
import type { CallModelResult } from '../../src/activities/types.js';
import type { Protocol } from '../../src/models/provider/endpoint.js';
import type { Message, ToolUseBlock } from '../../src/run/messages/message.js';
import type { FaultName } from './endpoint/faults/names.js';
import { type ScriptedReply, startScriptedModel } from './endpoint/model.js';
import { type CallSetup, runCall, tool, user } from './model-calls.js';

const TEXT = 'I read both files: 一起 🌧️.';
/** What the model would say: thinking, a text, two calls, in small parts. */
const REPLY: ScriptedReply = {
  reasoning: 'Hm.',
  text: TEXT,
  toolCalls: [
    { name: 'read', arguments: { path: 'a.txt' } },
    { name: 'read', arguments: { path: 'b.txt' } },
  ],
  chunkChars: 6,
};
const READ = {
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer', minimum: 1 } },
  required: ['path'],
};
/** Nothing comes at all, or nothing more: only there a limit is short, so that a busy machine is not taken for silence. */
const SILENT = /stall|never/;
const SILENT_AT_END = /open-after|nothing-after/;
const SOON_MS = 150;
const LATE_MS = 30_000;

export interface FaultOutcome {
  /** The stop reason and what survives of the reply, or the type of the failure and whether it is tried again. */
  outcome: string;
  /** The message of the failure; empty for a reply. */
  says: string;
}

export async function outcomeOf(
  protocol: Protocol,
  fault: FaultName,
  start = startScriptedModel,
): Promise<FaultOutcome> {
  const server = await start({
    // A thing that is refused may come with the next request.
    reply: ({ lastUser }) =>
      lastUser.endsWith(GO_ON)
        ? { text: 'Fine.', ...(fault.startsWith('refuses.') && { fault }) }
        : { ...REPLY, fault },
  });
  const silence = SILENT.test(fault) ? SOON_MS : LATE_MS;
  const usageMs = SILENT_AT_END.test(fault) ? SOON_MS : LATE_MS;
  const baseUrl = protocol === 'anthropic' ? server.baseUrl.replace(/\/v1$/, '') : server.baseUrl;
  try {
    const call = {
      baseUrl,
      endpoint: { protocol, name: 'openai', apiKey: 'sk-of-this-test' },
      head: { tools: [tool('read', READ)], reasoning: 'low' as const },
      deps: { limits: { stallMs: silence, firstPartMs: silence, usageMs } },
    };
    const result = await runCall(call);
    const counted = server.requests.at(-1)?.cache?.inputTokens;
    const others = [
      ...(result.usage.estimated ? ['usage estimated'] : []),
      ...(!result.usage.estimated && result.usage.inputTokens !== counted ? ['usage wrong'] : []),
      ...((await isTakenBack(call, result)) ? [] : [`the next request refused`]),
    ];
    return { outcome: [replyWords(result), ...others].join(', '), says: '' };
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    const says = error.message
      // Which of them it is, is a matter of the moment and of Node's version.
      .replace(/ECONNRESET|UND_ERR_SOCKET/, 'ECONNRESET')
      .replace(`openai/gpt-5-mini at ${baseUrl}`, 'home/qwen3 at <address>')
      .replace(new URL(baseUrl).origin, '<origin>');
    return { outcome: `${error.type}, ${triedAgain(error)}`, says };
  } finally {
    await server.close();
  }
}

const GO_ON = 'Go on.';

/** Whether the endpoint takes the conversation with this reply in it, and the results of its calls. */
async function isTakenBack(
  call: CallSetup,
  { content, stopReason, usage }: CallModelResult,
): Promise<boolean> {
  const said = {
    kind: 'assistant',
    role: 'executor',
    content,
    stopReason,
    action: 'executing',
    usage,
    model: 'openai/gpt-5-mini',
  };
  const results = content.flatMap(block => (block.type === 'tool_use' ? [resultOf(block)] : []));
  const messages = [user('Hello'), { id: 'm2', at: 2, ...said } as Message, ...results, user(GO_ON, 'm9')];
  return runCall({ ...call, messages }).then(
    () => true,
    () => false,
  );
}

function resultOf({ id, name }: ToolUseBlock): Message {
  const text = { type: 'text' as const, text: 'Seen.' };
  const block = {
    toolUseId: id,
    toolName: name,
    ending: 'executed' as const,
    note: '',
    content: [text],
    isError: false,
  };
  return {
    id: `r ${id}`,
    at: 3,
    kind: 'tool_result',
    content: [{ type: 'tool_result', durationMs: 0, ...block }],
  };
}

function triedAgain({ nonRetryable, nextRetryDelay }: ApplicationFailure): string {
  if (nonRetryable) return 'not tried again';
  if (typeof nextRetryDelay !== 'number') return 'tried again';
  const seconds = nextRetryDelay / 1000;
  // A date has whole seconds, and some of them have passed.
  return `tried again after ${seconds > 10 ? Math.ceil(seconds / 10) * 10 : seconds} s`;
}

function replyWords({ stopReason, content, servedModel }: CallModelResult): string {
  const calls = content.filter(block => block.type === 'tool_use').map(callWords);
  const parts = content.flatMap(block => {
    if (block.type === 'tool_use') return [];
    if (block.type === 'reasoning') return [block.text === '' ? 'sealed thinking' : 'thinking'];
    return [block.text === TEXT ? 'text' : TEXT.startsWith(block.text) ? 'half the text' : `"${block.text}"`];
  });
  const others = [...(servedModel === undefined ? [] : ['the other model noted'])];
  return `${stopReason}: ${[...parts, ...calls, ...others].join(', ') || 'nothing'}`;
}

function callWords(call: ToolUseBlock): string {
  const path = typeof call.input.path === 'string' ? call.input.path : '';
  if (call.argsParseFailed) return 'call not run (unreadable)';
  if (call.argErrors) return `call not run (${call.argErrors.join(' ')})`;
  return `call ${call.name === 'read' ? '' : `"${call.name}" `}${path}`;
}
