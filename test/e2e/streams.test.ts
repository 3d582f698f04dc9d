import { expect, test } from 'vitest';
import { RunReader } from '../../src/client/record/run-reader.js';
import { watchRun } from '../../src/client/watch/watch-run.js';
import { chunks, snapshots, streamEvents, translate, type Vocabulary } from '../../src/vocabularies.js';
import { rigOfFile } from '../support/rig-of-file.js';

const rig = rigOfFile();

/** All that a vocabulary tells of a run. */
async function toldOf<T>(id: string, vocabulary: Vocabulary<T>): Promise<T[]> {
  const { client, address } = rig.env;
  const temporal = { client, address, namespace: 'default', local: null, close: async () => {} };
  const told: T[] = [];
  const events = watchRun(new RunReader(temporal, id), { pollMs: 20, live: true });
  for await (const item of translate(events, vocabulary)) told.push(item);
  return told;
}

test('a run that thinks long and calls a tool, heard live and after its end → all of it, in its order, and the same (V1, V5, V6, M12)', async () => {
  const thought = 'First the list,  then the sum. '.repeat(1_000);
  const given = { path: 'no  such\nfile.txt' };
  rig.play([
    { reasoning: thought, text: 'I look.', toolCalls: [{ name: 'read_file', arguments: given }] },
    { reasoning: 'It is not there.', text: 'There is no list.' },
  ]);
  const handle = await rig.start('Read the list.', { mode: 'react' });
  const live = toldOf(handle.workflowId, streamEvents());
  await handle.result();
  for (const told of [await live, await toldOf(handle.workflowId, streamEvents())]) {
    const texts = (type: string) =>
      told.flatMap(event => (event.type === type && 'content' in event ? [event.content] : []));
    expect(texts('reasoning').join('')).toBe(`${thought}It is not there.`);
    expect(texts('content').join('')).toBe('I look.There is no list.');
    const rest = told.filter(({ type }) => type !== 'reasoning' && type !== 'content');
    expect(rest.map(({ type }) => type)).toEqual(['tool_calls', 'done', 'done']);
    expect(rest).toMatchObject([
      { tool_calls: [{ function: { arguments: JSON.stringify(given) } }] },
      {},
      {},
    ]);
  }
  const complete = (await toldOf(handle.workflowId, snapshots())).filter(
    ({ type }) => type === 'AGENT_COMPLETE',
  );
  expect(complete.map(({ data }) => data)).toMatchObject([
    { reasoning_content: thought, content: 'I look.', routing: { params: given }, tool_interactions: [] },
    {
      content: 'There is no list.',
      routing: null,
      tool_interactions: [{ tool_name: 'read_file', params: given }],
    },
  ]);
  const said = await toldOf(handle.workflowId, chunks());
  let replies: { thought: string; answer: string }[] = [{ thought: '', answer: '' }];
  for (const chunk of said) {
    const reply = replies.at(-1);
    if (!reply) break;
    if (chunk.type === 'reset') replies = [...replies.slice(0, -1), { thought: '', answer: '' }];
    if (chunk.type === 'thought' || chunk.type === 'answer') reply[chunk.type] += chunk.text;
    if (chunk.type === 'reply_end') replies.push({ thought: '', answer: '' });
  }
  expect(replies).toEqual([
    { thought: `${thought}I look.`, answer: '' },
    { thought: 'It is not there.', answer: 'There is no list.' },
    { thought: '', answer: '' },
  ]);
  expect(said.at(-1)).toMatchObject({ type: 'final', text: 'There is no list.' });
});
