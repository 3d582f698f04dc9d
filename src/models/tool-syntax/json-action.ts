/** Calls as the `action` and `params` of an envelope. */
import { envelopeToolCall } from '../../core/outputs/envelope.js';
import { extractJson } from '../../core/outputs/parse-output.js';
import { toolResultText } from '../../core/tools/tool-result.js';
import type { ToolCallCodec } from './codec.js';
import { NO_INTERFACE, toolList } from './tool-list.js';

const FORM = '{ "action": "name_of_the_tool", "params": { "argument": "value" } }';

export const JSON_ACTION: ToolCallCodec = {
  encodeTools: tools =>
    `## Tools\n\n${NO_INTERFACE} To call a tool, reply with one JSON object whose \`action\` is its name and whose \`params\` are its arguments: \`${FORM}\`. One call in a reply; its result comes with the next message.\n\n${toolList(tools)}`,

  encodeCall: ({ name, input }, replyText) =>
    envelopeToolCall(extractJson(replyText) ?? {}, [name])
      ? null
      : JSON.stringify({ action: name, params: input }),

  encodeResult: (result, shown) =>
    `Result of the action ${JSON.stringify(result.toolName)}:\n${toolResultText(result, shown)}`,

  /** The text stays as it is: it says what the call is for. */
  parse(text, tools) {
    const json = extractJson(text);
    const names = tools.map(tool => tool.name);
    const call = json && envelopeToolCall(json, names);
    if (!call) return { text, calls: [] };
    const args = JSON.stringify(call.input);
    return { text, calls: [{ name: call.name, arguments: args, raw: args, unclosed: false }] };
  },
};
