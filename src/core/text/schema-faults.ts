/**
 * What is wrong with a value by a JSON Schema, in sentences that a model can act on. An interpreter of schemas
 * comes from outside: workflow code and activities have the same one, and bounds of their own for it.
 */
import { isRecord, ownValue, stringOr } from './json.js';
import { headChars } from './large-text.js';

type Json = Record<string, unknown>;

interface SchemaError {
  keyword: string;
  keywordLocation: string;
  instanceLocation: string;
  error: string;
}

/** All errors of a value. @throws where it can't follow the schema */
export type Interpreter = (schema: Json, draft: '4' | '7' | '2020-12', value: unknown) => SchemaError[];

const MAX_FAULTS = 10;
const MAX_SHOWN_CHARS = 80;
/** Of one sentence: names and values that a schema knows may be long, and many. */
const MAX_FAULT_CHARS = 500;

/** Keywords whose error only says that one of another keyword lies below. */
const WRAPPERS: readonly string[] = [
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'dependentSchemas'],
  ...['$ref', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'],
];

/** One sentence for each fault, at most 10: where, what was expected, what was given. @throws as the interpreter */
export function schemaFaults(schema: Json, value: unknown, interpret: Interpreter): string[] {
  const body = eased(schema) as Json;
  const errors = interpret(body, draftOf(schema), value);
  const depthOf = ({ keyword, instanceLocation }: SchemaError) =>
    partsOf(instanceLocation).length - (keyword === 'false' ? 1 : 0);
  const said = errors
    .map((error, index) => ({
      keyword: error.keyword,
      depth: depthOf(error),
      line: describe(error, errors[index - 1], body, value),
    }))
    .sort((a, b) => a.depth - b.depth);
  const telling = said.filter(({ keyword }) => !WRAPPERS.includes(keyword));
  const lines = (telling.length > 0 ? telling : said).map(({ line }) => headChars(line, MAX_FAULT_CHARS));
  return [...new Set(lines)].slice(0, MAX_FAULTS);
}

/** Draft 4 is told by its form, too: a bound that a number must be above is a flag there. */
function draftOf(schema: Json): '4' | '7' | '2020-12' {
  const named = stringOr(schema.$schema, '');
  if (/draft-0?4/.test(named) || /"exclusiveM(in|ax)imum":(true|false)/.test(JSON.stringify(schema)))
    return '4';
  return /draft-0?[67]/.test(named) ? '7' : '2020-12';
}

/** Keywords whose values are data. */
const DATA_KEYWORDS: readonly string[] = ['const', 'enum', 'default', 'examples'];

/**
 * The schema as its server keeps it: what has a default may be left out, also where `required` names it. Formats are a
 * remark for the reader: servers differ in what they take for an address.
 */
function eased(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(eased);
  if (!isRecord(node)) return node;
  const { required, properties } = node;
  const inner = Object.entries(node).filter(([key, value]) => key !== 'format' || isRecord(value));
  const body = Object.fromEntries(
    inner.map(([key, value]) => [key, DATA_KEYWORDS.includes(key) ? value : eased(value)]),
  );
  if (!Array.isArray(required) || !isRecord(properties)) return body;
  const hasDefault = (name: unknown) => {
    const property = ownValue(properties, String(name));
    return isRecord(property) && Object.hasOwn(property, 'default');
  };
  return { ...body, required: required.filter(name => !hasDefault(name)) };
}

const SIGNS: Readonly<Record<string, string>> = {
  minimum: '>=',
  maximum: '<=',
  exclusiveMinimum: '>',
  exclusiveMaximum: '<',
};

function describe(error: SchemaError, before: SchemaError | undefined, schema: Json, value: unknown): string {
  const { keyword } = error;
  const at = partsOf(error.instanceLocation);
  const node = nodeAt(schema, error);
  const given = show(at.reduce<unknown>((inner, part) => (isNode(inner) ? inner[part] : undefined), value));
  const path = pathOf(at);
  switch (keyword) {
    case 'required':
      return `${path}: the required property ${/"[\s\S]*"/.exec(error.error)?.[0] ?? ''} is missing`;
    case 'false':
      return `${pathOf(at.slice(0, -1))}: unknown property "${at.at(-1) ?? ''}"${knownOf(before && nodeAt(schema, before))}`;
    case 'type':
      return `${path}: expected ${[node.type].flat().join(' or ')}, got ${given}`;
    case 'enum':
      return `${path}: expected one of ${(Array.isArray(node.enum) ? node.enum : []).map(show).join(', ')}, got ${given}`;
    case 'const':
      return `${path}: expected ${show(node.const)}, got ${given}`;
    case 'pattern':
      return `${path}: must match pattern "${node.pattern}", got ${given}`;
    default: {
      const sign = SIGNS[keyword];
      if (sign !== undefined) return `${path}: must be ${sign} ${node[keyword]}, got ${given}`;
      return `${path}: ${error.error.replace(/\.$/, '')}, got ${given}`;
    }
  }
}

function pathOf(parts: readonly string[]): string {
  return parts.length === 0 ? 'the arguments' : parts.join('.');
}

function knownOf(node: Json | undefined): string {
  const names = isRecord(node?.properties) ? Object.keys(node.properties) : [];
  return names.length === 0 ? '' : `; known: ${names.slice(0, 20).join(', ')}`;
}

/** The schema that has the keyword of an error, through the references on the way to it. */
function nodeAt(schema: Json, { keyword, keywordLocation }: SchemaError): Json {
  const parts = partsOf(keywordLocation);
  let node: unknown = schema;
  for (const part of parts.slice(0, parts.lastIndexOf(keyword))) {
    const next: unknown = isNode(node) ? node[part] : undefined;
    node = part === '$ref' ? targetOf(schema, next) : next;
  }
  return isRecord(node) ? node : {};
}

/** What a reference leads to, as a place below the root; undefined where it is none. */
export function targetOf(root: Json, ref: unknown): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  return partsOf(ref).reduce<unknown>((node, part) => (isNode(node) ? node[part] : undefined), root);
}

/** The parts of a pointer such as `#/a/b~1c`. */
function partsOf(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map(part => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** An object, or a list, whose members have its indices for names. */
function isNode(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const text = JSON.stringify(value) ?? 'nothing';
  const short = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  return kind === 'null' ? 'null' : `${kind} ${short}`;
}
