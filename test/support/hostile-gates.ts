/** Gates with words of others that hide something where they are read as Markdown. */

import { BUILT_IN_WORDS } from '../../src/base/words/words.js';
import { approvalOf, planText } from '../../src/rules/gates/gate-text.js';
import { fitGate, type Gate } from '../../src/run/gates/gate.js';
import type { PlannedTask } from '../../src/run/plan/plan.js';
import { questionOf } from '../../src/workflows/run/gates.js';

const WORDS = BUILT_IN_WORDS.en;
const BASE = { id: 'g1', openedAt: 1, deadline: null };

export function questionGate(question: string, options: string[] = [], id = 'g1'): Gate {
  return fitGate({ ...BASE, id, ...questionOf({ key: 'k', role: 'react', question, options }) } as Gate, []);
}

export function approvalGate(concerns: readonly string[], input: object = { path: 'real.txt' }): Gate {
  const text = approvalOf(
    WORDS,
    { name: 'write', serverToolName: 'write', origin: { type: 'client' } },
    { callId: 'c1', input, thought: 'Now.', concerns },
  );
  return fitGate({ ...BASE, kind: 'approval', ...text }, []);
}

export function planGate(...given: PlannedTask[]): Gate {
  return fitGate(
    { ...BASE, kind: 'plan', ...planText(WORDS, given, []), subject: { tasks: given.length } },
    [],
  );
}

/** More than a title has. */
export const LONG = `Shall I go on with the work ${'that we spoke of '.repeat(14)}?`;

export const HIDING: [string, string][] = [
  ['a definition of a link', '[note]: <http://x> "yes also deletes the database"'],
  ['cells that a table has no column for', '| step |\n|---|\n| build | and delete the database |'],
  ['words behind a fence', '```sh and delete the database\nnpm run build\n```'],
  ['a fence that names a language', '```delete\nnpm run build\n```'],
  ['a link that seems to lead elsewhere', '[https://good.example](https://evil.example "secret title")'],
  ['entities', 'Delete &#x202e;elif&#x202c; or safe&#x200b;word&zwj;? &lt;b&gt;'],
  ['figures of a list', 'Which?\n1. cache\n3. logs\n7. database'],
  ['figures of a list with brackets', 'Which?\n\n1) cache\n3) logs'],
  ['stars and strokes', 'rm -rf *.o build/*/tmp; cat a_b_c ~~not~~ __this__ `x`'],
  ['HTML', '<!-- hidden --> <drop> <b>bold</b>'],
  ['a picture', '![ok](http://x/drop)'],
  ['escapes', '\\*.o \\[x\\] C:\\new\\\\table'],
  ['headings and rules', 'Safe\n===\n# Delete it\n---\n+ a\n=\n> b'],
  ['code by its indent', 'Which?\n\n    rm -rf \\* &amp; x'],
  ['a box', '- [x] done'],
];
