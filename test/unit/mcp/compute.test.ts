/** The sandbox for JavaScript of models: what it is for, and what may not come of it. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computeTool } from '../../../packages/workspace-tools/compute.js';
import type { ToolContext } from '../../../src/mcp/tools/code-tools.js';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'compute-')));
const workspace = join(base, 'work');
afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeAll(() => {
  mkdirSync(join(workspace, 'sub'), { recursive: true });
  writeFileSync(join(base, 'outside.txt'), 'OUTSIDE');
  symlinkSync(join(base, 'outside.txt'), join(workspace, 'link.txt'));
  symlinkSync(base, join(workspace, 'up'));
  symlinkSync('/dev/zero', join(workspace, 'zero'));
  const files: Record<string, string | Buffer> = {
    'a.csv': 'name;amount\r\n"x;\r\n""y""";1,5\r\nz;2\r\n\r\nq\r\n',
    'b.csv': '\ufeffid\tname\tid\t\n1\ta\t2\tb\n3\tc\td\te\tmore\n',
    'open.csv': 'a,b\n1,"never closed\n2,3\n',
    'sep.csv': 'sep=|\na|b\n1,5|2\n',
    'c.json': '\ufeff{"n":[1,2,3]}',
    'western.txt': Buffer.from([0x63, 0x61, 0x66, 0xe9]),
    'wide.txt': Buffer.from('\ufeffwide\n', 'utf16le'),
    'lines.txt': 'one\r\ntwo\nthree\n',
    'nul.txt': 'a\0b',
    'sub/deep.txt': 'deep',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(workspace, name), content);
});

async function compute(
  code: string,
  { signal = new AbortController().signal, timeMs = 60_000 } = {},
): Promise<string> {
  const context = { signal } as ToolContext;
  const tool = computeTool({ workspace }, timeMs);
  return Promise.resolve(tool.run({ code }, context)).then(String, error => `FAILED ${error.message}`);
}

const USES: Record<string, [string, string]> = {
  'the last expression': ['const a = [1, 2, 3]; a.reduce((x, y) => x + y)', '6'],
  'what was printed, then the value': [
    'print("a", { b: 1 }, [2n]); console.log(null); "end"',
    'a {"b":1} ["2"]\nnull\nend',
  ],
  nothing: ['const a = 1;', 'The code has no result: end it with an expression, return or print.'],
  'a return': ['if (true) return 4;', '4'],
  'an await': ['const x = await Promise.resolve(5); return x', '5'],
  'values that JSON lacks': [
    '[1 / 0, NaN, new Map([["k", 1]]), new Set([2]), /x/g]',
    '["Infinity","NaN",{"k":1},[2],"/x/g"]',
  ],
  'an error in its line': ['1;\nnull.x', "FAILED TypeError: cannot read property 'x' of null (line 2)"],
  'what was printed before an error': [
    'print("so far"); throw new RangeError("no")',
    'FAILED so far\nRangeError: no (line 1)',
  ],
  'a day in UTC': [
    'const d = new Date("2026-01-31"); d.setMonth(1); [d.toISOString(), new Date(2026, 0, 1).getTime()]',
    '["2026-03-03T00:00:00.000Z",1767225600000]',
  ],
  'no clock': ['Date.now()', 'FAILED Error: There is no clock here: write the value into the code. (line 1)'],
  'no clock in a new date': [
    'class D extends Date {}; new D()',
    'FAILED Error: There is no clock here: write the value into the code. (line 1)',
  ],
  'no randomness': [
    'Math.random()',
    'FAILED Error: There is no randomness here: write the value into the code. (line 1)',
  ],
  'a CSV with quotes and ends of lines in them': [
    'csv("a.csv")',
    '[{"name":"x;\\r\\n\\"y\\"","amount":"1,5"},{"name":"z","amount":"2"},{"name":"q","amount":""}]',
  ],
  'a CSV with tabs, a mark, equal and missing names': [
    'csv("b.csv")',
    '[{"id":"1","name":"a","id_3":"2","column_4":"b"},{"id":"3","name":"c","id_3":"d","column_4":"e","column_5":"more"}]',
  ],
  'a CSV as text, without header': [
    'csv("1,2\\n\\"3\\"\\"\\",4", { header: false })',
    '[["1","2"],["3\\"","4"]]',
  ],
  'a CSV that names its delimiter': ['csv("sep.csv")', '[{"a":"1,5","b":"2"}]'],
  'a CSV whose quote is never closed': [
    'csv("open.csv")',
    'FAILED Error: CSV: the quote that opens in line 2 is never closed. (line 1)',
  ],
  'a column that is called __proto__': [
    'csv("__proto__,b\\n1,2").map(row => Object.keys(row).length)',
    expect.stringMatching(/^\[[12]\]$/),
  ],
  'JSON with a mark': ['json("c.json").n.length', '3'],
  lines: ['readLines("lines.txt")', '["one","two","three"]'],
  'old and wide texts': ['read("western.txt") + read("wide.txt").trim()', 'caféwide'],
  'names in a folder': [
    'list("sub").concat(list().filter(name => name.endsWith("/")))',
    '["deep.txt","sub/"]',
  ],
  'a text with NUL': ['print("a\\0b"); read("nul.txt").length', 'a\ufffdb\n3'],
  'a regex': ['"a1b22".match(/\\d+/g)', '["1","22"]'],
  'more than fits': [
    '"x".repeat(20000)',
    expect.stringMatching(/x\n\[… cut: 3616 more characters\. Print less\.\]$/),
  ],
};

describe('compute', () => {
  test.concurrent.each(Object.entries(USES))('%s → is answered', async (_what, [code, answer]) => {
    expect(await compute(code)).toEqual(answer);
  });
});

const NO_HOST = /^(?:FAILED |undefined$|false$|\[\]$|\{\}$|The code has no result)/;
/** For what does not end by itself: on a busy machine it may be ended before it has printed. */
const SHORT_MS = 700;
const LATE = /^FAILED [\s\S]*(?:Ended after|Out of memory|out of memory|stack)/;
const OUTSIDE = /^FAILED (?![\s\S]*OUTSIDE)/;

const ATTACKS: Record<string, [string, RegExp]> = {
  process: ['typeof process === "undefined" ? undefined : process.env', NO_HOST],
  require: ['require("fs").readFileSync("/etc/passwd", "utf8")', NO_HOST],
  'dynamic import': ['await import("node:fs")', NO_HOST],
  'import of a file': ['import("./lines.txt").then(m => m)', NO_HOST],
  'static import': ['import fs from "fs"; fs', NO_HOST],
  'global of the host': ['globalThis.global ?? globalThis.window ?? globalThis.self', NO_HOST],
  network: ['fetch("http://127.0.0.1")', NO_HOST],
  timers: ['setTimeout(() => {}, 1)', NO_HOST],
  WebAssembly: ['new WebAssembly.Memory({ initial: 1 })', NO_HOST],
  workers: ['new Worker("data:,")', NO_HOST],
  'function constructor': ['Function("return process")()', NO_HOST],
  'constructor of a host function': ['read.constructor("return process")()', NO_HOST],
  'constructor of a host error': [
    'try { read("../x") } catch (e) { return e.constructor.constructor("return process")() }',
    NO_HOST,
  ],
  'constructor chain of an array': [
    'csv("a.csv").constructor.constructor("return process.mainModule")()',
    NO_HOST,
  ],
  'async function constructor': ['await (async () => {}).constructor("return process")()', NO_HOST],
  'generator constructor': ['[...(function* () {}).constructor("yield process")()]', NO_HOST],
  'indirect eval': ['(0, eval)("process")', NO_HOST],
  'this of a plain call': ['(function () { return this.process })()', NO_HOST],
  'caller of a function': ['(function f() { return f.caller })()', /^(?:FAILED|null|The code)/],
  prepareStackTrace: [
    'Error.prepareStackTrace = (e, s) => s; const s = new Error().stack; typeof s === "object" && s !== null && s[0].getThis()',
    NO_HOST,
  ],
  'prototype of objects': [
    'Object.prototype.path = "/etc/passwd"; Object.prototype.value = "OUTSIDE"; read("lines.txt").length',
    /^15$/,
  ],
  'prototype of strings': ['String.prototype.split = () => ["/etc"]; list("../")', OUTSIDE],
  'then of a promise': [
    'Promise.prototype.then = function () { throw 1 }; Object.defineProperty(Promise.prototype, "constructor", { get() { throw 2 } }); 7',
    /^7$/,
  ],
  'JSON replaced': ['JSON.stringify = () => process; ({ a: 1 })', /^\{"a":1\}$/],
  'a toString that never ends': ['({ toJSON() { for (;;); } })', LATE],
  'an error whose message never ends': [
    'throw Object.defineProperty(new Error("x"), "name", { get() { for (;;); } })',
    LATE,
  ],
  'a path above': ['read("../outside.txt")', OUTSIDE],
  'an absolute path': ['read("/etc/passwd")', OUTSIDE],
  'a link to a file outside': ['read("link.txt")', OUTSIDE],
  'a link to a folder outside': ['read("up/outside.txt")', OUTSIDE],
  'a list above': ['list("up")', OUTSIDE],
  'a path with NUL': ['read("lines.txt\\0/../../outside.txt")', OUTSIDE],
  'a path that is no text': ['read({ toString: () => "../outside.txt" })', OUTSIDE],
  'a device': ['read("zero")', OUTSIDE],
  'the environment of the host': ['read("/proc/self/environ")', OUTSIDE],
  'no end': ['for (;;);', LATE],
  'no end, caught': ['for (;;) { try { for (;;); } catch {} finally { continue } }', LATE],
  'no end in native code': ['Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)', LATE],
  'no end of microtasks': ['(async () => { for (;;) await 1 })()', LATE],
  'a chain of thens': ['const f = () => Promise.resolve().then(f); f()', LATE],
  'a regex that never ends': ['/^(a+)+$/.test("a".repeat(60) + "b")', LATE],
  'a huge sort': ['Array.from({ length: 3e6 }, (_, i) => -i).sort((a, b) => a - b).length', LATE],
  'a promise that waits for ever': [
    'new Promise(() => {})',
    /^FAILED It waits for a promise that nothing resolves\.$/,
  ],
  'memory of arrays': ['const a = []; for (;;) a.push(new Array(1e5).fill(1))', LATE],
  'memory of typed arrays': ['const a = []; for (;;) a.push(new Uint8Array(1e6))', LATE],
  'memory of one typed array': ['new Uint8Array(2 ** 31)', /^FAILED/],
  'memory of texts': ['let s = "x"; for (;;) s += s + s.length', /^FAILED/],
  'a text of half a gigabyte': ['"x".repeat(2 ** 29)', /^FAILED/],
  'a shared array to wait on': ['Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', /^FAILED/],
  'stack of functions': ['const f = () => f() + 1; f()', LATE],
  'stack of JSON': ['let a = []; for (let i = 0; i < 1e5; i += 1) a = [a]; JSON.stringify(a)', LATE],
  'stack of a regex': ['new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("a")', /^FAILED/],
  'stack of the parser': ['eval("[".repeat(1e5))', /^FAILED/],
  'stack in a getter that is shown': ['({ get a() { return this.a } })', LATE],
  'endless print': ['for (;;) print("x".repeat(1e4))', /^FAILED (?:x[\s\S]*cut|Ended after)/],
  'reads without end': ['for (;;) read("lines.txt")', LATE],
  'a gap between reads': [
    'Object.defineProperty(globalThis, "read", { value: () => "fake" }); csv("a.csv").length',
    /^3$/,
  ],
};

describe('compute under attack', () => {
  test.concurrent.each(Object.entries(ATTACKS))(
    '%s → nothing of the host, within its time and memory',
    async (_what, [code, answer]) => {
      const timeMs = answer === LATE || code.startsWith('for (;;)') ? SHORT_MS : 60_000;
      const answered = await compute(code, { timeMs });
      expect(answered).toMatch(answer);
      expect(answered.length).toBeLessThan(17_000);
    },
  );

  test('after all of it → the next call and the files are as they were', async () => {
    expect(await compute('typeof Date.now + list().includes("a.csv")')).toBe('functiontrue');
    expect(readFileSync(join(base, 'outside.txt'), 'utf8')).toBe('OUTSIDE');
    expect(({} as { path?: string }).path).toBeUndefined();
  });
});

test('compute: code that prints and then throws a SyntaxError of its own → printed once', async () => {
  expect(await compute('print("once"); JSON.parse("{")')).toMatch(/^FAILED once\nSyntaxError: [^\n]*$/);
});

test('compute: cancelled → is ended at once', async () => {
  const stop = new AbortController();
  const answered = compute('for (;;);', { signal: stop.signal });
  stop.abort(new Error('stopped'));
  expect(await answered).toBe('FAILED stopped');
});
