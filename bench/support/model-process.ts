/** The scripted model in its own process, so that its work does not count as the worker's. */
import { startScriptedModel } from '../../test/support/endpoint/model.js';
import { type RunShape, replyTo } from './run-script.js';

const { thinkMs, ...shape } = JSON.parse(process.argv[2] ?? '{}') as RunShape & { thinkMs: number };
const model = await startScriptedModel({
  reply: request => {
    // Only tests read the requests; here they would fill the memory.
    model.requests.length = 0;
    return replyTo(request, shape, thinkMs);
  },
});
process.send?.({ baseUrl: model.baseUrl });
process.on('disconnect', () => process.exit(0));
