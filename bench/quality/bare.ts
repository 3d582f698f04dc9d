/**
 * The bare side: one short prompt and the workspace tools, in a loop over chat completions, without planning and
 * verification.
 */
import { setMaxListeners } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import OpenAI from 'openai';
import { workspaceTools } from '../../packages/workspace-tools/tools.js';
import { loadSettings } from '../../src/config/settings/settings.js';
import { serveCodeTools } from '../../src/mcp/tools/code-tools.js';
import { endpointOf } from '../../src/models/provider/endpoint.js';
import { endpointSettings } from '../../src/models/provider/endpoints.js';
import { env } from '../../src/shared/process/env.js';
import { NOTHING_PLAYED, type Played, type Side } from './sides.js';

const PROMPT =
  'You work in a folder of files by your tools. Do what the user asks. When you are done, answer in plain text.';

type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** `configDir`: the folder whose `steersman.yaml` may define the model's endpoint, in addition to variables. */
export async function bareSide(
  modelId: string,
  configDir: string,
  { without = [], mostRounds = 30 }: { without?: readonly string[]; mostRounds?: number },
): Promise<Side> {
  const { endpoints } = (await loadSettings(configDir)).models;
  const name = modelId.slice(0, modelId.indexOf('/'));
  const { url, apiKey, headers, protocol } = endpointOf(endpointSettings(name, endpoints[name], env.lookup));
  // Anthropic has chat completions too, below `v1/`.
  const baseURL = protocol === 'anthropic' ? new URL('v1/', `${url}/`).href : url.href;
  const openai = new OpenAI({ baseURL, apiKey: apiKey ?? 'none', defaultHeaders: headers, maxRetries: 2 });
  const model = modelId.slice(name.length + 1);

  return {
    name: 'bare',
    async play({ goal, steer }, folder, said, signal) {
      const mcp = new Client({ name: 'bare', version: '1' });
      await mcp.connect(await serveCodeTools(workspaceTools({ workspace: folder }, { without }), folder));
      const tools = (await mcp.listTools()).tools.map(({ name, description = '', inputSchema }) => ({
        type: 'function' as const,
        function: { name, description, parameters: inputSchema },
      }));
      // Each tool call adds a listener to the signal until the call ends: many listeners are not a leak.
      setMaxListeners(0, signal);
      const messages: WireMessage[] = [
        { role: 'system', content: PROMPT },
        { role: 'user', content: goal },
      ];
      const played = { ...NOTHING_PLAYED };
      let word = steer;
      try {
        while (played.calls < mostRounds) {
          const { choices, usage } = await openai.chat.completions.create(
            { model, messages, tools },
            { signal },
          );
          countUsage(played, usage);
          const { content = null, tool_calls: asked } = choices[0]?.message ?? {};
          const calls = asked?.filter(call => call.type === 'function') ?? [];
          if (calls.length === 0) return { ...played, ended: 'answered', answer: content ?? '' };
          messages.push({ role: 'assistant', content, tool_calls: calls });
          for (const { id, function: call } of calls)
            messages.push({ role: 'tool', tool_call_id: id, content: await resultOf(mcp, call, signal) });
          if (word !== null) messages.push({ role: 'user', content: word });
          word = null;
          said();
        }
        return { ...played, ended: `${mostRounds} rounds` };
      } catch (error) {
        return { ...played, failure: String(signal.reason ?? error) };
      }
    },
  };
}

function countUsage(played: Played, usage: OpenAI.CompletionUsage | undefined): void {
  played.calls += 1;
  played.sent += usage?.prompt_tokens ?? 0;
  played.cached += usage?.prompt_tokens_details?.cached_tokens ?? 0;
  played.output += usage?.completion_tokens ?? 0;
}

async function resultOf(
  mcp: Client,
  { name, arguments: given }: { name: string; arguments: string },
  signal: AbortSignal,
): Promise<string> {
  try {
    const { content } = await mcp.callTool({ name, arguments: JSON.parse(given || '{}') }, undefined, {
      signal,
    });
    const blocks = Array.isArray(content) ? content : [];
    return blocks.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
  } catch (error) {
    signal.throwIfAborted();
    return String(error);
  }
}
