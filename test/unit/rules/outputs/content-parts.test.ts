/** Which texts are content for people's eyes, and what they say in words. */
import { expect, test } from 'vitest';
import { spokenText } from '../../../../packages/view/spoken-text.js';
import {
  type ContentPart,
  partsText,
  readParts,
  resultParts,
} from '../../../../src/rules/outputs/content-parts.js';
import type { ToolContent } from '../../../../src/run/messages/message.js';
import { runTeam } from '../../../support/scripted-team.js';
import { testRole } from '../../../support/small-run.js';

const CARD = '{"type":"component","component":"order-card","orderId":"A-1","summary":"It is on its way."}';
const component = (name: string, props: Record<string, unknown>): ContentPart => ({
  type: 'component',
  component: name,
  props,
});
const inContent = (...parts: unknown[]) => JSON.stringify({ content: parts });

test.each<[string, string, ContentPart[] | null]>([
  ['a component', CARD, [component('order-card', { orderId: 'A-1', summary: 'It is on its way.' })]],
  ['in a fence', `\`\`\`json\n${CARD}\n\`\`\``, [expect.objectContaining({ component: 'order-card' })]],
  ['props of their own', '{"type":"component","component":"c","props":{"a":1}}', [component('c', { a: 1 })]],
  ['HTML', '{"type":"webcomponent","value":"<b>x</b>"}', [{ type: 'webcomponent', value: '<b>x</b>' }]],
  [
    'a list of each kind',
    inContent(
      { type: 'text', value: 'Found:' },
      { type: 'json', value: [1] },
      { type: 'webcomponent', value: '<my-card></my-card>' },
      { type: 'component', component: 'todo-list', props: { todos: [] } },
    ),
    [
      { type: 'text', value: 'Found:' },
      { type: 'json', value: [1] },
      { type: 'webcomponent', value: '<my-card></my-card>' },
      component('todo-list', { todos: [] }),
    ],
  ],
  ['a kind that there is not', inContent({ type: 'text', value: 'x' }, { type: 'script', value: 'x' }), null],
  ['a text that is none', inContent({ type: 'text', value: 3 }), null],
  ['blocks of MCP', inContent({ type: 'text', text: 'x' }), null],
  ['nothing in the list', inContent(), null],
  [
    'more than 100 parts',
    inContent(...Array.from({ length: 101 }, () => ({ type: 'text', value: '' }))),
    null,
  ],
  ['a component without a name', '{"type":"component"}', null],
  ['a name that is markup', '{"type":"component","component":"<b>"}', null],
  ['props that are a text', '{"type":"component","component":"c","props":"x"}', null],
  ['other JSON', '{"boats":3}', null],
  ['prose', 'It says {"type":"component"}.', null],
])('R1 readParts: %s', (_what, text, parts) => {
  expect(readParts(text)).toEqual(parts);
});

test('R1 readParts: props named __proto__ → a property like others, and no prototype', () => {
  const [part] =
    readParts('{"type":"component","component":"c","props":{"__proto__":{"isAdmin":true}}}') ?? [];
  expect(part?.type === 'component' && 'isAdmin' in part.props).toBe(false);
});

test('R1 spokenText: a reply of ten megabytes, complete or cut within an escape → its words', () => {
  const long = 'x'.repeat(10_000_000);
  for (const end of ['"}', '', '\\', '\\u26'])
    expect(spokenText(`{"summary":"${long}${end}`, 'json')?.length).toBe(long.length);
});

test.each([CARD, inContent(JSON.parse(CARD))])(
  'V9 readParts: every beginning of a component that is still being written, %s → no parts, whatever it holds',
  whole => {
    const cut = Array.from({ length: whole.length - 1 }, (_, index) => whole.slice(0, index + 1));
    expect(cut.filter(text => readParts(text) !== null)).toEqual([]);
  },
);

test.each([
  [CARD, '[order-card] orderId: A-1, It is on its way.'],
  ['{"type":"component","component":"empty"}', '[empty]'],
  [
    inContent(
      { type: 'text', value: 'Found:' },
      {
        type: 'component',
        component: 'resource-list',
        props: { resources: [{ id: 1, name: 'a' }, { name: 'b' }], onClick: 'open' },
      },
    ),
    'Found:\n[resource-list] resources: id: 1, a; b',
  ],
  ['{"type":"webcomponent","value":"<b>Two</b> words<script>alert(1)</script>"}', 'Two words'],
])('R1 partsText: %s → %s, which terminals say', (text, words) => {
  expect([partsText(readParts(text) ?? []), spokenText(text)]).toEqual([words, words]);
});

test('R1 spokenText: the form of a role → its words, without a name', () => {
  expect(spokenText('{"type":"component","component":"planner-response","summary":"I plan."}')).toBe(
    'I plan.',
  );
});

test.each([CARD, inContent({ type: 'component', component: 'order-card', props: {} })])(
  'R1 a role with text output answers with a component → that is the answer: %s',
  async text => {
    const { end } = await runTeam([{ text }], {
      settings: { mode: 'react' },
      pinned: { roles: { react: testRole('react', { output: 'text' }) } },
    });
    expect(end).toMatchObject({ outcome: 'answered', cause: 'direct_answer', answer: text });
  },
);

test.each<[string, ToolContent[], ContentPart[] | null]>([
  ['a text', [{ type: 'text', text: 'plain' }], null],
  [
    'a component beside a text',
    [
      { type: 'text', text: 'One order.' },
      { type: 'text', text: CARD },
    ],
    [{ type: 'text', value: 'One order.' }, expect.objectContaining({ component: 'order-card' })],
  ],
  [
    'structured content',
    [{ type: 'json', value: { content: [{ type: 'component', component: 'c', props: {} }] } }],
    [component('c', {})],
  ],
  ['other structured content', [{ type: 'json', value: { boats: 3 } }], null],
])('R1 resultParts: %s', (_what, content, parts) => {
  expect(resultParts(content)).toEqual(parts);
});
