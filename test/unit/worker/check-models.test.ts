import { expect, test } from 'vitest';
import { createProvider } from '../../../src/models/protocols.js';
import { createProviders } from '../../../src/models/provider/providers.js';
import { SteersmanError } from '../../../src/shared/process/errors.js';
import { checkModels } from '../../../src/worker/parts/parts.js';

/** What a worker without a key says of this model. */
function refusalOf(model: string): string {
  const providers = createProviders({ openai: () => createProvider({ name: 'openai' }) });
  const models = { default: [model], roles: {}, resolver: [], timeoutMs: 1, stallMs: 1, firstPartMs: 1 };
  try {
    checkModels({ models }, providers, { configDir: '/c', servesDemo: false, answers: true });
  } catch (error) {
    if (error instanceof SteersmanError) return `${error.message} ${error.remedy}`;
  }
  throw new Error(`${model} was not refused`);
}

test('worker: its model is of a provider that does not exist → that is said, and no key is asked for', () => {
  const said = refusalOf('nobody/x');
  expect(said).toContain('There is no endpoint "nobody" for the model nobody/x. Endpoints here: openai.');
  expect(said).not.toMatch(/no model id|_KEY/);
});

test('worker: its model is written without a provider → the form is said', () => {
  expect(refusalOf('x')).toContain('"x" is not a model id. Write endpoint/model');
});

test('worker: the provider of its model has no key → the variables that the provider names, and where they stand', () => {
  expect(refusalOf('openai/x')).toMatch(/OPENAI_API_KEY.*OPENAI_BASE_URL.*\.env/);
});
