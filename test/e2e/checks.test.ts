import { afterAll, describe, expect, test } from 'vitest';
import type { Check } from '../../src/core/checks/check.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { byRole, content, planned, reported, settingsYaml } from '../support/steering.js';

const fake = fakeMcp();
const editor =
  '---\ndescription: An editor.\noutput: text\ntools: ["*"]\n---\nYou are the editor.\n{{businessContext}}\n';

const rig = rigOfFile({
  config: {
    '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
    'steersman.yaml': settingsYaml('steering: note', 'modes:', '  review: { steps: [react, editor] }'),
    'prompts/core/editor.md': editor,
  },
});
afterAll(() => fake.remove());

const MODES = ['react', 'direct', 'lead', 'review', 'plan', 'team'] as const;
/** All that is claimed, whoever is asked. */
const CLAIMS = byRole({
  planner: () => planned,
  executor: () => reported('It is all done.'),
  verifier: () => content,
  summary: () => ({ text: 'It is all done.' }),
  react: () => ({ text: 'It is all done.' }),
  direct: () => ({ text: 'It is all done.' }),
  lead: () => ({ text: 'It is all done.' }),
  editor: () => ({ text: 'It is all done.' }),
});
const WANTED: Check = { run: 'test -f done.txt' };

describe('a check that fails', () => {
  test.each(MODES)(
    '%s: the model claims success, again and again → never completed, and the answer says so',
    async mode => {
      rig.play(CLAIMS);
      const { result } = await rig.run('Write done.txt.', { mode, checks: [WANTED] });
      expect(result).toMatchObject({ outcome: 'unverified', cause: 'checks_failed' });
      expect(result.text).toContain('Checks that did not pass: test -f done.txt [failed: exit code 1].');
    },
  );
});
