import { connect, SteersmanError } from 'steersman/client';

const goal = process.argv[2] ?? 'Summarise what is in this folder.';
const leave = new AbortController();
process.once('SIGINT', () => leave.abort());

const client = await connect({ report: console.error });
const { MODEL: model } = process.env;
try {
  const run = await client.start(goal, model === undefined ? {} : { model });
  console.log(`Run ${run.id}`);
  for await (const event of run.events({ signal: leave.signal })) {
    if ('seq' in event) console.log(`· ${event.type}`);
  }
  if (leave.signal.aborted) console.log(`\nIt goes on: steersman watch ${run.id}`);
  else {
    const { outcome, text, usage } = await run.result();
    console.log(`\n${outcome}, ${usage.outputTokens} tokens written: ${text}`);
  }
} catch (error) {
  if (!(error instanceof SteersmanError)) throw error;
  console.error(`${error.message}\n${error.remedy}`);
  process.exitCode = 1;
} finally {
  await client.close();
}
