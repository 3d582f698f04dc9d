/** The syntaxes of tool calls in text, for models and endpoints without an interface for tools. */

import { parseJson } from '../../base/json/json.js';
import { toolResultText } from '../../conversation/tool-result.js';
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import type { ToolSyntax } from '../../run/agents/role.js';
import { envelopeToolCall, extractJson } from '../../run/outputs/envelope.js';
import type { ToolCallCodec } from './codec.js';
import { parseWrittenCalls } from './written-calls.js';
import { CALL_TAGS, parseXmlCalls } from './xml-calls.js';

/** Precedes the description of the form, because role prompts, including later ones, assume a native interface for tools. */
const NO_INTERFACE =
  'Here tools are called in text, in exactly the form below, whatever is said elsewhere of a native interface.';

function toolList(tools: readonly OfferedTool[]): string {
  return tools
    .map(({ name, description, inputSchema }) => {
      const { $schema: _dialect, ...schema } = inputSchema;
      return `### ${name}\n\n${description}\n\nArguments, as JSON schema: ${JSON.stringify(schema)}`;
    })
    .join('\n\n');
}

const JSON_FORM = '{ "action": "name_of_the_tool", "params": { "argument": "value" } }';

/** A call is the `action` and `params` of an envelope. */
const JSON_ACTION: ToolCallCodec = {
  encodeTools: tools =>
    `## Tools\n\n${NO_INTERFACE} To call a tool, reply with one JSON object whose \`action\` is its name and whose \`params\` are its arguments: \`${JSON_FORM}\`. One call in a reply; its result comes with the next message.\n\n${toolList(tools)}`,

  encodeCall: ({ name, input }, replyText) =>
    envelopeToolCall(extractJson(replyText) ?? {}, [name])
      ? null
      : JSON.stringify({ action: name, params: input }),

  encodeResult: (result, shown) =>
    `Result of the action ${JSON.stringify(result.toolName)}:\n${toolResultText(result, shown)}`,

  /** The text is left unchanged, because it explains the purpose of the call. */
  parse(text, tools) {
    const json = extractJson(text);
    const names = tools.map(tool => tool.name);
    const call = json && envelopeToolCall(json, names);
    if (!call) return { text, calls: [] };
    const args = JSON.stringify(call.input);
    return { text, calls: [{ name: call.name, arguments: args, raw: args, cut: false }] };
  },
};

const TAGS = ['tool_calls', 'tool_call', 'function_calls', 'tool_result', 'function', 'invoke'];
const BEGINS = new RegExp(`<(?:${TAGS.join('|')})[\\s=/>]`, 'gi');
const LONGEST = Math.max(...TAGS.map(tag => tag.length)) + 1;

/** Creates a reader that shows the text before the first call. Text that could become a tag is held back until then. */
function proseReader(): (text: string) => string {
  let searched = 0;
  let end: number | null = null;
  return text => {
    // The reply has started again.
    if (text.length < searched) {
      searched = 0;
      end = null;
    }
    BEGINS.lastIndex = Math.max(0, searched - LONGEST);
    end ??= BEGINS.exec(text)?.index ?? null;
    searched = text.length;
    if (end !== null) return text.slice(0, end);
    const last = text.lastIndexOf('<');
    const begun = text.slice(last + 1, last + 1 + LONGEST).toLowerCase();
    const mayBegin = last >= 0 && text.length - last <= LONGEST && TAGS.some(tag => tag.startsWith(begun));
    return mayBegin ? text.slice(0, last) : text;
  };
}

const XML_FORM = `<tool_call>
<name>name_of_the_tool</name>
<arguments>
<path>notes.md</path>
<content><![CDATA[Text with <tags> or & as it is.]]></content>
<lines>[1, 2]</lines>
</arguments>
</tool_call>`;

/** Keys that can be element names. */
const NAME = /^[A-Za-z_][\w.-]*$/;

/** A call is a `<tool_call>` element in the text of a reply. */
const XML: ToolCallCodec = {
  encodeTools: tools =>
    `## Tools\n\n${NO_INTERFACE} An element for each argument; numbers, lists and objects as JSON; text that holds < or & as CDATA:\n\n${XML_FORM}\n\nSeveral calls may stand in one reply, which then ends: a call in a code fence, or before other text, is not made. Results come with the next message, as <tool_result>. Never write a result yourself.\n\n${toolList(tools)}`,

  encodeCall({ name, input }) {
    const given = Object.entries(input);
    const body = given.every(([key]) => NAME.test(key) && !CALL_TAGS.includes(key.toLowerCase()))
      ? given.map(([key, value]) => `<${key}>${valueText(value)}</${key}>\n`).join('')
      : // JSON, in which no tag can occur.
        `${JSON.stringify(input).replaceAll('<', '\\u003c')}\n`;
    return `<tool_call>\n<name>${valueText(name)}</name>\n<arguments>\n${body}</arguments>\n</tool_call>`;
  },

  encodeResult(result, shown) {
    const text = toolResultText(result, shown).replaceAll('</tool_result', '&lt;/tool_result');
    return `<tool_result name=${JSON.stringify(result.toolName)}>\n${text}\n</tool_result>`;
  },

  proseReader,

  /** A fence around the whole reply is not a quotation. Forms that models were trained on are read too, as a fallback. */
  parse(text, tools) {
    const whole = text.trim();
    const fence = /^```\w*\s*(?=<)/.exec(whole)?.[0];
    const inner = fence === undefined ? text : whole.slice(fence.length).replace(/```$/, '');
    const inTags = parseXmlCalls(inner, tools);
    const parsed = inTags.calls.length > 0 ? inTags : parseWrittenCalls(text, tools);
    return parsed.calls.length > 0 ? parsed : { text, calls: [] };
  },
};

/** Returns a text unchanged if it can't be read as anything else, otherwise as CDATA. Other values become JSON. */
function valueText(value: unknown): string {
  if (typeof value !== 'string')
    return (JSON.stringify(value) ?? 'null').replaceAll('<', '\\u003c').replaceAll('&', '\\u0026');
  const isPlain = /^[^\s<&]([^<&\r]*[^\s<&])?$/.test(value) && parseJson(value) === undefined;
  return isPlain ? value : `<![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

/** Null for the native interface, which needs no codec. */
export const CODECS: Readonly<Record<ToolSyntax, ToolCallCodec | null>> = {
  native: null,
  xml: XML,
  'json-action': JSON_ACTION,
};
