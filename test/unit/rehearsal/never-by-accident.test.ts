import { describe, expect, test } from 'vitest';
import { defaultModelFor } from '../../../src/client/runs/default-model.js';
import { createProvider } from '../../../src/models/protocols.js';
import { createProviders } from '../../../src/models/providers.js';
import { createRehearsalProvider } from '../../../src/rehearsal/provider.js';
import { checkModels } from '../../../src/worker/check-models.js';

describe('rehearsal: never by accident', () => {
  test.each<[string, { named?: string; localStack: boolean; set: string[] }, string | undefined]>([
    ['local stack, nothing set', { localStack: true, set: [] }, 'rehearsal'],
    ['a key is set', { localStack: true, set: ['OPENAI_API_KEY'] }, undefined],
    ['an endpoint is set', { localStack: true, set: ['OPENAI_BASE_URL'] }, undefined],
    ['another server', { localStack: false, set: [] }, undefined],
    ['a model is named', { named: 'openai/gpt-5', localStack: true, set: [] }, 'openai/gpt-5'],
    ['it is named', { named: 'rehearsal', localStack: false, set: ['OPENAI_API_KEY'] }, 'rehearsal'],
  ])('default model: %s → %j', (_, { named, localStack, set }, wanted) => {
    expect(defaultModelFor({ named, localStack, isSet: name => set.includes(name) })).toBe(wanted);
  });

  const settings = (model: string) => ({
    models: { default: [model], roles: {}, timeoutMs: 1, stallMs: 1, firstPartMs: 1 },
  });
  const withoutKey = () =>
    createProviders({
      openai: () => createProvider({ name: 'openai' }),
      rehearsal: () => createRehearsalProvider(),
    });

  test.each([
    ['openai/gpt-5', false, /OPENAI_API_KEY/],
    ['openai/gpt-5', true, null],
    ['nobody/x', true, /nobody/],
    ['rehearsal/rules', false, null],
  ])(
    'worker: %s configured and no key, in the background of the local stack %s → refuses %s',
    (model, background, wanted) => {
      const check = () =>
        checkModels(settings(model), withoutKey(), { configDir: '/c', servesRehearsal: background });
      if (wanted === null) expect(check).not.toThrow();
      else expect(check).toThrow(wanted);
    },
  );
});
