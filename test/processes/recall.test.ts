/** Old results that are no longer sent, and the tool with which a model reads them again. */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Sessions } from '../../src/client/here/sessions.js';
import { killWorkers } from '../support/processes.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';

const NAMES = ['b', 'c', 'd', 'e', 'f', 'g'];
const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note', 'context:', '  maxTokens: 5000') },
  workspace: {
    'a.txt': `${'a'.repeat(4_000)} The pool is 7 m long.`,
    ...Object.fromEntries(NAMES.map(name => [`${name}.txt`, name.repeat(4_000)])),
  },
});
afterAll(killWorkers);

const read = (name: string) => ({
  toolCalls: [{ name: 'read_text_file', arguments: { path: `${name}.txt` } }],
});
const recall = (args: Record<string, unknown>) => ({ toolCalls: [{ name: 'recall', arguments: args }] });

test('X7, D6: results that are no longer sent → found by words, read by id, and given again to an equal call', async () => {
  const script = rig.play([
    read('a'),
    ...NAMES.map(read),
    recall({ query: 'pool long' }),
    read('a'),
    { text: 'The pool is 7 m long.' },
  ]);
  const { handle, result } = await rig.run('How long is the pool?', { mode: 'react' });
  expect(result).toMatchObject({ text: 'The pool is 7 m long.' });
  const trimmed = await eventsOf(handle, 'thread_trimmed');
  expect(trimmed.map(({ dropped }) => dropped)).toEqual(trimmed.map(() => 0));
  expect(trimmed.length).toBeGreaterThan(0);
  // The store has it whole.
  const [kept] = await new Sessions(join(rig.project.dir, 'home')).show(handle.workflowId);
  const results = (kept?.transcript[0]?.messages ?? []).flatMap(message =>
    message.kind === 'tool_result' ? [message] : [],
  );
  const [first] = results;
  const [found, again] = results.slice(-2).map(({ content: [block] }) => block);
  expect(JSON.stringify(first)).toContain('The pool is 7 m long.');
  const sent = JSON.stringify(script.requests.at(-1));
  expect(sent).toContain('recall reads it: id');
  expect(found).toMatchObject({ ending: 'executed', isError: false });
  expect(JSON.stringify(found?.content)).toContain(`${first?.id} (`);
  expect(again).toMatchObject({ ending: 'reused', isError: false });
  expect(JSON.stringify(again?.content)).toContain('The pool is 7 m long.');
});
