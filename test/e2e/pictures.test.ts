/** Pictures that come with a start, on a real server. */
import { expect, test } from 'vitest';
import { rigOfFile } from '../support/rig-of-file.js';
import { transcriptOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pictures = [{ name: 'pier.png', mimeType: 'image/png' as const, base64: PNG }];
const rig = rigOfFile({
  config: {
    'steersman.yaml': settingsYaml(
      '  info: { openai/gpt-5-mini: { capabilities: { vision: true } } }',
      'steering: note',
    ),
  },
  workspace: { 'a.txt': 'alpha\n' },
});

test('a picture comes with a start → the model sees it with the goal, in later parts too, and the run has a reference (CF11)', async () => {
  const reads = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] };
  const script = rig.play([reads, { text: 'A pier.' }]);
  const { handle, result } = await rig.run('What is it?', {
    ...{ mode: 'react', pictures, continueAsNew: 'every-safe-point' },
  });
  expect(result).toMatchObject({ outcome: 'answered', text: 'A pier.', goal: 'What is it?' });
  expect(script.requests).toHaveLength(2);
  for (const { body } of script.requests) {
    const sent = JSON.stringify(body.messages);
    expect(sent).toContain(`data:image/png;base64,${PNG}`);
    expect(sent).toContain('What is it?\\n\\n[Picture: pier.png]');
  }
  const said = (await transcriptOf(handle)).filter(message => 'pictures' in message);
  expect(said).toMatchObject([
    { kind: 'user', purpose: 'goal', pictures: [{ name: 'pier.png', ref: expect.stringMatching(/^blob:/) }] },
  ]);
});
