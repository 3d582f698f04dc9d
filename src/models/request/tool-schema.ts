/** Converts tool schemas to what endpoints accept. Calls are validated against the original, including removed keywords. */
import { createHash } from 'node:crypto';
import { isRecord } from '../../base/json/json.js';

type Schema = Record<string, unknown>;

/** Anthropic's rule for argument names, the strictest of all. */
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
const MOST_LEVELS = 12;
/** Keywords that are useless to a model and that some endpoint refuses. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  '$vocabulary',
  'examples',
]);
const BRANCHES = ['anyOf', 'oneOf', 'allOf'] as const;
/** Keywords that no provider accepts at the top: https://github.com/anthropics/claude-code/issues/5319 */
const NOT_AT_TOP: ReadonlySet<string> = new Set([
  ...BRANCHES,
  '$ref',
  'not',
  'if',
  'then',
  'else',
  'enum',
  'const',
  'type',
]);

/** Returns an argument's name as it is sent: always the same for one name, and different for different names. */
export function wireKey(key: string): string {
  if (KEY.test(key)) return key;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 6);
  return `${key.replace(/[^a-zA-Z0-9_.-]+/g, '_').slice(0, 56)}_${hash}`;
}

/** The limit of OpenAI's endpoints and of many compatible ones: https://platform.openai.com/docs/api-reference/chat/create */
const DESCRIPTION_CHARS = 1_024;

/** Returns a tool's description, cut to the limit of OpenAI's protocols. */
export function wireDescription(description: string): string {
  if (description.length <= DESCRIPTION_CHARS) return description;
  return `${description.slice(0, DESCRIPTION_CHARS - 1).toWellFormed()}…`;
}

/**
 * Returns an object schema without keywords that providers refuse (FE3), and without `additionalProperties: false`,
 * because calls are validated anyway.
 */
export function wireSchema(schema: Schema): Schema {
  const allowed = Object.entries(schema).filter(
    ([keyword, value]) => !NOT_AT_TOP.has(keyword) && (keyword !== 'additionalProperties' || value !== false),
  );
  const { properties, required } = mergedBranches(schema);
  const merged = {
    ...Object.fromEntries(allowed),
    ...(properties !== null && { properties }),
    ...(required !== null && { required }),
  };
  return { type: 'object', properties: {}, ...taken(merged, MOST_LEVELS) };
}

/** Branches that are followed at the top; a schema may refer to itself. */
const MOST_BRANCHES = 500;

/**
 * Merges the references and branches at the top into one object: all their arguments, and the names that every choice
 * requires.
 */
function mergedBranches(
  given: Schema,
  root = given,
  left = { branches: MOST_BRANCHES },
): { properties: Schema | null; required: unknown[] | null } {
  left.branches -= 1;
  if (left.branches < 0) return { properties: null, required: null };
  const schema = followed(given, root);
  const branches = BRANCHES.flatMap(key => {
    const list = schema[key];
    return Array.isArray(list)
      ? list.filter(isRecord).map(branch => ({ branch, isAll: key === 'allOf' }))
      : [];
  });
  const own = isRecord(schema.properties) ? schema.properties : null;
  if (branches.length === 0) return { properties: own, required: listOf(schema.required) };
  const inner = branches.map(({ branch, isAll }) => ({ ...mergedBranches(branch, root, left), isAll }));
  const properties = Object.assign({}, ...inner.map(each => each.properties ?? {}), own ?? {}) as Schema;
  const chosen = inner.filter(({ isAll }) => !isAll).map(({ required }) => required ?? []);
  const everywhere = (chosen[0] ?? []).filter(name => chosen.every(list => list.includes(name)));
  const always = inner.filter(({ isAll }) => isAll).flatMap(({ required }) => required ?? []);
  const required = [...new Set([...(listOf(schema.required) ?? []), ...always, ...everywhere])];
  return { properties, required: required.length === 0 ? null : required };
}

function listOf(value: unknown): unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function taken(schema: unknown, levels: number): Schema {
  if (!isRecord(schema) || levels === 0) return {};
  const result: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!SAYS_NOTHING.has(keyword)) Object.assign(result, takenKeyword(keyword, value, schema, levels - 1));
  }
  const isArray = result.type === 'array' || (Array.isArray(result.type) && result.type.includes('array'));
  if (isArray && result.items === undefined && result.prefixItems === undefined) result.items = {};
  return result;
}

function takenKeyword(keyword: string, value: unknown, { minimum, maximum }: Schema, levels: number): Schema {
  switch (keyword) {
    case 'properties':
    case 'patternProperties':
    case '$defs':
    case 'definitions':
      return isRecord(value) ? { [keyword]: takenEach(value, levels, keyword === 'properties') } : {};
    case 'items':
      // A list in `items` is the older form of `prefixItems`.
      if (Array.isArray(value)) return { items: value.length === 1 ? taken(value[0], levels) : {} };
      return { items: taken(value, levels) };
    case 'required':
      return Array.isArray(value)
        ? { required: value.filter(name => typeof name === 'string').map(wireKey) }
        : {};
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value) && value.length > 0
        ? { [keyword]: value.map(branch => taken(branch, levels)) }
        : {};
    case 'additionalProperties':
    case 'not':
      return { [keyword]: isRecord(value) ? taken(value, levels) : value };
    // In older drafts they were booleans that excluded the bound itself.
    case 'exclusiveMinimum':
      return typeof value === 'boolean'
        ? value && typeof minimum === 'number'
          ? { exclusiveMinimum: minimum }
          : {}
        : { [keyword]: value };
    case 'exclusiveMaximum':
      return typeof value === 'boolean'
        ? value && typeof maximum === 'number'
          ? { exclusiveMaximum: maximum }
          : {}
        : { [keyword]: value };
    case 'type':
      return value === 'any' || value === null ? {} : { type: value };
    case 'id':
      return typeof value === 'string' ? {} : { id: value };
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? { enum: value } : {};
    default:
      return { [keyword]: value };
  }
}

function takenEach(schemas: Schema, levels: number, areArguments: boolean): Schema {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, inner]) => [
      areArguments ? wireKey(name) : name,
      taken(inner, levels),
    ]),
  );
}

/** Renames arguments back to the tool's own names if they were sent under other names. */
export function ownKeys(input: Schema, schema: unknown): Schema {
  return hasOddKeys(schema, MOST_LEVELS) ? (renamed(input, schema, MOST_LEVELS) as Schema) : input;
}

function hasOddKeys(schema: unknown, levels: number): boolean {
  if (!isRecord(schema) || levels === 0) return false;
  const properties = Object.entries(propertiesIn(schema));
  const inner = [schema.items, ...properties.map(([, property]) => property)];
  return properties.some(([key]) => !KEY.test(key)) || inner.some(each => hasOddKeys(each, levels - 1));
}

function renamed(value: unknown, schema: unknown, levels: number): unknown {
  if (!isRecord(schema) || levels === 0) return value;
  if (Array.isArray(value)) return value.map(each => renamed(each, schema.items, levels - 1));
  if (!isRecord(value)) return value;
  const properties = propertiesIn(schema);
  const named = new Map(Object.keys(properties).map(name => [wireKey(name), name]));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = Object.hasOwn(properties, key) ? key : (named.get(key) ?? key);
      return [
        name,
        renamed(inner, Object.hasOwn(properties, name) ? properties[name] : undefined, levels - 1),
      ];
    }),
  );
}

function propertiesIn(schema: Schema, root = schema): Schema {
  return mergedBranches(schema, root).properties ?? {};
}

const SIMPLE_LEVELS = 4;
const SIMPLE_TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object'];
const SIMPLE_DESCRIPTION_CHARS = 300;

/** Returns a schema that every endpoint understands: types, descriptions, lists of words. `schema` is the one that was sent. */
export function simplerSchema(schema: Schema): Schema {
  const simple = simpler(schema, schema, SIMPLE_LEVELS);
  return { ...simple, type: 'object', properties: isRecord(simple.properties) ? simple.properties : {} };
}

function simpler(given: unknown, root: Schema, levels: number): Schema {
  const schema = resolved(given, root);
  const { description, enum: words } = schema;
  const type = simpleType(schema);
  const about =
    typeof description === 'string' ? { description: description.slice(0, SIMPLE_DESCRIPTION_CHARS) } : {};
  if (type === 'array')
    return {
      type,
      ...about,
      items: levels === 0 ? { type: 'string' } : simpler(schema.items, root, levels - 1),
    };
  if (type === 'object') {
    const properties = levels === 0 ? {} : propertiesIn(schema, root);
    const names = Object.keys(properties);
    const required = Array.isArray(schema.required)
      ? schema.required.filter(name => names.includes(String(name)))
      : [];
    const inner = names.map(name => [name, simpler(properties[name], root, levels - 1)] as const);
    return {
      type,
      ...about,
      properties: Object.fromEntries(inner),
      ...(required.length > 0 && { required }),
    };
  }
  const isWords =
    type === 'string' &&
    Array.isArray(words) &&
    words.length > 0 &&
    words.every(word => typeof word === 'string' && word !== '');
  return { type, ...about, ...(isWords && { enum: words }) };
}

/** Follows references within the schema, and takes the first branch that is not null. */
function resolved(given: unknown, root: Schema): Schema {
  let schema = isRecord(given) ? given : {};
  for (let steps = 0; steps < 8; steps += 1) {
    const branch = BRANCHES.flatMap(key => (Array.isArray(schema[key]) ? schema[key] : [])).find(
      each => isRecord(each) && each.type !== 'null',
    );
    const next =
      typeof schema.$ref === 'string'
        ? atPointer(root, schema.$ref)
        : schema.type === undefined
          ? branch
          : undefined;
    if (!isRecord(next)) break;
    const { $ref: _ref, anyOf: _any, oneOf: _one, allOf: _all, ...own } = schema;
    schema = { ...next, ...own };
  }
  return schema;
}

/** Returns the schema that this one refers to, with its own keywords beside. */
function followed(given: Schema, root: Schema): Schema {
  let schema = given;
  for (let steps = 0; steps < 8 && typeof schema.$ref === 'string'; steps += 1) {
    const { $ref, ...own } = schema;
    const next = atPointer(root, String($ref));
    schema = isRecord(next) ? { ...next, ...own } : own;
  }
  return schema;
}

function atPointer(root: Schema, pointer: string): unknown {
  const path = pointer.startsWith('#/') ? pointer.slice(2).split('/') : [];
  return path.reduce<unknown>(
    (value, key) => (isRecord(value) ? value[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    path.length === 0 ? undefined : root,
  );
}

function simpleType({ type, properties, items, enum: words, const: word }: Schema): string {
  const named = (Array.isArray(type) ? type : [type]).find(each => SIMPLE_TYPES.includes(each));
  if (typeof named === 'string') return named;
  if (properties !== undefined) return 'object';
  if (items !== undefined) return 'array';
  const example = Array.isArray(words) ? words[0] : word;
  return ['number', 'boolean'].includes(typeof example) ? typeof example : 'string';
}
