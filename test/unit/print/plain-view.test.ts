import { describe, expect, test } from 'vitest';
import type { JournalEvent } from '../../../src/core/journal.js';
import { NO_USAGE } from '../../../src/core/message.js';
import { noColors, textSink } from '../../../src/print/output.js';
import { PlainView } from '../../../src/print/plain-view.js';

function view() {
  let printed = '';
  const plain = new PlainView(
    textSink(text => {
      printed += text;
    }, noColors),
  );
  return { show: plain.show.bind(plain), printed: () => printed };
}

const started: JournalEvent = {
  seq: 1,
  at: 0,
  type: 'model_call_started',
  callId: 'c1',
  role: 'planner',
  model: 'openai/a',
  turn: 1,
  round: 1,
  taskId: null,
  form: 'words',
};
const ended: JournalEvent = {
  seq: 2,
  at: 1_000,
  type: 'model_call_ended',
  callId: 'c1',
  role: 'planner',
  model: 'openai/a',
  turn: 1,
  messageId: 'm1',
  stopReason: 'end_turn',
  toolCalls: 0,
  usage: NO_USAGE,
  durationMs: 900,
  text: 'Hello, you',
};
const beat = (offset: number, tail: string, attempt = 1) =>
  ({ type: 'text', callId: 'c1', attempt, channel: 'text', offset, text: tail }) as const;

describe('the plain view', () => {
  test('view: live text and the final message → the text once, events on lines of their own', () => {
    const { show, printed } = view();
    show({ type: 'journal', event: started });
    show(beat(0, 'Hel'));
    show(beat(0, 'Hello'));
    show({ type: 'journal', event: ended });
    expect(printed()).toBe(
      ' 0:00 planner · round 1 · openai/a\nHello, you\n 0:01 planner replied · 900 ms · 0 + 0 tokens\n',
    );
  });

  test('view: a plan that changes → whole once, then its changes; the next goal begins anew', () => {
    const { show, printed } = view();
    const task = { id: 't1', description: 'Read', status: 'pending' };
    const plan = (ids: string[]): JournalEvent => {
      const tasks = ids.map(id => ({ ...task, id }));
      return { seq: 1, at: 0, type: 'plan_updated', changed: true, cut: [], tasks };
    };
    show({ type: 'journal', event: plan(['t1']) });
    show({ type: 'journal', event: plan(['t1', 't2']) });
    show({ type: 'journal', event: { seq: 2, at: 0, type: 'goal_started', number: 2, text: 'More' } });
    show({ type: 'journal', event: plan(['t1']) });
    expect(printed().match(/[+ ] \[ \] t\d/g)).toEqual(['  [ ] t1', '+ [ ] t2', '  [ ] t1']);
  });

  test.each([
    ['seen while it came', ['{"type":"compo', '{"type":"component","summary":"A plan of \\"two\\" tasks."']],
    ['not seen before its end', []],
  ])('view: a reply in JSON, %s → its words for people, once', (_, tails) => {
    const { show, printed } = view();
    const text = '{"type":"component","summary":"A plan of \\"two\\" tasks.","todos":[]}';
    show({ type: 'journal', event: started });
    for (const tail of tails) show(beat(0, tail));
    show({ type: 'journal', event: { ...ended, text } });
    expect(printed()).toBe(
      ' 0:00 planner · round 1 · openai/a\nA plan of "two" tasks.\n 0:01 planner replied · 900 ms · 0 + 0 tokens\n',
    );
  });

  test('view: a heartbeat that comes after the end of its call → not printed again', () => {
    const { show, printed } = view();
    show({ type: 'journal', event: started });
    show({ type: 'journal', event: ended });
    const before = printed();
    show(beat(0, 'Hello, you'));
    expect(printed()).toBe(before);
  });

  test('view: text outran the tail → a gap, and the whole reply at the end', () => {
    const { show, printed } = view();
    show({ type: 'journal', event: started });
    show(beat(7, 'you'));
    show({ type: 'journal', event: ended });
    expect(printed()).toContain('[… 7 characters not seen …]you\n      the whole reply:\nHello, you\n');
  });

  test('view: a second attempt → said, on a line of its own', () => {
    const { show, printed } = view();
    show({ type: 'journal', event: started });
    show(beat(0, 'Hel'));
    show(beat(0, 'Hello', 2));
    expect(printed()).toContain('Hel\n      attempt 2: the reply starts again\nHello');
  });

  test('view: reasoning, arguments, then text → reasoning on lines of its own, no arguments', () => {
    const { show, printed } = view();
    const live = { callId: 'c1', attempt: 1, offset: 0 } as const;
    show({ type: 'journal', event: started });
    show({ type: 'text', ...live, channel: 'reasoning', text: 'Hmm' });
    show({ type: 'text', ...live, channel: 'tool_input', text: '{"path"' });
    show({ type: 'text', ...live, channel: 'text', text: 'Hello' });
    expect(printed()).toBe(' 0:00 planner · round 1 · openai/a\nHmm\nHello');
  });

  test('view: an activity that is tried again → attempt and reason', () => {
    const { show, printed } = view();
    const retry = { activityId: '5', activityType: 'steersmanCallModel', attempt: 2, maximumAttempts: 4 };
    show({ type: 'retry', retry: { ...retry, message: 'rate limited' } });
    expect(printed()).toBe('      model call: attempt 2 of 4, since: rate limited\n');
  });

  const JSON_REPLY = '{"type":"component","userMessage":"Two tasks.","todos":["a"]}';

  test.each([
    ['in a fence', `\`\`\`json\n${JSON_REPLY}\n\`\`\``, 'Two tasks.'],
    ['in a fence after words', `Here it is:\n\`\`\`json\n${JSON_REPLY}\n\`\`\``, 'Here it is:\nTwo tasks.'],
    ['without words for a person, after words', 'Here it is: {"todos":["a"]}', 'Here it is:'],
    ['that is words against its form', 'I have a question.', 'I have a question.'],
  ])('view: a role that replies in JSON, %s → its words, however it is seen (TE6)', (_name, text, words) => {
    for (const beats of [[], [beat(0, text.slice(0, 2)), beat(0, text)], [beat(20, text.slice(20))]]) {
      const { show, printed } = view();
      show({ type: 'journal', event: { ...started, form: 'json' } });
      for (const item of beats) show(item);
      show({ type: 'journal', event: { ...ended, text } });
      expect(printed()).toBe(
        ` 0:00 planner · round 1 · openai/a\n${words}\n 0:01 planner replied · 900 ms · 0 + 0 tokens\n`,
      );
    }
  });

  test.each([
    ['a link first', '[Docs](x) are here'],
    ['a fence that holds code', '```ts\nlet a;\n```'],
  ])('view: a role that replies in words, %s → as it is', (_name, text) => {
    const { show, printed } = view();
    show({ type: 'journal', event: started });
    for (const end of [1, 2, 4, 9, text.length]) show(beat(0, text.slice(0, end)));
    show({ type: 'journal', event: { ...ended, text } });
    expect(printed()).toContain(`openai/a\n${text}\n`);
  });

  test('view: JSON in a fence from a role that replies in words, joined half-way → no JSON (TE6)', () => {
    const { show, printed } = view();
    const text = `\`\`\`json\n${JSON_REPLY}\n\`\`\``;
    show({ type: 'journal', event: started });
    show(beat(0, '```'));
    show(beat(0, text.slice(0, 40)));
    show({ type: 'journal', event: { ...ended, text } });
    expect(printed()).not.toContain('component');
    expect(printed()).toContain('Two tasks.');
  });

  test('view: a tool that tells how far it is → a line for each thing it says, and each tenth (TE6)', () => {
    const { show, printed } = view();
    const at = (progress: number, message?: string) =>
      show({
        type: 'progress',
        progress: { callId: 'c2', tool: 'build', progress, total: 100, ...(message ? { message } : {}) },
      });
    for (const progress of [1, 2, 11, 12]) at(progress);
    at(12, 'linking');
    at(13, 'linking');
    expect(printed()).toBe(
      '      tool build · 1 of 100\n      tool build · 11 of 100\n      tool build · 12 of 100 · linking\n',
    );
  });
});
