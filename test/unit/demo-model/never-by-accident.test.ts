import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDemoProvider } from '../../../packages/demo-model/provider.js';
import { answering } from '../../../src/client/here/default-model.js';
import { createProvider } from '../../../src/models/protocols.js';
import { createProviders } from '../../../src/models/provider/providers.js';
import { checkModels } from '../../../src/worker/parts/parts.js';

interface Case {
  model?: string;
  configuration?: string;
  file?: string;
  set?: string;
  dotEnv?: string;
  ownQueue?: boolean;
}

describe('demo: never by accident', () => {
  const KEYS = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'];
  const HOME = 'models: { endpoints: { home: { baseUrl: http://localhost:11434/v1 } } }';

  test.each<[string, Case, string | undefined]>([
    ['nothing set', {}, 'demo'],
    ...KEYS.map((key): [string, Case, undefined] => [`${key} is set`, { set: key }, undefined]),
    ['keys of .env are left empty (FC3)', { dotEnv: KEYS.map(key => `${key}=`).join('\n') }, 'demo'],
    ['a key of .env is set', { dotEnv: 'OPENAI_API_KEY=\nANTHROPIC_API_KEY=sk-1' }, undefined],
    ['the file has an endpoint', { file: HOME }, undefined],
    ['the file is wrong, which its worker says', { file: 'models: 3' }, undefined],
    ['a worker of their own serves it (CF4)', { ownQueue: true }, undefined],
    ['a model is named', { model: 'openai/gpt-5' }, 'openai/gpt-5'],
    ['a configuration is named', { configuration: 'cheap' }, undefined],
    ['it is named', { model: 'demo', ownQueue: true, set: 'OPENAI_API_KEY' }, 'demo'],
  ])('model to name: %s', async (_, { set, file = '', dotEnv = '', ownQueue = false, ...start }, wanted) => {
    for (const key of KEYS) vi.stubEnv(key, key === set ? 'http://127.0.0.1:9/v1' : '');
    const configDir = mkdtempSync(join(tmpdir(), 'steersman-accident-'));
    writeFileSync(join(configDir, 'steersman.yaml'), file);
    writeFileSync(join(configDir, '.env'), dotEnv);
    expect((await answering({ configDir, ...start }, { ownQueue })).model).toBe(wanted);
  });
  test('nothing set but a misspelt name in .env → the note about the demo model names it (FC3)', async () => {
    for (const key of KEYS) vi.stubEnv(key, '');
    const configDir = mkdtempSync(join(tmpdir(), 'steersman-accident-'));
    writeFileSync(join(configDir, '.env'), 'ANTHROPIC_KEY=sk-1\n');
    const { note } = await answering({ configDir });
    expect(note).toMatch(/models\.endpoints\. .*\.env sets ANTHROPIC_KEY\.$/);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const settings = (model: string) => ({
    models: { default: [model], roles: {}, resolver: [], timeoutMs: 1, stallMs: 1, firstPartMs: 1 },
  });
  const withoutKey = () =>
    createProviders({
      openai: () => createProvider({ name: 'openai' }),
      demo: () => createDemoProvider(),
    });

  test.each([
    ['openai/gpt-5', false, /OPENAI_API_KEY/],
    ['openai/gpt-5', true, null],
    ['nobody/x', true, /nobody/],
    ['demo/rules', false, null],
  ])(
    'worker: %s configured and no key, in the background of the local stack %s → refuses %s',
    (model, background, wanted) => {
      const check = () =>
        checkModels(settings(model), withoutKey(), {
          configDir: '/c',
          servesDemo: background,
          answers: true,
        });
      if (wanted === null) expect(check).not.toThrow();
      else expect(check).toThrow(wanted);
    },
  );
});
