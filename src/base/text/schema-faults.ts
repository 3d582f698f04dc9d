/**
 * Describes the faults of a value against a JSON Schema, in sentences that a model can act on. The caller supplies the
 * schema interpreter: workflow code and activities use the same one with different limits.
 */

import { isRecord, isText, nestsDeeper, ownValue, stringOr } from '../json/json.js';
import { decoded } from './decoded.js';
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
  /** True if one error is enough. */
  onlyFirst: boolean;
}

/** Returns the errors of a value. @throws if it can't follow the schema */
export type Interpreter = (asked: Asked) => SchemaError[];

const MAX_FAULTS = 10;
const MAX_SHOWN_CHARS = 80;
/** Limit for one sentence, because names and values in a schema may be long and numerous. */
const MAX_FAULT_CHARS = 500;

/** Keywords whose error only says that another keyword below has one. */
const WRAPPERS: readonly string[] = [
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'dependentSchemas'],
  ...['$ref', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'],
];

/** Those that may have no error below: several forms fit, or an item is missing. */
const TELLING_WRAPPERS: readonly string[] = ['oneOf', 'contains'];

/** How a value is judged. */
export interface Judged {
  /** The name of the whole value in a sentence. Default: `the arguments`. */
  whole?: string;
  /** True if the schema holds as it is written. Default: as servers apply the schemas of their tools. */
  asWritten?: boolean;
}

/**
 * Returns one sentence per fault, at most 10: the place, the expected value, the actual one. Returns an empty list if
 * the schema is not sound, because the value can't be judged then. @throws as the interpreter
 */
export function schemaFaults(
  given: Json,
  value: unknown,
  interpret: Interpreter,
  { whole = 'the arguments', asWritten = false }: Judged = {},
): string[] {
  if (!isSound(given)) return [];
  const schema = asWritten ? (plain(given) as Json) : eased(given);
  const errors = errorsOf({ schema, draft: draftOf(given), value, onlyFirst: false }, interpret);
  const telling = [
    errors.filter(({ keyword }) => !WRAPPERS.includes(keyword)),
    errors.filter(({ keyword }) => TELLING_WRAPPERS.includes(keyword)),
  ].find(found => found.length > 0);
  const depthOf = ({ keyword, instanceLocation }: SchemaError) =>
    instanceLocation.split('/').length - (keyword === 'false' ? 1 : 0);
  const before = new Map(errors.map((error, index) => [error, errors[index - 1]]));
  const sorted = (telling ?? errors)
    .map(error => ({ error, depth: depthOf(error) }))
    .sort((a, b) => a.depth - b.depth);
  const show = shower();
  const lines = new Set<string>();
  // A list of a million wrong items has a million errors, so only as many are described as are returned.
  for (const { error } of sorted) {
    const about = { schema, value, show, whole };
    lines.add(headChars(describe(error, before.get(error), about), MAX_FAULT_CHARS));
    if (lines.size === MAX_FAULTS) break;
  }
  return [...lines];
}

/** Returns all errors, or only the first if there are too many for the interpreter to pass from call to call. */
function errorsOf(asked: Asked, interpret: Interpreter): SchemaError[] {
  try {
    return interpret(asked);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return interpret({ ...asked, onlyFirst: true });
  }
}

/** Draft 4 is also recognised by its form: its exclusive bounds are booleans. */
function draftOf(schema: Json): '4' | '7' | '2020-12' {
  const named = stringOr(schema.$schema, '');
  if (/draft-0?4/.test(named) || /"exclusiveM(in|ax)imum":(true|false)/.test(JSON.stringify(schema)))
    return '4';
  return /draft-0?[67]/.test(named) ? '7' : '2020-12';
}

/** Keywords whose values are data. */
const DATA_KEYWORDS: readonly string[] = ['const', 'enum', 'default', 'examples'];
/** Keywords whose members are schemas with arbitrary names. */
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

/** The form of each keyword; in another form no value would fit it. */
const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: value => [value].flat().every(type => TYPES.includes(type)),
  required: value => Array.isArray(value) && value.every(isText),
  enum: Array.isArray,
  pattern: isPattern,
  patternProperties: value => isRecord(value) && Object.keys(value).every(isPattern),
  $ref: isText,
  ...{ minLength: isNumber, maxLength: isNumber, minItems: isNumber, maxItems: isNumber },
  ...{ minProperties: isNumber, maxProperties: isNumber, minContains: isNumber, maxContains: isNumber },
  ...{ minimum: isNumber, maximum: isNumber, exclusiveMinimum: isBound, exclusiveMaximum: isBound },
  multipleOf: value => isNumber(value) && Number(value) > 0,
};

/** True for a regular expression as the interpreter compiles it. */
function isPattern(value: unknown): boolean {
  try {
    return isText(value) && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Deeper schemas would exhaust the stack. */
const MAX_SCHEMA_DEPTH = 200;

/**
 * True if validation against the schema is meaningful: each keyword has its form, each type is known, and each
 * reference can be resolved in a way that the interpreter supports. Null counts as absent, because some servers write
 * it for keywords without a value.
 */
export function isSound(schema: unknown): schema is Json {
  if (!isRecord(schema) || nestsDeeper(schema, MAX_SCHEMA_DEPTH)) return false;
  const hasNames = /"(\$id|\$anchor|id)":"/.test(JSON.stringify(schema));
  // A reference by name (`$id`, `$anchor`) is left to the interpreter, which reports it if nothing has that name.
  const leads = (ref: string) =>
    ref === '#' || ref.startsWith('#/') ? targetOf(schema, ref) !== undefined : hasNames;
  return isSoundNode(schema, leads);
}

/** Keywords of other dialects may mean anything. */
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
 * Returns the schema as servers apply it. A property with a default may be absent even if `required` names it, and a
 * `nullable` value may be null. Formats are dropped, because servers differ in what they accept as an address. This
 * only happens where it makes the schema accept more: below `not` and `if` it is unchanged (SU1).
 */
function eased(schema: Json): Json {
  const isAsWritten = refersFromBelow(schema);
  const ease = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(ease);
    if (!isRecord(node)) return node;
    const entries = Object.entries(node).filter(([key, value]) => isPresent(key, value) && key !== 'format');
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

/** True for places where a more permissive inner schema makes the outer one stricter. */
function isReversed(key: string, node: Json): boolean {
  return key === 'not' || key === 'if' || (key === 'contains' && node.maxContains !== undefined);
}

/** True if a schema below such a place has a reference, since its target is then used in both ways. */
function refersFromBelow(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(refersFromBelow);
  if (!isRecord(node)) return false;
  return Object.entries(node).some(([key, value]) =>
    isReversed(key, node)
      ? REF.test(JSON.stringify(value))
      : !DATA_KEYWORDS.includes(key) && refersFromBelow(value),
  );
}

function isPresent(key: string, value: unknown): boolean {
  return value !== null || DATA_KEYWORDS.includes(key);
}

/** Returns the schema as written, without null keywords. */
function plain(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plain);
  if (!isRecord(node)) return node;
  const entries = Object.entries(node).filter(([key, value]) => isPresent(key, value));
  return Object.fromEntries(entries.map(([key, value]) => [key, throughSchemas(key, value, plain)]));
}

/** Returns a keyword's value with each schema directly below it changed. */
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

/** Turns `oneOf` into `anyOf`: branches that now accept more may overlap, so matching one of them must suffice. */
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
  {
    schema,
    value,
    show,
    whole,
  }: { schema: Json; value: unknown; show: (value: unknown) => string; whole: string },
): string {
  const { keyword } = error;
  const at = partsOf(error.instanceLocation);
  const node = nodeAt(schema, error);
  const judged = at.reduce<unknown>((inner, part) => (isNode(inner) ? inner[part] : undefined), value);
  const given = show(judged);
  const path = pathOf(at, whole);
  const asWritten = `${path}: ${error.error.replace(/\.$/, '')}, got ${given}`;
  // A reference by name leads to a node that only the interpreter knows.
  if (Object.hasOwn(FORMS, keyword) && node[keyword] === undefined) return asWritten;
  switch (keyword) {
    case 'required':
      return `${path}: the required property ${/"[\s\S]*"/.exec(error.error)?.[0] ?? ''} is missing`;
    case 'false':
      return `${pathOf(at.slice(0, -1), whole)}: unknown property "${at.at(-1) ?? ''}"${knownOf(before && nodeAt(schema, before))}`;
    case 'type':
      return `${path}: expected ${[node.type].flat().join(' or ')}, got ${given}`;
    case 'enum':
      return `${path}: expected one of ${(Array.isArray(node.enum) ? node.enum : []).map(show).join(', ')}, got ${given}`;
    case 'const':
      return `${path}: expected ${show(node.const)}, got ${given}`;
    case 'pattern':
      return `${path}: must match pattern "${node.pattern}", got ${given}`;
    // The interpreter says of too many properties, too, that there are too few.
    case 'minProperties':
      return `${path}: has too few properties (${sizeOf(judged)} < ${node.minProperties}), got ${given}`;
    case 'maxProperties':
      return `${path}: has too many properties (${sizeOf(judged)} > ${node.maxProperties}), got ${given}`;
    default: {
      // In draft 4 a boolean next to the bound excludes the bound itself.
      const excludes = node[keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'] === true;
      const sign = SIGNS[keyword];
      if (sign === undefined) return asWritten;
      return `${path}: must be ${excludes ? sign[0] : sign} ${node[keyword]}, got ${given}`;
    }
  }
}

function sizeOf(value: unknown): number {
  return isRecord(value) ? Object.keys(value).length : 0;
}

function pathOf(parts: readonly string[], whole: string): string {
  return parts.length === 0 ? whole : parts.join('.');
}

function knownOf(node: Json | undefined): string {
  const names = isRecord(node?.properties) ? Object.keys(node.properties) : [];
  return names.length === 0 ? '' : `; known: ${names.slice(0, 20).join(', ')}`;
}

/** Returns the schema that has the keyword of an error, following the references on the path to it. */
function nodeAt(schema: Json, { keyword, keywordLocation }: SchemaError): Json {
  const parts = partsOf(keywordLocation);
  let node: unknown = schema;
  let root = schema;
  for (const part of parts.slice(0, parts.lastIndexOf(keyword))) {
    const next: unknown = isNode(node) ? node[part] : undefined;
    node = part === '$ref' ? targetOf(root, next) : next;
    // A schema with a name of its own is the root for its references.
    if (isRecord(node) && isText(node.$id)) root = node;
  }
  return isRecord(node) ? node : {};
}

/** Returns the target of a reference to a place below the root; undefined if there is none. */
export function targetOf(root: Json, ref: unknown): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  return partsOf(ref).reduce<unknown>((node, part) => (isNode(node) ? node[part] : undefined), root);
}

/** Returns the parts of a pointer such as `#/a/b~1c`. */
function partsOf(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map(part => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** True for an object or a list, whose member names are its indices. */
function isNode(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

/** Returns a function that shows a value in short. It serialises each value once, as many sentences may show it. */
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
