/** The provider `rehearsal`: the usual client of the OpenAI protocol, at a server in this process. */
import { createProvider } from '../models/protocols.js';
import type { ModelProvider } from '../models/provider.js';
import type { RehearsalOptions } from './server.js';
import { startRehearsalModel } from './server.js';

/** First segment of its model ids. */
const REHEARSAL = 'rehearsal';

/** Makes the provider. Its server starts with the first call and ends with the process. */
export function createRehearsalProvider(options: RehearsalOptions = {}): ModelProvider {
  let started: Promise<ModelProvider> | null = null;
  const provider = () => {
    started ??= startRehearsalModel(options).then(({ baseUrl }) =>
      createProvider({ name: REHEARSAL, baseUrl }),
    );
    return started;
  };
  return {
    name: REHEARSAL,
    endpoint: 'the rehearsal model of this process',
    async *stream(request, signal, onEvent) {
      yield* (await provider()).stream(request, signal, onEvent);
    },
    listModels: async signal => (await provider()).listModels(signal),
  };
}
