import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { promptRoots } from '../../../../src/config/files/prompt-files.js';
import { writeNewPrompts } from '../../../../src/config/prompts/new-prompts.js';
import { loadPrefix } from '../../../../src/config/prompts/prompts.js';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'steersman-prompts-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const answers = { language: 'Go', platform: 'gRPC', businessContext: 'Ships $& parcels for {{shops}}.\n' };

describe('the first prompts of a project', () => {
  test.each(['en', 'zh'] as const)(
    'answers in %s → a context that every role reads, the task to write more, and that of building an application, in five parts (P15)',
    async language => {
      const written = await writeNewPrompts(dir, { ...answers, provider: 'Acme' }, language);
      const texts = [written.context, written.task, written.application].map(path =>
        readFileSync(path, 'utf8'),
      );
      for (const text of texts) {
        expect(text).toContain('Ships $& parcels for {{shops}}.');
        for (const answer of ['Go', 'gRPC', 'Acme']) expect(text).toContain(answer);
        expect(text).not.toMatch(/\{\{[A-Z_]+\}\}/);
      }
      expect(texts[1]).toContain('prompts/business/verifier.md');
      expect(texts[2]?.match(/^## (?:Part \d|第.部分)/gm)).toHaveLength(5);
      const { shared } = await loadPrefix(promptRoots(dir), 'en');
      expect(shared.businessContext).toBe(texts[0]);
    },
  );

  test('no provider → no line of one (P15)', async () => {
    const { context } = await writeNewPrompts(dir, answers);
    expect(readFileSync(context, 'utf8')).not.toContain('Provider');
  });

  test('a file that is there → nothing is written over, and none beside it (P15)', async () => {
    const { context, task } = await writeNewPrompts(dir, answers);
    rmSync(task);
    await expect(writeNewPrompts(dir, { ...answers, language: 'Rust' })).rejects.toThrow('is there already');
    expect(readFileSync(context, 'utf8')).toContain('Go');
    expect(() => readFileSync(task)).toThrow();
  });
});
