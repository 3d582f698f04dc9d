/** A scripted model for one run without an end: nine turns with a tool call each, then an answer, and so on. */
import { startScriptedModel } from '../../test/support/endpoint/model.js';

/** Of a goal. */
const TURNS = 10;

let turn = 0;
const model = await startScriptedModel({
  reply: () => {
    // Kept for tests only; here they would pile up.
    model.requests.length = 0;
    turn += 1;
    process.send?.({ turn });
    if (turn % TURNS === 0) return { text: `The records up to ${turn} are in order.` };
    const toolCalls = [{ name: 'lookup', arguments: { number: turn } }];
    return { text: 'The next record tells more.', toolCalls };
  },
});
process.send?.({ baseUrl: model.baseUrl });
process.on('disconnect', () => process.exit(0));
