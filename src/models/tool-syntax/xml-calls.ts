/**
 * Reads calls from the text of a reply as models write them: with unclosed, nested or wrapped tags, with or without
 * CDATA, with JSON instead of elements, after prose. An ambiguous call does not run. A call in code stays text. If
 * prose follows the calls, the reply only shows them, so all of them stay text.
 */

import type { JsonSchema } from '../../base/json/json.js';
import { isRecord, nestsTooDeep, parseJson } from '../../base/json/json.js';
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import { isWhole } from '../request/is-whole.js';
import type { ParsedReply, WrittenCall } from './codec.js';
import { quoteAround } from './quoted.js';
import { bodyOf, type Element, elementsOf, jsonEnd, nextOpen, textOfElement } from './xml-text.js';

/** Our own `<tool_call>`, and forms that models were trained on: `<invoke name="…">`, `<function=…>`. */
export const CALL_TAGS: readonly string[] = ['tool_call', 'invoke', 'function'];
/** Results of calls: our own, and Qwen's. */
const RESULT_TAGS: readonly string[] = ['tool_result', 'tool_response'];
const NAME_TAGS = ['name', 'tool_name', 'tool'];
const ARGUMENT_TAGS = ['arguments', 'parameters', 'params', 'args', 'input'];
/** Tags as in `<parameter=path>` and `<parameter name="path">`. */
const PARAMETER_TAGS = ['parameter', 'argument', 'arg'];
const TAGS_AROUND = /<\/?(?:tool_calls?|function_calls)>/gi;
const CLOSINGS = /^(?:\s|<\|?\/[\w▁|｜:]+>)+/;
const ANY_CALL_TAG = new RegExp(`<(/?)(?:${CALL_TAGS.join('|')})\\b`, 'i');
/** Bounded because the end of each tag is searched for; no sensible reply has more. */
const MOST_TAGS = 128;

/** The form of offered tools' names; any other text is not a call. */
const TOOL_NAME = /^[\w.:/@-]{1,128}$/;

type ReadCall = Pick<WrittenCall, 'name' | 'arguments'>;

export function parseXmlCalls(text: string, tools: readonly OfferedTool[]): ParsedReply {
  const calls: WrittenCall[] = [];
  const prose: string[] = [];
  let from = 0;
  let lastEnd = 0;
  for (let tags = 0; tags < MOST_TAGS; tags += 1) {
    // A result that the model invented, and all text after it, does not belong to the reply.
    const open = nextOpen(text, from, [...CALL_TAGS, ...RESULT_TAGS]);
    const isResult = open !== null && RESULT_TAGS.includes(open.tag);
    if (isResult && calls.length > 0) {
      prose.push(text.slice(from, open.start).replace(TAGS_AROUND, ''));
      from = text.length;
      lastEnd = text.length;
    }
    if (!open || from === text.length) break;
    const quoteEnd = quoteAround(text, from, open.start);
    if (quoteEnd !== null) {
      prose.push(text.slice(from, open.start).replace(TAGS_AROUND, ''), text.slice(open.start, quoteEnd));
      from = quoteEnd;
      continue;
    }
    const body = bodyOf(text, open, { mayBeJson: true });
    const rest = text.slice(body.end);
    const call = isResult ? null : readCall({ ...open, body: body.text, rest }, tools);
    // Unless the tag is our own, a call of an unknown tool is text, because such tags have other meanings.
    const isShown = /^[ \t]*[^\s<]/.test(rest) && !closesAgain(rest);
    if (call && !isShown && (open.tag === 'tool_call' || tools.some(tool => tool.name === call.name))) {
      prose.push(text.slice(from, open.start).replace(TAGS_AROUND, ''));
      calls.push({ ...call, raw: body.text, cut: !body.closed && breaksOff(text, body) });
      from = body.end;
      lastEnd = body.end;
    } else {
      prose.push(text.slice(from, open.bodyStart).replace(TAGS_AROUND, ''));
      from = open.bodyStart;
    }
  }
  if (calls.length === 0 || isProse(text.slice(lastEnd))) return { text, calls: [] };
  prose.push(text.slice(from).replace(TAGS_AROUND, ''));
  return { text: prose.join('').trim(), calls };
}

/** True if text follows the calls, other than closing tags and a call that breaks off. */
function isProse(rest: string): boolean {
  const text = rest.replace(CLOSINGS, '');
  return text !== '' && !text.startsWith('<') && !closesAgain(text);
}

/** True if the call's end was inside one of its texts, so that the call continues. */
function closesAgain(rest: string): boolean {
  return ANY_CALL_TAG.exec(rest)?.[1] === '/';
}

/** True for the last call of a reply if its end is missing, unless it is complete JSON. */
function breaksOff(reply: string, body: { text: string; end: number }): boolean {
  if (reply.slice(body.end).trim() !== '') return false;
  return !(/^\s*(?:```\w*\s*)?\{/.test(body.text) && isWhole(body.text));
}

/** A call as it was found, and the text after it. */
interface FoundCall {
  attributes: string;
  body: string;
  rest: string;
}

/** Returns null if the call names no tool. */
function readCall({ attributes, body, rest }: FoundCall, tools: readonly OfferedTool[]): ReadCall | null {
  const given = nameIn(attributes);
  const trimmed = body.trim();
  if (trimmed.startsWith('{')) return fromJson(trimmed, given);
  const elements = elementsOf(body, ARGUMENT_TAGS);
  const named = given === null ? elements.find(({ tag }) => NAME_TAGS.includes(tag)) : undefined;
  const name = given ?? (named ? textOfElement(named).text.trim() : '');
  if (!TOOL_NAME.test(name)) return null;
  const schema = tools.find(tool => tool.name === name)?.inputSchema ?? {};
  const tail = body.slice(named?.end ?? 0).trim();
  if (tail === '' || tail.startsWith('{')) return { name, arguments: tail };
  const others = elements.filter(element => element !== named);
  const [list, ...more] = others;
  // The tool itself may have an argument of this name.
  const isList = list && ARGUMENT_TAGS.includes(list.tag) && !Object.hasOwn(propertiesOf(schema), list.tag);
  if (isList && more.length === 0) return { name, arguments: fromList(list.inner, schema, rest) };
  return { name, arguments: (others.length > 0 ? fromElements(others, schema, rest) : null) ?? unread(tail) };
}

/** Reads `="read"` of `<function=read>`, and `name="read"` of any tag. */
function nameIn(attributes: string): string | null {
  const found = /(?:^=|\bname\s*=)\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/.exec(attributes);
  return found ? (found[1] ?? found[2] ?? found[3] ?? null) : null;
}

/** Reads `{ "name": …, "arguments": … }`, or the arguments alone if the tag has the name. */
function fromJson(text: string, given: string | null): ReadCall | null {
  const value = parse(text.slice(0, jsonEnd(text, 0) ?? undefined));
  if (given !== null) return TOOL_NAME.test(given) ? { name: given, arguments: text } : null;
  // A call with unreadable JSON is still reported by its name, with arguments that no tool accepts.
  if (!isRecord(value)) {
    const name = /"(?:name|tool_name|tool)"\s*:\s*"([\w.:/@-]{1,128})"/.exec(text)?.[1];
    return name === undefined ? null : { name, arguments: unread(text) };
  }
  const name = NAME_TAGS.map(tag => value[tag]).find(found => typeof found === 'string');
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) return null;
  const key = ARGUMENT_TAGS.find(tag => Object.hasOwn(value, tag));
  const args = key === undefined ? {} : value[key];
  return { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

/** Returns JSON from JSON or elements; otherwise the raw text, which no tool accepts. */
function fromList(inner: string, schema: JsonSchema, rest: string): string {
  const text = inner.trim();
  const json = /^<!\[CDATA\[\s*(\{[\s\S]*\})\s*\]\]>$/.exec(text)?.[1] ?? text;
  if (json.startsWith('{')) return json.slice(0, jsonEnd(json, 0) ?? undefined);
  const elements = elementsOf(inner, []);
  const isUnread = elements.length === 0 && text !== '';
  return (isUnread ? null : fromElements(elements, schema, rest)) ?? unread(inner);
}

/** Returns the raw text with a prefix that keeps it from being read as arguments. */
function unread(text: string): string {
  return `<${text}`;
}

/** Returns null if the elements are ambiguous: an unclosed argument before another, a repeated one, a call in a call. */
function fromElements(elements: readonly Element[], schema: JsonSchema, rest: string): string | null {
  const values = new Map<string, unknown>();
  const properties = propertiesOf(schema);
  for (const [index, element] of elements.entries()) {
    const { tag, written, attributes, closed } = element;
    const key = (PARAMETER_TAGS.includes(tag) && nameIn(attributes)) || written;
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    // The argument's end may come later; then the tag that ended the call was part of it.
    if (!closed && (index < elements.length - 1 || rest.includes(`</${written}`))) return null;
    if (CALL_TAGS.includes(tag) && property === undefined) return null;
    const value = valueAs(textOfElement(element), property);
    const isList = typeOf(property) === 'array';
    if (values.has(key) && !isList) return null;
    const before = values.get(key);
    if (isList && !Array.isArray(value)) values.set(key, [...(Array.isArray(before) ? before : []), value]);
    else if (values.has(key)) return null;
    else values.set(key, value);
  }
  return JSON.stringify(Object.fromEntries(values));
}

function propertiesOf({ properties }: JsonSchema): Record<string, unknown> {
  return isRecord(properties) ? properties : {};
}

function typeOf(property: unknown): unknown {
  return isRecord(property) ? property.type : undefined;
}

/** Returns a text if it is marked as one or the tool expects one; otherwise its value as JSON, if it is valid JSON. */
function valueAs({ text, isText }: { text: string; isText: boolean }, property: unknown): unknown {
  if (isText || typeOf(property) === 'string') return text;
  const value = parse(text.trim());
  return value === undefined ? text : value;
}

function parse(text: string): unknown {
  return nestsTooDeep(text) ? undefined : parseJson(text);
}
