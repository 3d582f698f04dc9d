/** Content that is still being written: what of its JSON is there already. Pure. */
import { Allow, parse } from 'partial-json';
import { isRecord, isText, nestsTooDeep } from 'steersman/base';
import { type ContentPart, readParts, withoutFence } from 'steersman/rules';

export interface PartialJson {
  data: unknown;
  /** The text is complete. */
  isValid: boolean;
}

/** Null where there is nothing yet, or nothing that can be read. */
export function parsePartialJson(text: string): PartialJson | null {
  const json = withoutFence(text);
  if (nestsTooDeep(json)) return null;
  try {
    return { data: JSON.parse(json), isValid: true };
  } catch {
    // It is cut, or no JSON.
  }
  try {
    return { data: parse(json, Allow.ALL), isValid: false };
  } catch {
    return null;
  }
}

/** The parts of a text that may be cut anywhere. A name that may go on is none yet; null where nothing can be drawn. */
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
  // Half of a tag is no HTML: it is drawn when it is whole.
  if (type === 'webcomponent' && isLast) return [];
  if ((type === 'text' || type === 'webcomponent') && isText(value)) return [{ type, value }];
  if (type === 'json' && value !== undefined) return [{ type, value }];
  if (type !== 'component' || !isText(component)) return [];
  const names = Object.keys(entry);
  const mayGoOn = isLast && names.at(-1) === 'component';
  return mayGoOn ? [] : [{ type, component, props: isRecord(props) ? props : fields }];
}
