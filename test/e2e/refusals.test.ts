/** What endpoints refuse and models write oddly, in whole runs: they go on, and tell what was changed. */
import { expect, test } from 'vitest';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';

const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note') },
  workspace: { 'a.txt': 'The number is 7.' },
});

const WRITTEN = {
  text: '<tool_call>\n{"name": "read_text_file", "arguments": {"path": "a.txt"}}\n</tool_call>',
};

test('calls as text → asked for natively once, then read; text that quotes one is an answer (FE2)', async () => {
  const quote = { text: 'It is 7. Such a call is `{"name": "read_text_file"}`.' };
  const script = rig.play([WRITTEN, WRITTEN, quote]);
  const { handle, result } = await rig.run('Which number is it?', { mode: 'react' });
  expect(result).toMatchObject({ outcome: 'answered', text: quote.text });
  expect(script.requests).toHaveLength(3);
  const sent = script.requests.map(request => JSON.stringify(request.body.messages));
  expect(sent[1]).toContain('ends with a call of read_text_file as text');
  expect(sent[2]).toContain('The number is 7.');
  expect(await eventsOf(handle, 'reask')).toHaveLength(1);
});

test('a refusal that names a tool → the run goes on, and the journal says what was changed (FE6)', async () => {
  const refused = { error: { status: 400, message: "Invalid schema for function 'read_text_file': no." } };
  rig.play([refused, { text: 'Done without it.' }]);
  const { handle, result } = await rig.run('Do it.', { mode: 'react' });
  expect(result).toMatchObject({ outcome: 'answered', text: 'Done without it.' });
  const warnings = JSON.stringify(await eventsOf(handle, 'warning'));
  expect(warnings).toContain('refused the tool read_text_file');
});
