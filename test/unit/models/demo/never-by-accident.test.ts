import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { modelToName } from '../../../../src/client/start/default-model.js';
import { createDemoProvider } from '../../../../src/models/demo/provider.js';
import { createProvider } from '../../../../src/models/protocols.js';
import { createProviders } from '../../../../src/models/providers.js';
import { checkModels } from '../../../../src/worker/parts.js';

interface Case {
  model?: string;
  configuration?: string;
  file?: string;
  set?: string;
  localStack?: boolean;
}

describe('demo: never by accident', () => {
  const KEYS = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'];
  const HOME = 'models: { endpoints: { home: { baseUrl: http://localhost:11434/v1 } } }';

  test.each<[string, Case, string | undefined]>([
    ['local stack, nothing set', {}, 'demo'],
    ...KEYS.map((key): [string, Case, undefined] => [`${key} is set`, { set: key }, undefined]),
    ['the file has an endpoint', { file: HOME }, undefined],
    ['the file is wrong, which its worker says', { file: 'models: 3' }, undefined],
    ['another server', { localStack: false }, undefined],
    ['a model is named', { model: 'openai/gpt-5' }, 'openai/gpt-5'],
    ['a configuration is named', { configuration: 'cheap' }, undefined],
    ['it is named', { model: 'demo', localStack: false, set: 'OPENAI_API_KEY' }, 'demo'],
  ])('model to name: %s', async (_, { set, file = '', localStack = true, ...start }, wanted) => {
    for (const key of KEYS) vi.stubEnv(key, key === set ? 'x' : '');
    const configDir = mkdtempSync(join(tmpdir(), 'steersman-accident-'));
    writeFileSync(join(configDir, 'steersman.yaml'), file);
    expect(await modelToName({ configDir, ...start }, localStack)).toBe(wanted);
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
        checkModels(settings(model), withoutKey(), { configDir: '/c', servesDemo: background });
      if (wanted === null) expect(check).not.toThrow();
      else expect(check).toThrow(wanted);
    },
  );
});
