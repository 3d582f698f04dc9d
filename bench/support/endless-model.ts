/** A scripted model for one endless run: nine turns with a tool call each, then an answer, and so on. */
import { startScriptedModel } from '../../test/support/endpoint/model.js';

/** Of a goal. */
const TURNS = 10;

let turn = 0;
const model = await startScriptedModel({
  reply: () => {
    // Only tests read the requests; here they would fill the memory.
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
