/** What is drawn of content while it is being written. */
import { expect, test } from 'vitest';
import { parsePartialJson, partialParts } from '../../../packages/components/view/partial-json.js';

const PLAN =
  '{"type":"component","component":"planner-response","summary":"I plan.","todos":[{"id":"a","description":"Look"}]}';

test.each([
  ['{"a":1}', { data: { a: 1 }, isValid: true }],
  ['```json\n{"a":[1,2', { data: { a: [1, 2] }, isValid: false }],
  ['{"a":"hal', { data: { a: 'hal' }, isValid: false }],
  ['', null],
  ['No JSON', null],
  ['['.repeat(100), null],
])('R4 parsePartialJson: %s', (text, read) => {
  expect(parsePartialJson(text)).toEqual(read);
});

test('R4 parsePartialJson: a key `__proto__` of a model → no prototype of the data', () => {
  const { data } = parsePartialJson<{ admin?: boolean }>('{"a":{"__proto__":{"admin":true},"b":"x') ?? {};
  expect(data).toEqual({ a: { b: 'x' } });
  expect((data as { a: { admin?: boolean } }).a.admin).toBeUndefined();
});

test('R4 parsePartialJson: cut anywhere, also within an escaped pair of surrogates → whole characters', () => {
  const json = '{"summary":"a\\ud83d\\ude00b","todos":["\\ud83d\\ude00"]}';
  for (let end = 1; end <= json.length; end += 1)
    expect(JSON.stringify(parsePartialJson(json.slice(0, end))?.data ?? '')).not.toContain('\\ud');
});

test('R4 partialParts: each beginning of a component → its name once that is whole, and fields as they come', () => {
  const seen = Array.from({ length: PLAN.length }, (_, index) => partialParts(PLAN.slice(0, index + 1)));
  const names = new Set(
    seen.flatMap(parts => parts?.map(part => part.type === 'component' && part.component)),
  );
  expect([...names]).toEqual([undefined, 'planner-response']);
  const summaries = seen.flatMap(parts => {
    const [part] = parts ?? [];
    return part?.type === 'component' && typeof part.props.summary === 'string' ? [part.props.summary] : [];
  });
  expect(summaries).toContain('I pl');
  expect(summaries.at(-1)).toBe('I plan.');
  expect(seen.at(-1)).toEqual([
    {
      type: 'component',
      component: 'planner-response',
      props: { summary: 'I plan.', todos: [{ id: 'a', description: 'Look' }] },
    },
  ]);
});

test('R4 partialParts: HTML that is being written → not drawn before it is whole', () => {
  const content = '{"content":[{"type":"text","value":"See:"},{"type":"webcomponent","value":"<b>hal';
  expect(partialParts(content)).toEqual([{ type: 'text', value: 'See:' }]);
});
