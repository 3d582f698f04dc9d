/**
 * The loop that a program without Temporal would have: the same model SDK and the same tool over MCP, and nothing is
 * stored.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import OpenAI from 'openai';
import { callsOf, type RunShape } from './run-script.js';

type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;
type WireCall = OpenAI.Chat.ChatCompletionMessageFunctionToolCall;

export interface BareLoop {
  /** Makes as many model and tool calls as a run of this shape. */
  run(shape: RunShape): Promise<void>;
  close(): Promise<void>;
}

export interface BareLoopOptions {
  modelUrl: string;
  /** The system text of every call, as long as a role's. */
  system: string;
  /** The tool server, as `.mcp.json` has it. */
  server: { command: string; args: string[]; env: Record<string, string> };
}

export async function startBareLoop({ modelUrl, system, server }: BareLoopOptions): Promise<BareLoop> {
  const openai = new OpenAI({ baseURL: modelUrl, apiKey: 'bench', maxRetries: 0 });
  const mcp = new Client({ name: 'bare-loop', version: '1.0.0' });
  await mcp.connect(
    new StdioClientTransport({ ...server, env: { ...getDefaultEnvironment(), ...server.env } }),
  );
  const { tools: listed } = await mcp.listTools();
  const tools = listed.map(({ name, description = '', inputSchema }) => ({
    type: 'function' as const,
    function: { name, description, parameters: inputSchema },
  }));

  async function ask(messages: WireMessage[]): Promise<{ text: string; calls: WireCall[] }> {
    const stream = await openai.chat.completions.create({
      model: 'gpt-5-mini',
      messages,
      tools,
      stream: true,
    });
    let text = '';
    const calls: WireCall[] = [];
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? '';
      for (const { index, id = '', function: part } of choices[0]?.delta.tool_calls ?? []) {
        const call = calls[index] ?? { id, type: 'function', function: { name: '', arguments: '' } };
        calls[index] = call;
        call.function.name += part?.name ?? '';
        call.function.arguments += part?.arguments ?? '';
      }
    }
    return { text, calls };
  }

  async function run(shape: RunShape): Promise<void> {
    const messages: WireMessage[] = [
      { role: 'system', content: system },
      { role: 'user', content: 'Say what the records show.' },
    ];
    for (let turn = 0; turn < callsOf(shape).model; turn++) {
      const { text, calls } = await ask(messages);
      const called = calls.length > 0 ? { tool_calls: calls } : {};
      messages.push({ role: 'assistant', content: text, ...called });
      for (const { id, function: asked } of calls) {
        const result = await mcp.callTool({ name: asked.name, arguments: JSON.parse(asked.arguments) });
        messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(result.content) });
      }
    }
    const results = messages.filter(message => message.role === 'tool').length;
    if (results !== callsOf(shape).tool) throw new Error(`the bare loop made ${results} tool calls`);
  }

  return { run, close: () => mcp.close() };
}
