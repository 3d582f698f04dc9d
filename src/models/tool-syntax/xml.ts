/** Calls as `<tool_call>` elements in the text of a reply. */
import { toolResultText } from '../../core/tools/tool-result.js';
import type { ToolCallCodec } from './codec.js';
import { proseReader } from './prose.js';
import { NO_INTERFACE, toolList } from './tool-list.js';
import { CALL_TAGS, parseXmlCalls } from './xml-calls.js';
import { isJson } from './xml-text.js';

const FORM = `<tool_call>
<name>name_of_the_tool</name>
<arguments>
<path>notes.md</path>
<content><![CDATA[Text with <tags> or & as it is.]]></content>
<lines>[1, 2]</lines>
</arguments>
</tool_call>`;

/** Keys that can be names of elements. */
const NAME = /^[A-Za-z_][\w.-]*$/;

export const XML: ToolCallCodec = {
  encodeTools: tools =>
    `## Tools\n\n${NO_INTERFACE} An element for each argument; numbers, lists and objects as JSON; text that holds < or & as CDATA:\n\n${FORM}\n\nSeveral calls may stand in one reply, which then ends: results come with the next message, as <tool_result>. Never write a result yourself.\n\n${toolList(tools)}`,

  encodeCall({ name, input }) {
    const given = Object.entries(input);
    const body = given.every(([key]) => NAME.test(key) && !CALL_TAGS.includes(key.toLowerCase()))
      ? given.map(([key, value]) => `<${key}>${valueText(value)}</${key}>\n`).join('')
      : // As JSON, in which no tag can stand.
        `${JSON.stringify(input).replaceAll('<', '\\u003c')}\n`;
    return `<tool_call>\n<name>${valueText(name)}</name>\n<arguments>\n${body}</arguments>\n</tool_call>`;
  },

  encodeResult(result, shown) {
    const text = toolResultText(result, shown).replaceAll('</tool_result', '&lt;/tool_result');
    return `<tool_result name=${JSON.stringify(result.toolName)}>\n${text}\n</tool_result>`;
  },

  proseReader,
  parse: parseXmlCalls,
};

/** A text as it is where nothing else could be read from it; else as CDATA. Anything else as JSON. */
function valueText(value: unknown): string {
  if (typeof value !== 'string')
    return (JSON.stringify(value) ?? 'null').replaceAll('<', '\\u003c').replaceAll('&', '\\u0026');
  const isPlain = /^[^\s<&]([^<&\r]*[^\s<&])?$/.test(value) && !isJson(value);
  return isPlain ? value : `<![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}
