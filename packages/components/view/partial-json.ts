/** Parses content that is still being written. Pure. */
import { Allow, parse } from 'partial-json';
import { isRecord, isText, nestsTooDeep } from 'steersman/base';
import { type ContentPart, readParts, withoutFence } from 'steersman/rules';

/** `Data`: the type of the complete text's value. While the text is incomplete, any field may be missing or cut. */
export interface PartialJson<Data = unknown> {
  data: Data extends object ? Partial<Data> : Data;
  /** True if the text is complete. */
  isValid: boolean;
}

/** Returns null if nothing can be parsed yet. */
export function parsePartialJson<Data = unknown>(text: string): PartialJson<Data> | null {
  const json = withoutFence(text);
  if (nestsTooDeep(json)) return null;
  try {
    return { data: JSON.parse(json), isValid: true };
  } catch {
    // The text is incomplete, or not JSON.
  }
  try {
    return { data: plain(parse(json, Allow.ALL)) as PartialJson<Data>['data'], isValid: false };
  } catch {
    return null;
  }
}

/** Copies the result of the parser, which sets the prototype for a key `__proto__` and may leave half a surrogate pair. */
function plain(value: unknown): unknown {
  if (isText(value)) return value.replace(/[\ud800-\udbff]$/, '');
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** Returns the parts of a text that may be cut anywhere; null for no parts. An incomplete name is left out. */
export function partialParts(text: string): ContentPart[] | null {
  const whole = readParts(text);
  if (whole !== null) return whole;
  const read = parsePartialJson(text);
  if (read === null || read.isValid || !isRecord(read.data)) return null;
  const { content } = read.data;
  const entries = Array.isArray(content) ? content : [read.data];
  const parts = entries.flatMap((entry, index) => partOf(entry, index === entries.length - 1));
  return parts.length === 0 ? null : parts;
}

function partOf(entry: unknown, isLast: boolean): ContentPart[] {
  if (!isRecord(entry)) return [];
  const { type, value, component, props, ...fields } = entry;
  // Incomplete HTML is not drawn until it is complete.
  if (type === 'webcomponent' && isLast) return [];
  if ((type === 'text' || type === 'webcomponent') && isText(value)) return [{ type, value }];
  if (type === 'json' && value !== undefined) return [{ type, value }];
  if (type !== 'component' || !isText(component)) return [];
  const names = Object.keys(entry);
  const mayGoOn = isLast && names.at(-1) === 'component';
  return mayGoOn ? [] : [{ type, component, props: isRecord(props) ? props : fields }];
}
