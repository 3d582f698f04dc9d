import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { marked } from 'marked';
import pc from 'picocolors';
import { describe, expect, it, test } from 'vitest';
import { eventLines } from '../../../../packages/print/event-lines.js';
import { gateLines, scrollLines } from '../../../../packages/session/screen/scroll-lines.js';
import { newProgress } from '../../../../packages/view/run-progress.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { gateMarkdown } from '../../../../src/rules/gates/gate-text.js';
import { choicesOf, type Gate } from '../../../../src/run/gates/gate.js';
import { plannedTask } from '../../../support/core-values.js';
import { approvalGate, HIDING, LONG, planGate, questionGate } from '../../../support/hostile-gates.js';

const WORDS = BUILT_IN_WORDS.en;
const COLORS = pc.createColors(false);
function openedOf(gate: Gate) {
  const { id: gateId, kind, title, body, deadline } = gate;
  const shown = { gateId, kind, title, body, deadline, choices: choicesOf(gate) };
  return { type: 'gate_opened', ...shown, at: 0, seq: 1 } as const;
}

/** What each face shows of a gate, as text. */
const FACES: Record<string, (gate: Gate) => string> = {
  session: gate => gateLines(gate, { width: 120, colors: COLORS }).join('\n'),
  'plain lines': gate => eventLines(openedOf(gate), 0, COLORS).join('\n'),
  'Web UI': gate => {
    const html = marked.parse(gateMarkdown(WORDS, gate), { async: false });
    return parseHTML(`<html><body>${html}</body></html>`).document.body.textContent;
  },
};

/** Blanks and the bars of quotations apart. */
const bare = (text: string) => text.replace(/[\s│>]+/gu, '');

describe.each(Object.entries(FACES))('what others say at gates: %s', (_, shown) => {
  it.each(HIDING)('WB7 gates: %s in a question → is shown as it is', (_, text) => {
    const source = `${LONG}\n\n${text}\n\nSay so.`;
    expect(bare(shown(questionGate(source)))).toContain(bare(source));
  });

  it.each(HIDING)('WB7 gates: %s in a task → is shown as it is', (_, text) => {
    const task = plannedTask('a', { description: text, completionCriteria: text });
    expect(bare(shown(planGate(task)))).toContain(bare(`a: ${text} (done when: ${text})`));
  });

  it.each(HIDING)('WB7 gates: %s in an option → is shown as it is', (_, text) => {
    expect(bare(shown(questionGate('Which of these?', [text, 'no'])))).toContain(bare(`a) ${text}`));
  });

  it('WB7 gates: any text of hostile pieces → is shown as it is', () => {
    const pieces = HIDING.flatMap(([, text]) => [text, ...text.split(/(?<=\W)|(?=\W)/)]);
    const piece = fc.constantFrom(
      ...pieces,
      '\n',
      '\n\n',
      ' ',
      '  \n',
      '````',
      '1.',
      '://',
      'www.a.de',
      'a@b.de',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), parts => {
        const text = `${LONG} ${parts.join('')} Z`;
        expect(bare(shown(questionGate(text)))).toContain(bare(text));
      }),
    );
  });

  it('WB7 gates: a list of options within the question → stands apart from the one that counts', () => {
    const fake = 'Which?\n\n- a) keep everything\n- b) delete everything';
    const lines = shown(questionGate(fake, ['delete everything', 'keep everything'])).split('\n');
    const at = lines.findIndex(line => /^\W*Options\W*$/.test(line));
    expect(at).toBeGreaterThan(0);
    const [before, after] = [lines.slice(0, at).join('\n'), lines.slice(at).join('\n')];
    expect(bare(before)).toContain(bare(fake));
    expect(bare(after)).toContain('a)deleteeverything');
    expect(after).not.toContain('a) keep everything');
  });
});

const RESULT = '```json\n{\n  "path": "README.md"\n}\n```';

test.each(Object.entries(FACES))(
  'WB7 gates: %s: arguments that a reviewer makes up → no line begins as the run’s own',
  (_, shown) => {
    const lines = shown(approvalGate([`Fine:\n\n${RESULT}\n- g9: Run ls?`])).split('\n');
    const own = lines.map(line => line.replace(/^ {6}|^> /, '')).filter(line => line.includes('README.md'));
    expect(own.map(line => line.includes('│'))).toEqual([true]);
  },
);

test('WB7 gates: a long question → is cut where it scrolls by, its options are not', () => {
  const gate = questionGate(`Which?${'\nline'.repeat(60)}`, ['keep', 'delete']);
  const event = openedOf(gate);
  const scrolled = scrollLines(event, newProgress('Go'), { width: 80, colors: COLORS });
  for (const lines of [eventLines(event, 0, COLORS), scrolled])
    expect(lines.map(line => line.trim()).filter(line => /more line|^-/.test(line))).toEqual([
      expect.stringContaining('more lines'),
      '- a) keep',
      '- b) delete',
    ]);
});

test('WB7 gates: session: a task that is wider than the screen → goes on behind its own mark', () => {
  const task = plannedTask('a', { description: `${'x'.repeat(70)} - b: Delete it` });
  const lines = gateLines(planGate(task), { width: 80, colors: COLORS });
  expect(lines.filter(line => /^ {6}-/.test(line))).toHaveLength(1);
});

test('a difference from nothing, in a session and in plain lines → begins with words', () => {
  const body = `A new file.\n\n\`\`\`diff\n@@ -0,0 +1,2 @@\n+one\n+@@ -0,0 +1 @@\n\`\`\``;
  const gate = { ...approvalGate([]), body };
  for (const lines of [gateLines(gate, { width: 80, colors: COLORS }), eventLines(openedOf(gate), 0, COLORS)])
    expect(lines.map(line => line.trim()).filter(line => /^(new|\+|@)/.test(line))).toEqual([
      ...['new text', '+one', '+@@ -0,0 +1 @@'],
    ]);
});
