import { expect, test } from 'vitest';
import { fitReply, textOfOutput } from '../../../../src/activities/models/fit-reply.js';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { REPLY_BYTES, WHOLE_REPLY_BYTES } from '../../../../src/base/sizes/bounds.js';
import { parseRoleOutput } from '../../../../src/rules/outputs/parse-output.js';

const stored = async (name: string) => `blob:${name}`;
const full = () => Promise.reject(new Error('no space left'));
const text = (of: string) => [{ type: 'text' as const, text: of }];
const call = (id: string, input: Record<string, unknown>) => ({
  type: 'tool_use' as const,
  id,
  name: 'write',
  input,
});

test('fitReply: a short reply → as it is', async () => {
  const content = [...text('Now.'), call('c1', { path: 'a' })];
  expect(await fitReply(content, 'c1', full)).toEqual(content);
});

test('fitReply: a text over its bound → head, tail and reference; without a store → cut with a mark that says so (LI9, ST6)', async () => {
  const long = `begin${'帆'.repeat(25_000)}end`;
  const [kept] = await fitReply(text(long), 'c1', stored);
  expect(kept).toMatchObject({ text: expect.stringMatching(/^begin[\s\S]*ref blob:c1-text[\s\S]*end$/) });
  const [cut] = await fitReply(text(long), 'c1', full);
  expect(cut).toMatchObject({
    text: expect.stringMatching(/\[cut: \d+ characters, the store was not available\]$/),
  });
});

test('fitReply: long thinking → whole, also beside data that its provider wants back; what is over all of it by reference (M12)', async () => {
  const data = { model: 'a/b', value: 'x'.repeat(30_000) };
  const thought = { type: 'reasoning' as const, text: 'I think. '.repeat(3_000) };
  const content = [{ type: 'reasoning' as const, text: 'y', data }, thought];
  expect(await fitReply(content, 'c1', full)).toEqual(content);
  const [, long] = await fitReply(
    [content[0] as typeof thought, { ...thought, text: 'z'.repeat(60_000) }],
    'c1',
    stored,
  );
  expect(long).toMatchObject({ text: expect.stringMatching(/^z+\n\[.*ref blob:c1-reasoning/) });
});

test('fitReply: arguments over what one reply may have → none of them, and the error says what to do (LI5)', async () => {
  const content = [call('c1', { path: 'a', text: 'x'.repeat(300_000) }), call('c2', { path: 'b' })];
  const fit = await fitReply(content, 'c1', stored);
  expect(fit[0]).toMatchObject({
    input: {},
    argErrors: [expect.stringContaining('in several smaller calls')],
  });
  expect(fit[1]).toEqual(content[1]);
});

test('fitReply: everything at once, in control characters → one reply within its bound (ST1)', async () => {
  const odd = '\u0001'.repeat(50_000);
  const calls = Array.from({ length: 128 }, (_, n) => ({
    ...call(`c${n}`, { n, odd: odd.slice(0, 400) }),
    raw: odd,
    argErrors: [odd],
  }));
  const fit = await fitReply([{ type: 'reasoning', text: odd }, ...text(odd), ...calls], 'c1', stored);
  expect(fit.filter(block => block.type === 'tool_use')).toHaveLength(128);
  expect(jsonBytes(fit)).toBeLessThanOrEqual(REPLY_BYTES);
});

test.each([25_000, 90_000, 400_000])(
  'textOfOutput: a report of %i Chinese characters → its output is read, with all its fields (LI9)',
  length => {
    const reply = JSON.stringify({
      summary: '帆'.repeat(length),
      taskCompleted: true,
      todos: [{ id: 'task-1', status: 'completed' }],
    });
    const whole = textOfOutput(reply, 'execution');
    expect(jsonBytes(whole)).toBeLessThanOrEqual(WHOLE_REPLY_BYTES);
    const read = parseRoleOutput('execution', whole ?? '');
    expect(read).toMatchObject({ ok: true, value: { taskCompleted: true, todos: [{ id: 'task-1' }] } });
    if (length <= 90_000) expect(read.value?.summary).toHaveLength(length);
  },
);

test('textOfOutput: a reply that its message has whole → nothing travels twice', () => {
  expect(textOfOutput('x'.repeat(20_000), 'text')).toBeNull();
});

test('fitReply: what a provider wants back with calls is too much, or has a secret in it → dropped whole; the calls stay', async () => {
  const call = (id: string, mark: string) => ({
    type: 'tool_use' as const,
    id,
    name: 'read',
    input: { path: 'a.txt' },
    data: { model: 'home/m', value: { extra_content: mark } },
  });
  const clean = (text: string) => text.replace('SECRET', '***');
  const given = [call('1', 'x'.repeat(30_000)), call('2', 'y'.repeat(30_000)), call('3', 'SECRET')];
  const kept = await fitReply(given, 'c1', full, clean);
  expect(kept.map(block => 'data' in block)).toEqual([true, false, false]);
  expect(kept[0]).toEqual(given[0]);
  for (const block of kept) expect(block).toMatchObject({ input: { path: 'a.txt' } });
});
