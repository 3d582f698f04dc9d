import { connect } from 'steersman/client';

const client = await connect({ report: console.error });
const { MODEL: model } = process.env;
const run = await client.start('Summarise this folder.', model === undefined ? {} : { model });
console.log(`Run ${run.id}`);

for await (const event of run.events({ live: false })) {
  if (event.type === 'task_started') break;
}
const message = await run.steer('Keep it to three lines.');
console.log(`${message.state}: ${message.how}`);
const { state, how } = await message.applied();
console.log(`${state}: ${how}`);

const { outcome, text } = await run.result();
console.log(`${outcome}: ${text}`);
await client.close();
