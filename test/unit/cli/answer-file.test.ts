/** `--answer FILE`: the schema that the answer of a run must fit. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startOptions } from '../../../packages/cli/command/start-options.js';
import { resultLine } from '../../../packages/print/end-lines.js';
import { startRequest } from '../../../src/client/start/start-run.js';

const dir = mkdtempSync(join(tmpdir(), 'answer-'));

async function settingsWith(text: string) {
  const answer = join(dir, 'schema.json');
  writeFileSync(answer, text);
  const options = await startOptions({ answer, workspace: dir });
  return (await startRequest('Count.', options, { project: null, local: false })).settings;
}

test('--answer: a JSON Schema → that of the run, null among its values too (TA7)', async () => {
  const schema = { type: 'object', properties: { kind: { enum: ['a', null] } } };
  expect(await settingsWith(JSON.stringify(schema))).toMatchObject({ answer: schema });
});

test.each<[string, string, RegExp]>([
  ['no JSON', '{"type": ', /The file of the schema .*schema\.json: it is not JSON/],
  ['null', 'null', /The file of the schema .*schema\.json: it holds null/],
  ['no schema', '"object"', /`settings\.answer` must be a JSON Schema object/],
  ['one that nobody can follow', '{"type": "record"}', /`settings\.answer` is not a usable JSON Schema/],
  ['one of a list', '{"type": "array"}', /`settings\.answer\.type` must be object/],
])('--answer: %s → refused before anything starts (TA2, TA7)', async (_what, text, fault) => {
  await expect(settingsWith(text)).rejects.toThrow(fault);
});

test('--answer: no such file → refused (TA7)', async () => {
  await expect(startOptions({ answer: join(dir, 'gone.json') })).rejects.toThrow(
    /The file of the schema .*gone\.json does not exist/,
  );
});

test('--json: a result with a value → its last line has it (TA7)', () => {
  const result = { value: { count: 3 } } as unknown as Parameters<typeof resultLine>[0]['result'];
  const end = { id: 'r', runId: 'e', status: 'completed', failure: null } as const;
  const line = resultLine({ ...end, outcome: 'answered', cause: 'direct_answer', basis: null, result });
  expect(line).toMatchObject({ value: { count: 3 } });
});
