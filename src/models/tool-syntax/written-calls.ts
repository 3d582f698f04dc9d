/**
 * Reads calls that a model wrote as text although tools were offered natively (FE2): a reply that ends with a call in a
 * form that models were trained on. Calls in a code fence, after a quotation mark, or followed by more text are
 * quotations.
 */
import { jsonrepair } from 'jsonrepair';
import { exactJson, isRecord, nestsTooDeep, parseJson } from '../../base/json/json.js';
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import { offeredName } from '../../rules/tools/model-habits.js';
import type { ParsedReply, ToolCallCodec, WrittenCall } from './codec.js';
import { codeIn } from './quoted.js';
import { parseXmlCalls } from './xml-calls.js';
import { jsonEnd } from './xml-text.js';

type Names = Pick<ReadonlySet<string>, 'has'>;
/** For calls in marks that only calls have: one of a tool that is not offered is answered as such. */
const ANY_NAME: Names = { has: name => /^[\w.-]{1,64}$/.test(name) };
const CALL_MARK =
  /^(?:<\|?(?:[a-z]+_)?(?:tool_?call|function_call)s?\b|<\|(?:python_tag|tool_|START_ACTION)|<\|channel\|>commentary to=|<｜tool|\[TOOL_(?:CALLS|REQUEST)\])/i;
type Call = Pick<WrittenCall, 'name' | 'arguments'>;

/** Reads the calls at the end of such a reply. */
export const WRITTEN_CALLS: Pick<ToolCallCodec, 'parse'> = { parse: parseWrittenCalls };

/** The beginning of a fence whose info word marks a call. */
const CALL_FENCE = /```(?:tool_code|tool_calls?)\s*\n(?:print\()?/;
const FENCE = '```';
const MOST_PLACES = 24;
const MOST_MARK = 80;

export function parseWrittenCalls(given: string, tools: readonly OfferedTool[]): ParsedReply {
  const none = { text: given, calls: [] };
  if (tools.length === 0 || nestsTooDeep(given)) return none;
  const names = new Set(tools.map(({ name }) => name));
  const fenced = fencedCalls(given);
  if (fenced) {
    const calls = inSequence(fenced.code, names) ?? inPython(`[${closed(fenced.code)}]`, names);
    if (calls) return { text: given.slice(0, fenced.at).trim(), calls: calls.map(asWritten) };
  }
  const text = plainTags(given);
  const places = placesIn(text);
  const marked = places.filter(start => CALL_MARK.test(text.slice(start, start + MOST_MARK)));
  for (const [start, known] of [...withNames(places, names), ...withNames(marked, ANY_NAME)]) {
    const calls = readTail(text.slice(start).trim(), tools, known);
    if (calls && calls.length > 0) return { text: text.slice(0, start).trim(), calls: calls.map(asWritten) };
  }
  return none;
}

function withNames<T>(places: readonly number[], names: T): [number, T][] {
  return places.map(start => [start, names]);
}

/** Returns the code of a fence of calls that ends the text, and where the fence begins. */
function fencedCalls(text: string): { code: string; at: number } | null {
  const whole = text.trimEnd();
  const { 0: begin, index: at = 0 } = CALL_FENCE.exec(whole) ?? {};
  const [from, to] = [at + (begin?.length ?? 0), whole.length - FENCE.length];
  if (begin === undefined || from > to || !whole.endsWith(FENCE)) return null;
  const code = whole.slice(from, to).trimEnd();
  // Without the bracket that ends `print`; `closed` adds one that is missing.
  return { code: code.endsWith(')') ? code.slice(0, -1) : code, at };
}

function asWritten({ name, arguments: args }: Call): WrittenCall {
  return { name, arguments: args, raw: args, cut: false };
}

function closed(code: string): string {
  return code.split('(').length > code.split(')').length ? `${code})` : code;
}

/** MiniMax's separator, which it writes before each tag of a call. */
const SEPARATOR = ']<]minimax[>[';

/** Normalises tag prefixes, GLM's key-value pairs and Gemma's calls. */
function plainTags(text: string): string {
  const tags = plainGemma(text)
    .replaceAll(SEPARATOR, '')
    .replace(/<(\/?)(?:｜DSML｜|\|DSML\||antml:|minimax:|seed:|steptml:)/g, '<$1')
    .replace(/<tool_call>\s*([\w.-]+)\s*(?=<arg_key>|<\/tool_call>)/g, '<tool_call><name>$1</name>');
  // After the last end tag, each beginning would be searched to the end of the text.
  const end = tags.lastIndexOf('</arg_value>') + '</arg_value>'.length;
  const parameters = tags
    .slice(0, end)
    .replace(
      /<arg_key>\s*([\w.-]+)\s*<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g,
      '<parameter name="$1">$2</parameter>',
    );
  return parameters + tags.slice(end);
}

const GEMMA_BEGIN = /(?=<\|tool_call>call:|<start_function_call>call:)/;
const GEMMA_CALL =
  /^<[\w|]+>call:([\w.-]+)(\{[\s\S]*\})(?:<tool_call\|>|<end_function_call>)?(?=\s*(?:<\|?[\w|]+>\s*)?$)/;
const GEMMA_TEXT = /(<\|"\|>|<escape>)([\s\S]*?)\1/g;
const TEXT_OR_KEY = /"(?:[^"\\]|\\.)*"|([{,]\s*)([A-Za-z_]\w*)(?=\s*:)/g;

/** Turns calls of Gemma 4 and FunctionGemma, `call:read{path:<|"|>a<|"|>}`, into a name and JSON. */
function plainGemma(text: string): string {
  return text.split(GEMMA_BEGIN).map(plainGemmaCall).join('');
}

function plainGemmaCall(part: string): string {
  return part.replace(GEMMA_CALL, (call, name: string, given: string) => {
    const texts = given.replace(GEMMA_TEXT, (_text, _quote, inner: string) => JSON.stringify(inner));
    const json = texts.replace(TEXT_OR_KEY, (found, before = '', key?: string) =>
      key === undefined ? found : `${before}"${key}"`,
    );
    const isRead = isRecord(parseJson(json));
    // Other calls of this form are only found at the beginning of a line.
    return isRead ? `\n<tool_call>{"name":${JSON.stringify(name)},"arguments":${json}}</tool_call>` : call;
  });
}

const BEGINS =
  /(?:^|\n)[ \t]*(?=[[{<]|functools\[|Action:|[\w.]+ ?\()|(?=\[TOOL_CALLS\]|<\|(?:python_|tool_|channel|START_ACTION)|<｜tool)/g;

/** Returns the places where a call may begin, in order, except inside code. */
function placesIn(text: string): number[] {
  // DeepSeek's calls contain a fence.
  const code = codeIn(text).filter(([start]) => !/<｜tool▁sep｜>[\w.-]+\s*$/.test(text.slice(0, start)));
  const places = [...text.matchAll(BEGINS)].map(({ 0: lead, index }) => index + lead.length);
  let next = 0;
  const isQuoted = (at: number) => {
    while ((code[next]?.[1] ?? at + 1) <= at) next += 1;
    return (code[next]?.[0] ?? at + 1) <= at;
  };
  return [...new Set(places)].filter(at => !isQuoted(at)).slice(-MOST_PLACES);
}

function readTail(tail: string, tools: readonly OfferedTool[], names: Names): Call[] | null {
  return (
    inTags(tail, tools, names) ?? inSequence(tail, names) ?? inPython(tail, names) ?? inAction(tail, names)
  );
}

/** Reads `<tool_call>`, `<function=…>`, `<invoke name="…">`, and a tag named after the tool. */
function inTags(tail: string, tools: readonly OfferedTool[], names: Names): Call[] | null {
  if (!tail.startsWith('<')) return null;
  const own = /^<([\w-]+)>/.exec(tail)?.[1];
  const isTool = tools.some(({ name }) => name === own);
  const text = isTool
    ? tail.replace(`<${own}>`, `<function=${own}>`).replace(new RegExp(`</${own}>\\s*$`), '</function>')
    : tail;
  const { text: rest, calls } = parseXmlCalls(text, tools);
  const isWhole = rest.replace(/<\|?\/?[\w▁|｜]+\|?>/g, '').trim() === '';
  return isWhole && calls.length > 0 && calls.every(({ name, cut }) => names.has(name) && !cut)
    ? calls
    : null;
}

/** Markers around calls of DeepSeek, Kimi, Mistral, Llama, Granite, Phi, Command, gpt-oss, Nemotron, LongCat, LM Studio. */
const MARK =
  /<\|[^|<>\n]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|<\|?\/?(?:[a-z]+_)?(?:tool_?call|function_call)s?\|?>|\[\/?(?:TOOL_CALLS|TOOL_CALL|ARGS)\]|\[(?:END_)?TOOL_REQUEST\]|\[CALL_ID\]\w+|<\/?tools?>/
    .source;
/** Only around calls: in their arguments the same words are content. */
const MARKS = new RegExp(`^(?:\\s|${MARK})+`, 'i');
const BETWEEN = new RegExp(
  `^(?:\\s|${MARK}|,|;|\\)|\\(|\`\`\`\\w*|to=|functools\\b|(?:function|commentary|analysis|assistant|json|code)(?![\\w.]))+`,
  'i',
);
const NAMED = /^(?:functions?\.)?([\w-]+(?:\.[\w-]+)*)(?::\d+)?/;

/** Reads calls as JSON, or as names followed by arguments, if nothing else follows them. */
function inSequence(tail: string, names: Names): Call[] | null {
  let rest = tail.replace(MARKS, '');
  const isMarked = rest !== tail;
  const calls: Call[] = [];
  for (let steps = 0; steps < 64; steps += 1) {
    const isFirst = steps === 0;
    const before = rest;
    rest = rest
      .trimStart()
      .replace(isFirst && !isMarked ? /^\s*(?:functools)?/ : BETWEEN, '')
      .trimStart();
    if (rest === '') return calls.length > 0 ? calls : null;
    const named = NAMED.exec(rest);
    const name = named?.[1] ?? '';
    if (named && names.has(name)) {
      rest = rest.slice(named[0].length).replace(BETWEEN, '').trimStart();
      const value = rest.startsWith('{') ? valueAt(rest) : null;
      if (!value || !isRecord(value.value)) return null;
      calls.push({ name, arguments: JSON.stringify(value.value) });
      rest = rest.slice(value.end);
    } else {
      const value = /^[[{]/.test(rest) ? valueAt(rest) : null;
      const found = value && callsIn(value.value, names);
      if (!value || !found) return null;
      calls.push(...found);
      rest = rest.slice(value.end);
    }
    if (rest === before) return null;
  }
  return null;
}

function valueAt(text: string): { value: unknown; end: number } | null {
  const end = jsonEnd(text, 0);
  if (end === null) return null;
  try {
    return { value: exactJson(text.slice(0, end)), end };
  } catch {
    return null;
  }
}

const NAME_KEYS = [
  'name',
  'tool',
  'tool_name',
  'function',
  'action',
  'recipient_name',
  'function_name',
] as const;
const ARGUMENT_KEYS = [
  'arguments',
  'parameters',
  'params',
  'args',
  'input',
  'tool_input',
  'action_input',
  'kwargs',
] as const;
const LIST_KEYS = ['tool_calls', 'calls', 'tool_uses', 'function_calls'] as const;

/** Returns null if the value is not a call of an offered tool, or not all of its items are. */
function callsIn(value: unknown, names: Names): Call[] | null {
  if (Array.isArray(value)) {
    const each = value.map(item => callsIn(item, names));
    return each.length > 0 && each.every(calls => calls !== null) ? each.flat() : null;
  }
  if (!isRecord(value)) return null;
  const inner = LIST_KEYS.map(key => value[key]).find(Array.isArray) ?? value.function_call;
  if (inner !== undefined) return callsIn(inner, names);
  if (isRecord(value.function)) return callsIn(value.function, names);
  const stated = NAME_KEYS.map(key => value[key]).find(name => typeof name === 'string');
  const name = typeof stated === 'string' ? stated.replace(/^functions?\./, '') : '';
  const args = ARGUMENT_KEYS.map(key => value[key]).find(given => given !== undefined);
  if (!names.has(name) || (!isRecord(args) && typeof args !== 'string')) return null;
  return [{ name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }];
}

/** Reads `[search(query="x"), read(path='a')]`, the form of Llama and Gemma. */
function inPython(tail: string, names: Names): Call[] | null {
  const whole = tail.replace(MARKS, '');
  const isList = whole.startsWith('[');
  // OLMo writes its calls in tags, one a line.
  if (!isList && !/^<function_calls>/.test(tail)) return null;
  const isEnd = (rest: string) =>
    (!isList || rest.startsWith(']')) && rest.slice(isList ? 1 : 0).replace(MARKS, '') === '';
  const calls: Call[] = [];
  for (let rest = isList ? whole.slice(1).trimStart() : whole; !isEnd(rest); ) {
    const [matched = ''] = /^[\w.-]+(?=\()/.exec(rest) ?? [];
    const name = offeredName(matched, each => names.has(each));
    const end = names.has(name) ? closing(rest, matched.length) : null;
    const args = end === null ? null : argumentsOf(rest.slice(matched.length + 1, end));
    if (end === null || args === null) return null;
    calls.push({ name, arguments: args });
    rest = rest.slice(end + 1).replace(/^\s*[,;]?\s*/, '');
  }
  return calls.length > 0 ? calls : null;
}

/** Returns the index of the bracket that closes the one at `start`; null if it is not closed. */
function closing(text: string, start: number): number | null {
  let depth = 0;
  let quote = '';
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (quote !== '') {
      if (sign === '\\') at += 1;
      else if (sign === quote) quote = '';
    } else if (sign === '"' || sign === "'") quote = sign;
    else if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return null;
}

/** Converts Python keyword arguments to JSON; null if they can't be read. */
function argumentsOf(list: string): string | null {
  const text = list.trim();
  if (text === '') return '{}';
  if (!/^[A-Za-z_]\w*\s*=/.test(text)) return null;
  try {
    return JSON.stringify(
      exactJson(jsonrepair(`{${text.replace(/(^|,\s*)([A-Za-z_]\w*)\s*=(?!=)/g, '$1"$2":')}}`)),
    );
  } catch {
    return null;
  }
}

/** Reads `Action: search`, followed by `Action Input: {…}`. */
function inAction(tail: string, names: Names): Call[] | null {
  const [, name = '', input = ''] =
    /^Action:\s*`?([\w.-]+)`?[^\S\n]*\n\s*Action Input:\s*(\{[\s\S]*\})\s*$/i.exec(tail) ?? [];
  const value = names.has(name) ? valueAt(input) : null;
  return value && isRecord(value.value) && value.end === input.length
    ? [{ name, arguments: JSON.stringify(value.value) }]
    : null;
}
