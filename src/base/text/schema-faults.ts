/**
 * What is wrong with a value by a JSON Schema, in sentences that a model can act on. An interpreter of schemas
 * comes from outside: workflow code and activities have the same one, and bounds of their own for it.
 */
import { isRecord, isText, nestsDeeper, ownValue, stringOr } from '../json/json.js';
import { headChars } from './large-text.js';

type Json = Record<string, unknown>;

interface SchemaError {
  keyword: string;
  keywordLocation: string;
  instanceLocation: string;
  error: string;
}

export interface Asked {
  schema: Json;
  draft: '4' | '7' | '2020-12';
  value: unknown;
  /** One error will do. */
  onlyFirst: boolean;
}

/** The errors of a value. @throws where it can't follow the schema */
export type Interpreter = (asked: Asked) => SchemaError[];

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

/**
 * One sentence for each fault, at most 10: where, what was expected, what was given. None where the schema is not sound:
 * then nobody can tell. @throws as the interpreter
 */
export function schemaFaults(given: Json, value: unknown, interpret: Interpreter): string[] {
  if (!isSound(given)) return [];
  const schema = eased(given);
  const errors = errorsOf({ schema, draft: draftOf(given), value, onlyFirst: false }, interpret);
  const telling = errors.filter(({ keyword }) => !WRAPPERS.includes(keyword));
  const depthOf = ({ keyword, instanceLocation }: SchemaError) =>
    instanceLocation.split('/').length - (keyword === 'false' ? 1 : 0);
  const before = new Map(errors.map((error, index) => [error, errors[index - 1]]));
  const sorted = (telling.length > 0 ? telling : errors)
    .map(error => ({ error, depth: depthOf(error) }))
    .sort((a, b) => a.depth - b.depth);
  const show = shower();
  const lines = new Set<string>();
  // A list of a million wrong items has a million errors: no more are put into words than are said.
  for (const { error } of sorted) {
    lines.add(headChars(describe(error, before.get(error), schema, value, show), MAX_FAULT_CHARS));
    if (lines.size === MAX_FAULTS) break;
  }
  return [...lines];
}

/** All of them, or the first where there are more than the interpreter can hand from call to call. */
function errorsOf(asked: Asked, interpret: Interpreter): SchemaError[] {
  try {
    return interpret(asked);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return interpret({ ...asked, onlyFirst: true });
  }
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
/** Their members are schemas by names of their own. */
const MAPS: readonly string[] = [
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'],
];
const LISTS: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SCHEMAS: readonly string[] = [
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains', 'not', 'if', 'then', 'else'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
];

const TYPES: readonly unknown[] = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const isNumber = (value: unknown) => typeof value === 'number';
const isBound = (value: unknown) => isNumber(value) || typeof value === 'boolean';

/** What no value would fit, were it of another form. */
const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: value => [value].flat().every(type => TYPES.includes(type)),
  required: value => Array.isArray(value) && value.every(isText),
  enum: Array.isArray,
  pattern: isText,
  $ref: isText,
  ...{ minLength: isNumber, maxLength: isNumber, minItems: isNumber, maxItems: isNumber },
  ...{ minProperties: isNumber, maxProperties: isNumber, minContains: isNumber, maxContains: isNumber },
  ...{ minimum: isNumber, maximum: isNumber, exclusiveMinimum: isBound, exclusiveMaximum: isBound },
  multipleOf: value => isNumber(value) && Number(value) > 0,
};

/** Deeper ones would exhaust the stack. */
const MAX_SCHEMA_DEPTH = 200;

/**
 * Whether a check by the schema says anything: each keyword has its form, each type is known, each reference leads
 * somewhere, and by a way that the interpreter follows. What is null counts as left out, as servers write it that have no value for a keyword.
 */
export function isSound(schema: unknown): schema is Json {
  if (!isRecord(schema) || nestsDeeper(schema, MAX_SCHEMA_DEPTH)) return false;
  const hasNames = /"(\$id|\$anchor|id)":"/.test(JSON.stringify(schema));
  // Where it has names, the interpreter alone finds what they name, and says where it does not.
  const leads = (ref: string) =>
    ref === '#' || ref.startsWith('#/') ? targetOf(schema, ref) !== undefined : hasNames;
  return isSoundNode(schema, leads);
}

/** Others may mean anything by their keywords. */
const KNOWN_DIALECT = /^https?:\/\/json-schema\.org\//;

function isSoundNode(node: unknown, leads: (ref: string) => boolean): boolean {
  if (!isRecord(node)) return typeof node === 'boolean';
  const isSchema = (each: unknown) => isSoundNode(each, leads);
  return Object.entries(node).every(([key, value]) => {
    if (value === null) return true;
    if (ownValue(FORMS, key)?.(value) === false) return false;
    if (key === '$ref') return node.$id === undefined && leads(String(value));
    if (key === '$dynamicRef' || key === '$recursiveRef') return false;
    if (key === '$schema') return isText(value) && KNOWN_DIALECT.test(value);
    if (MAPS.includes(key)) {
      const isMember = (each: unknown) =>
        isSchema(each) || (key === 'dependencies' && Array.isArray(each) && each.every(isText));
      return isRecord(value) && Object.values(value).every(isMember);
    }
    if (LISTS.includes(key)) return Array.isArray(value) && value.every(isSchema);
    if (key === 'items' && Array.isArray(value)) return value.every(isSchema);
    return !SCHEMAS.includes(key) || isSchema(value);
  });
}

export const REF = /"\$(ref|dynamicRef|recursiveRef)":/;
const EASED = /"(format|default|nullable)":/;

/**
 * The schema as its server keeps it: what has a default may be left out, also where `required` names it, and what is
 * `nullable` may be null. Formats are a remark for the reader: servers differ in what they take for an address. Only
 * where that makes the schema take more: below `not` and `if` it stays as written (SU1).
 */
function eased(schema: Json): Json {
  const isAsWritten = refersFromBelow(schema);
  const ease = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(ease);
    if (!isRecord(node)) return node;
    const entries = Object.entries(node).filter(([key, value]) => isSaid(key, value) && key !== 'format');
    const body: Json = Object.fromEntries(
      entries.map(([key, value]) => {
        if (isReversed(key, node)) return [key, plain(value)];
        return [key, throughSchemas(key, value, ease)];
      }),
    );
    return withAnyOf(node, withoutDefaults(node, body));
  };
  return (isAsWritten ? plain(schema) : ease(schema)) as Json;
}

/** Where a schema that takes more makes the one around it take less. */
function isReversed(key: string, node: Json): boolean {
  return key === 'not' || key === 'if' || (key === 'contains' && node.maxContains !== undefined);
}

/** Whether something below such a place refers to another: that one is in both. */
function refersFromBelow(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(refersFromBelow);
  if (!isRecord(node)) return false;
  return Object.entries(node).some(([key, value]) =>
    isReversed(key, node)
      ? REF.test(JSON.stringify(value))
      : !DATA_KEYWORDS.includes(key) && refersFromBelow(value),
  );
}

function isSaid(key: string, value: unknown): boolean {
  return value !== null || DATA_KEYWORDS.includes(key);
}

/** As it is written, but for what is null. */
function plain(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plain);
  if (!isRecord(node)) return node;
  const entries = Object.entries(node).filter(([key, value]) => isSaid(key, value));
  return Object.fromEntries(entries.map(([key, value]) => [key, throughSchemas(key, value, plain)]));
}

/** The value of a keyword with each schema right below it changed. */
export function throughSchemas(key: string, value: unknown, change: (node: unknown) => unknown): unknown {
  if (DATA_KEYWORDS.includes(key)) return value;
  if (!MAPS.includes(key) || !isRecord(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]));
}

function withoutDefaults({ required, properties, type, nullable }: Json, body: Json): Json {
  const typed = nullable === true && isText(type) ? { ...body, type: [type, 'null'] } : body;
  if (!Array.isArray(required) || !isRecord(properties)) return typed;
  const hasDefault = (name: unknown) => {
    const property = ownValue(properties, String(name));
    return isRecord(property) && Object.hasOwn(property, 'default');
  };
  return { ...typed, required: required.filter(name => !hasDefault(name)) };
}

/** Of branches that take more than they did, two may take what one took: one of them will do. */
function withAnyOf(written: Json, body: Json): Json {
  const { oneOf, ...rest } = body;
  if (
    !Array.isArray(oneOf) ||
    (!EASED.test(JSON.stringify(written.oneOf)) && !REF.test(JSON.stringify(oneOf)))
  )
    return body;
  const allOf = Array.isArray(rest.allOf) ? rest.allOf : [];
  return rest.anyOf === undefined
    ? { ...rest, anyOf: oneOf }
    : { ...rest, allOf: [...allOf, { anyOf: oneOf }] };
}

const SIGNS: Readonly<Record<string, string>> = {
  minimum: '>=',
  maximum: '<=',
  exclusiveMinimum: '>',
  exclusiveMaximum: '<',
};

function describe(
  error: SchemaError,
  before: SchemaError | undefined,
  schema: Json,
  value: unknown,
  show: (value: unknown) => string,
): string {
  const { keyword } = error;
  const at = partsOf(error.instanceLocation);
  const node = nodeAt(schema, error);
  const given = show(at.reduce<unknown>((inner, part) => (isNode(inner) ? inner[part] : undefined), value));
  const path = pathOf(at);
  const asWritten = `${path}: ${error.error.replace(/\.$/, '')}, got ${given}`;
  // A reference by name leads to where only the interpreter is.
  if (Object.hasOwn(FORMS, keyword) && node[keyword] === undefined) return asWritten;
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
      // In draft 4 a flag beside the bound says that it is none itself.
      const excludes = node[keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'] === true;
      const sign = SIGNS[keyword];
      if (sign === undefined) return asWritten;
      return `${path}: must be ${excludes ? sign[0] : sign} ${node[keyword]}, got ${given}`;
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
  let root = schema;
  for (const part of parts.slice(0, parts.lastIndexOf(keyword))) {
    const next: unknown = isNode(node) ? node[part] : undefined;
    node = part === '$ref' ? targetOf(root, next) : next;
    // One with a name of its own is the root of what it refers to.
    if (isRecord(node) && isText(node.$id)) root = node;
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

/** A value in short. Each is written once: it may be large, and be shown by many sentences. */
function shower(): (value: unknown) => string {
  const known = new Map<unknown, string>();
  return value => {
    const text = known.get(value) ?? show(value);
    known.set(value, text);
    return text;
  };
}

function show(value: unknown): string {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const text = JSON.stringify(isText(value) ? headChars(value, MAX_SHOWN_CHARS) : value) ?? 'nothing';
  const isLong = text.length > MAX_SHOWN_CHARS;
  const short = isLong ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  return kind === 'null' ? 'null' : `${kind} ${short}`;
}
