/** What reads streams and mends what models write, with any text and broken off anywhere. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/base/json/json.js';
import type { ModelDelta } from '../../../src/models/provider/provider.js';
import { readEventData } from '../../../src/models/reply/event-stream.js';
import { repairOutput } from '../../../src/models/reply/output-repair.js';
import { endedAt } from '../../../src/models/reply/stop-texts.js';
import { type SplitText, ThinkSplitter } from '../../../src/models/reply/think-tags.js';
import { toToolUse } from '../../../src/models/request/tool-arguments.js';

/** Where a text is broken off, again and again. */
const places = fc.array(fc.nat(), { maxLength: 8 });

function pieces<T extends string | Buffer>(whole: T, at: readonly number[]): T[] {
  const cuts = [...new Set(at.map(place => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [...cuts, whole.length].map((cut, nth) => whole.slice(nth === 0 ? 0 : cuts[nth - 1], cut) as T);
}

async function* streamed<T>(parts: readonly T[]): AsyncIterable<T> {
  yield* parts;
}

async function all<T>(given: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of given) items.push(item);
  return items;
}

describe('streams', () => {
  it('events with any line ends and comments, broken off at any bytes → the same data', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map(text => text.replace(/[\r\n]/g, ' '));
    const event = fc.tuple(
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', ': alive', 'id: 1'),
    );
    const given = fc.tuple(fc.array(event, { maxLength: 5 }), fc.constantFrom('\n', '\r\n', '\r'), places);
    await fc.assert(
      fc.asyncProperty(given, async ([events, end, at]) => {
        const lines = events.flatMap(([data, other]) => [other, ...data.map(text => `data: ${text}`), '']);
        const bytes = Buffer.from(lines.map(text => text + end).join(''));
        const bounds = { eventBytes: 1e6, responseBytes: 1e6 };
        const read = await all(readEventData(streamed(pieces(bytes, at)), bounds));
        expect(read).toEqual(events.map(([data]) => data.join('\n')));
      }),
    );
  });

  it('thinking in the text, broken off anywhere → the same thinking and the same text', () => {
    const tags = fc.constantFrom(
      '<think>',
      '</think>',
      '<thinking>',
      '</thinking>',
      '[THINK]',
      '[/THINK]',
      '◁think▷',
      '◁/think▷',
      ' ',
      '\n',
      '<',
      'a',
      '</',
    );
    const text = fc.array(fc.oneof(tags, fc.string({ maxLength: 5 })), { maxLength: 12 });
    fc.assert(
      fc.property(text, places, (parts, at) => {
        const reply = parts.join('');
        expect(split(pieces(reply, at))).toEqual(split([reply]));
      }),
    );
  });

  it('a text that ends replies, broken off anywhere → all before it, and nothing of it', async () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(few, few, places, async (reply, stop, at) => {
        const deltas = pieces(reply, at).map((text): ModelDelta => ({ type: 'text', text }));
        const told = await all(endedAt(streamed(deltas), [stop]));
        const text = told.map(delta => (delta.type === 'text' ? delta.text : '')).join('');
        expect(text).toBe(stop === '' ? reply : reply.split(stop)[0]);
      }),
    );
  });
});

function split(parts: readonly string[]): Record<SplitText['channel'], string> {
  const splitter = new ThinkSplitter();
  const joined = { text: '', reasoning: '' };
  for (const { channel, text } of [...parts.flatMap(part => splitter.add(part)), ...splitter.end()]) {
    joined[channel] += text;
  }
  return joined;
}

describe('mending', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
  const call = (text: string, cut: boolean) => toToolUse({ id: 'c', name: 'any', text, cut }, []);

  it('arguments, plain, quoted twice or in a fence → the same object (T5)', () => {
    const wrapped = fc.constantFrom(
      (text: string) => text,
      (text: string) => JSON.stringify(text),
      (text: string) => `\`\`\`json\n${text}\n\`\`\``,
    );
    fc.assert(
      fc.property(object, wrapped, (input, wrap) => {
        const written = JSON.stringify(input);
        expect(JSON.stringify(call(wrap(written), false).input)).toBe(written);
      }),
    );
  });

  it('arguments that were cut anywhere, told or not → never a part of them for the whole (T5)', () => {
    fc.assert(
      fc.property(object, fc.nat(), fc.boolean(), (input, at, told) => {
        const written = JSON.stringify(input);
        const end = 1 + (at % written.length);
        const read = call(written.slice(0, end), told);
        if (!read.argsParseFailed) expect(JSON.stringify(read.input)).toBe(written);
      }),
    );
  });

  it('any text for arguments or for output → an object or said to be unreadable, never an exception (T5, G13)', () => {
    const sign = fc.constantFrom(
      ...['{', '}', '[', ']', '"', "'", ':', ',', '\\', '```', '\n', '//', 'null', '"todos"', '"type"', '1e'],
    );
    const text = fc.array(fc.oneof({ weight: 3, arbitrary: sign }, fc.string()), { maxLength: 30 });
    fc.assert(
      fc.property(text, fc.boolean(), (parts, cut) => {
        const written = parts.join('');
        const read = call(written, cut);
        expect(isRecord(read.input)).toBe(true);
        if (read.argsParseFailed) expect(read.input).toEqual({});
        const mended = repairOutput(written, 'plan');
        if (mended !== null) expect(isRecord(JSON.parse(mended.text))).toBe(true);
      }),
    );
  });
});
