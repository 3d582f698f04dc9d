/** The scripted model as a process of its own, so that its work is not counted as the worker's. */
import { startScriptedModel } from '../../test/support/endpoint/model.js';
import { type RunShape, replyTo } from './run-script.js';

const { thinkMs, ...shape } = JSON.parse(process.argv[2] ?? '{}') as RunShape & { thinkMs: number };
const model = await startScriptedModel({
  reply: request => {
    // Kept for tests only; here they would pile up.
    model.requests.length = 0;
    return replyTo(request, shape, thinkMs);
  },
});
process.send?.({ baseUrl: model.baseUrl });
process.on('disconnect', () => process.exit(0));
