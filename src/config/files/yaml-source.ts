/** YAML with line numbers, and the one check of configuration: schema in, value or clear error out. */

import { LRUCache } from 'lru-cache';
import type { Document, Node, Range } from 'yaml';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { isRecord } from '../../base/json/json.js';
import { errorText } from '../../base/text/error-text.js';
import { nearestNames } from '../../base/text/nearest-names.js';
import { readNumber } from '../../base/text/number.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { displayPath } from './files.js';

export type KeyPath = readonly PropertyKey[];

export interface YamlSource {
  /** Plain data. Keys without a value are left out, so that a section with only commented lines is valid. */
  value: Record<string, unknown>;
  /** `file:line` of a key; for an unknown path, of the nearest key above it. */
  at(path: KeyPath): string;
}

/**
 * Parses a YAML mapping.
 * @param firstLine line of `file` on which `text` begins, for front matter. Default 1.
 * @throws SteersmanError for bad YAML, and for anything but a mapping, with `file:line`.
 */
export function parseYaml(text: string, file: string, firstLine = 1): YamlSource {
  const key = JSON.stringify([file, firstLine, text]);
  const source = parsed.get(key) ?? parseSafely(text, file, firstLine);
  parsed.set(key, source);
  return source;
}

/** The same few files are read for each run. */
const parsed = new LRUCache<string, YamlSource>({ max: 100 });
/** The results of schemas on sources; they must not be changed. */
const checked = new WeakMap<YamlSource, Map<z.ZodType, unknown>>();

/** The parser throws errors of its own for texts that would fill the memory or the stack, such as a chain of references. */
function parseSafely(text: string, file: string, firstLine: number): YamlSource {
  try {
    return parse(text, file, firstLine);
  } catch (error) {
    if (error instanceof SteersmanError) throw error;
    throw new SteersmanError(
      `${displayPath(file)}:${firstLine}: its YAML cannot be read: ${errorText(error)}.`,
      'Nest it less deeply, and write values out in place of references.',
    );
  }
}

function parse(text: string, file: string, firstLine: number): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const place = (offset: number) => `${displayPath(file)}:${lines.linePos(offset).line + firstLine - 1}`;
  const fault = document.errors[0];
  if (fault) {
    throw new SteersmanError(
      `${place(beginOf(document, fault.pos[0]))}: not valid YAML: ${fault.message}.`,
      'Check indentation, quotes and colons near that line.',
    );
  }
  const wrong = firstFaultOf(document);
  if (wrong) throw new SteersmanError(`${place(wrong.offset)}: not valid YAML: ${wrong.what}.`, wrong.remedy);
  const value: unknown = withoutNulls(document.toJS()) ?? {};
  if (!isRecord(value)) {
    throw new SteersmanError(
      `${place(0)}: expected keys with values ("key: value").`,
      'Write one key a line.',
    );
  }
  return { value, at: path => place(offsetOf(document, path)) };
}

/**
 * Checks a source against a schema and returns the schema's result.
 * @param docs the document that describes the keys, for the hint.
 * @throws SteersmanError with one line for each fault: `file:line`, key, what is wrong, nearest known key.
 */
export function checkYaml<T extends z.ZodType>(schema: T, source: YamlSource, docs: string): z.output<T> {
  const made = checked.get(source) ?? new Map<z.ZodType, unknown>();
  if (made.has(schema)) return made.get(schema) as z.output<T>;
  const result = schema.safeParse(source.value);
  if (result.success) {
    checked.set(source, made.set(schema, result.data));
    return result.data;
  }
  const faults = result.error.issues.flatMap(issue => describeIssue(issue, schema, source));
  throw new SteersmanError(
    faults.join('\n'),
    `Correct ${faults.length === 1 ? 'it' : 'them'} as described in ${docs}.`,
  );
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType, source: YamlSource): string[] {
  if (issue.code !== 'unrecognized_keys') {
    const text = issue.message.replace(/^Invalid input: |\.$/g, '');
    const advice = instead(issue, valueAt(source.value, issue.path));
    return [`${source.at(issue.path)}: ${dotted(issue.path) || 'the file'}: ${text}.${advice}`];
  }
  const known = knownKeys(schema, issue.path);
  return issue.keys.map(key => unknownKeyText(source.at([...issue.path, key]), [...issue.path, key], known));
}

/** Returns what to write instead of a text, if the text tells what was meant. */
function instead(issue: z.core.$ZodIssue, value: unknown): string {
  if (typeof value !== 'string') return '';
  if (issue.message.startsWith('Invalid input: expected array')) return ` Write [${JSON.stringify(value)}].`;
  if (!issue.message.startsWith('Invalid input: expected number')) return '';
  const isTime = String(issue.path.at(-1)).endsWith('Ms');
  const [, digits = '', unit = ''] = /^\$?(.*?\d)\s*(ms|s|m|h|d)?$/.exec(value) ?? [];
  const number = readNumber(digits);
  if (number === null || (unit !== '' && !isTime)) return '';
  return isTime ? ` Write milliseconds: ${number * (UNITS[unit] ?? 1)}.` : ` Write ${number}.`;
}

const UNITS: Partial<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function valueAt(value: unknown, path: KeyPath): unknown {
  let at = value;
  for (const key of path) at = (at as Record<PropertyKey, unknown> | undefined)?.[key];
  return at;
}

/** Returns the message for an unknown key, with the nearest known ones. */
export function unknownKeyText(place: string, path: KeyPath, known: readonly string[]): string {
  const [nearest] = nearestNames(String(path.at(-1)), known);
  const advice = nearest === undefined ? '' : ` Did you mean "${nearest}"? Known here: ${known.join(', ')}.`;
  return `${place}: unknown key "${dotted(path)}".${advice}`;
}

/** Returns the keys that a schema knows below `path`, from its JSON Schema. */
function knownKeys(schema: z.ZodType, path: KeyPath): string[] {
  let node: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  for (const segment of path) {
    if (!isRecord(node)) return [];
    const properties = isRecord(node.properties) ? node.properties : {};
    node = properties[String(segment)] ?? node.additionalProperties ?? node.items;
  }
  const properties = isRecord(node) && isRecord(node.properties) ? node.properties : {};
  // A key with `not` exists only for its own error message.
  return Object.keys(properties).filter(key => !(isRecord(properties[key]) && 'not' in properties[key]));
}

/** Returns the beginning of the unclosed quotes or brackets that caused a fault lines later; else the fault itself. */
function beginOf(document: Document.Parsed, fault: number): number {
  let begin = fault;
  const note = (range: Range | null | undefined) => {
    if (range && range[0] < fault && range[1] >= fault) [begin] = range;
  };
  visit(document, {
    Scalar: (_, node) => {
      if (/^QUOTE/.test(node.type ?? '')) note(node.range);
    },
    Collection: (_, node) => {
      if (node.flow === true) note(node.range);
    },
  });
  return begin;
}

interface Wrong {
  offset: number;
  what: string;
  remedy: string;
}

/**
 * Returns the first key that its mapping has twice, or reference to a missing anchor: usually a glob without quotes, such
 * as `*.env`. The parser's own checks take a time that grows with the square of the file.
 */
function firstFaultOf(document: Document.Parsed): Wrong | undefined {
  const anchors = new Set<string>();
  const faults: Wrong[] = [];
  const note = (node: Node, what: string, remedy: string) => {
    faults.push({ offset: node.range?.[0] ?? 0, what, remedy });
    return visit.BREAK;
  };
  const hear = ({ anchor }: { anchor?: string | undefined }) => void (anchor && anchors.add(anchor));
  visit(document, {
    Scalar: (_, node) => hear(node),
    Seq: (_, node) => hear(node),
    Map: (_, node) => {
      hear(node);
      const known = new Set<unknown>();
      const keys = node.items.flatMap(({ key }) => (isScalar(key) ? [key] : []));
      const twice = keys.find(({ value }) => known.size === known.add(value).size);
      return twice && note(twice, 'Map keys must be unique', 'Remove the second of the two keys.');
    },
    Alias: (_, node) => {
      if (anchors.has(node.source)) return undefined;
      const what = `*${node.source} is a reference to a name that the file does not define`;
      return note(node, what, 'Put a text that begins with * into quotes.');
    },
  });
  return faults[0];
}

function offsetOf(document: Document.Parsed, path: KeyPath): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const segment of path) {
    if (isMap(node)) {
      const pair = node.items.find(item => isScalar(item.key) && String(item.key.value) === String(segment));
      if (!pair || !isScalar(pair.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(segment)];
      if (isScalar(item) || isMap(item) || isSeq(item)) offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

function dotted(path: KeyPath): string {
  return path.map(String).join('.');
}

function withoutNulls(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutNulls(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== null));
}
