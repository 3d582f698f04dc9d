/** Which providers this program has: the one place where they are put together. */

import { createProvider } from '../models/protocols.js';
import type { ModelProvider } from '../models/provider.js';
import type { ProviderRegistry } from '../models/providers.js';
import { createProviders } from '../models/providers.js';
import { createRehearsalProvider } from '../rehearsal/provider.js';
import { env } from '../shared/env.js';

/** The providers of this process, with their keys from the environment, and those that its program gives. */
export function knownProviders(given: readonly ModelProvider[] = []): ProviderRegistry {
  return createProviders({
    openai: () =>
      createProvider({ name: 'openai', apiKey: env.openaiApiKey(), baseUrl: env.openaiBaseUrl() }),
    /** Answers by rules, and only when it is named. */
    rehearsal: () => createRehearsalProvider(),
    ...Object.fromEntries(given.map(provider => [provider.name, () => provider])),
  });
}
