/** Texts that others made to be slow: what reads them ends. */
import { describe, expect, test } from 'vitest';
import { isPlain } from '../../packages/components/text/is-plain.js';
import { eventText } from '../../packages/print/event-lines.js';
import { mayBecomeJson } from '../../packages/view/index.js';
import { closestPlace } from '../../packages/workspace-tools/files/closest-place.js';
import { fileGlob } from '../../packages/workspace-tools/files/file-glob.js';
import { exactText } from '../../src/base/json/json.js';
import { alternatives } from '../../src/base/text/glob.js';
import { plainLine } from '../../src/base/text/plain-markdown.js';
import { FEWER_TOKENS, TOO_LONG } from '../../src/models/refusals/failure-words.js';
import { fewerTokens } from '../../src/models/refusals/reply-tokens.js';
import { CODECS } from '../../src/models/tool-syntax/codecs.js';
import { parseWrittenCalls } from '../../src/models/tool-syntax/written-calls.js';
import { gateParts } from '../../src/rules/gates/gate-parts.js';
import { shownId } from '../../src/rules/gates/gate-text.js';
import { idsOf } from '../../src/rules/outputs/citations.js';
import { sandboxReads } from '../../src/rules/tools/inline-code.js';
import { noColors } from '../../src/shared/index.js';
import { commandExcerpt } from '../../src/shared/store/command-excerpt.js';
import { tool } from '../support/model-calls.js';

const LONG = 200_000;
const many = (piece: string) => piece.repeat(LONG / piece.length);
const between = (blanks: string) => `a${many(blanks)}b`;
const tools = [tool('read')];
const written = (text: string) => parseWrittenCalls(text, tools).calls;

/** A goal's calls: each is short. */
const CODES = Array.from({ length: 50 }, () => '"\\'.repeat(10_000));

// What backtracks takes minutes or hours for these, and the test its time limit.
describe('a long text, made to be slow → read in one pass (LI5)', { timeout: 60_000 }, () => {
  test.each<[what: string, read: () => unknown, expected: unknown]>([
    ['digits in an error', () => fewerTokens(`max_tokens is too large: ${many('1')}`, 5_000), 2_500],
    ['digits in an error, for its kind', () => FEWER_TOKENS.words.test(many('1')), false],
    ['a word in an error', () => TOO_LONG.words.test(many('exceed')), false],
    ['blanks in a fence of calls', () => written(`\`\`\`tool_code\n${many('\n')}x`), []],
    ['blanks below an action', () => written(`Action: read${many('\n')}x`), []],
    ['brackets around blanks', () => written(`[${many(' ')}[`), []],
    ['arguments without an end', () => written(`<tool_call>${many('<arg_key>a</arg_key><arg_value>')}`), []],
    ['beginnings of calls of Gemma', () => written(many('<|tool_call>call:read{')), []],
    ['ends of calls of Gemma', () => written(`<|tool_call>call:read{${many('} ')}x`), []],
    [
      'texts of Gemma without an end',
      () => written(`<|tool_call>call:read{a:<escape>${many('<|"|>,b:"')}}`),
      [],
    ],
    ['fences before a call', () => written(many('```a```\n')), []],
    ['a fence around blanks', () => CODECS.xml?.parse(`\`\`\`<${many(' ')}x`, tools).calls, []],
    ['zeros in a number', () => exactText(`[1${many('0')}1]`).length, LONG + 6],
    ['marks around an id', () => idsOf({ evidence: [`${many(')')}e1`] } as never).length, 1],
    ['marks around an id, at its end', () => idsOf({ evidence: [`("e1)${many('.')}`] } as never), ['e1']],
    ['texts in code that end in a backslash', () => CODES.some(code => sandboxReads(code)), false],
    ['blanks in a line of Markdown', () => plainLine(between('\t')).length, LONG + 2],
    ['blanks in a gate', () => gateParts({ kind: 'question', title: '', body: between('\t') }).length, 1],
    ['signs in an id', () => shownId(between('.')).length > LONG, true],
    ['empty lines on a page', () => isPlain(between('\n')), true],
    ['blanks before a reply', () => mayBecomeJson(`${many(' ')}b`), false],
    ['a fence before a reply', () => mayBecomeJson(`\`\`\`${many('json ')}`), false],
    [
      'blanks in an event',
      () => eventText({ type: 'warning', seq: 1, at: 1, text: between(' ') } as never, noColors).length,
      1,
    ],
    ['words of failure in a line', () => commandExcerpt(Buffer.from(many('fail')), 20_000).headBytes, 2_500],
    ['empty lines in an edit', () => closestPlace('a', between('\n')).startsWith('The closest'), true],
    ['commas of a pattern', () => alternatives(`{${many(',')}`).length, 1],
    ['brackets of a pattern', () => typeof fileGlob(many('[')), 'function'],
  ])('%s', (_what, read, expected) => {
    expect(read()).toEqual(expected);
  });
});
