/** An endpoint that refuses all that endpoints are known to refuse, in a whole run. */
import { afterAll, expect, test } from 'vitest';
import { FAULTS } from '../support/endpoint/faults/all.js';
import type { FaultName } from '../support/endpoint/faults/names.js';
import type { ChatRequest } from '../support/endpoint/model.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { calls, settingsYaml } from '../support/steering.js';

const fake = fakeMcp();
// After the rig's own end.
afterAll(() => fake.remove());

const rig = rigOfFile({
  config: {
    '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
    'steersman.yaml': settingsYaml(
      '  info: { openai/gpt-5-mini: { capabilities: { vision: true } } }',
      'steering: note',
    ),
  },
});

/** Each as long as a request holds its thing, those of a rate a single time. */
const REFUSED: readonly FaultName[] = [
  'refuses.system',
  'refuses.option',
  'refuses.schema',
  'refuses.many-tools',
  'refuses.rate-as-400',
  'refuses.rate-as-403',
  'refuses.pictures',
  'refuses.null-content',
  'refuses.results',
  'refuses.length',
];

const isOfRate = (name: FaultName) => name.startsWith('refuses.rate');
const refuses = (name: FaultName, { protocol, sent }: ChatRequest) =>
  (FAULTS[name].answer?.(protocol, sent) ?? null) !== null;

test('all that it can refuse, over two turns → completed, and later calls begin with what was learnt (FE6)', async () => {
  const met = new Map<FaultName, number>();
  const big = (kilobytes: number) => ({ name: 'big', arguments: { kilobytes } });
  const replies = [calls({ name: 'picture' }, big(12), big(13)), { text: 'It is a pixel.' }];
  let said = 0;
  rig.play(request => {
    const refused = REFUSED.find(name => !(isOfRate(name) && met.has(name)) && refuses(name, request));
    if (refused === undefined) return replies[said++] ?? { text: 'Done.' };
    met.set(refused, (met.get(refused) ?? 0) + 1);
    return { fault: refused };
  });
  const checks = [{ run: 'true' }];
  const { handle, result } = await rig.run('Look at the picture.', { mode: 'react', checks });
  expect(result).toMatchObject({ outcome: 'completed', text: 'It is a pixel.' });
  expect([...met.keys()].sort()).toEqual([...REFUSED].sort());
  const told = (await eventsOf(handle, 'warning')).map(({ text }) => text).join('\n');
  for (const name of ['stream_options', 'so many tools', 'pictures', 'schema of a tool', 'calls and results'])
    expect(told).toContain(name);
  // The next run of the model, by the same worker.
  const next = rig.play([{ text: 'Done.' }]);
  expect((await rig.run('And now?', { mode: 'react' })).result.outcome).toBe('answered');
  expect(next.requests).toHaveLength(1);
  expect(
    next.requests.map(request => REFUSED.filter(name => !isOfRate(name) && refuses(name, request))),
  ).toEqual([[]]);
});
