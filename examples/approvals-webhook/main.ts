import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type OpenGate, SteersmanError } from 'steersman/client';

const { HOOK_URL, HOOK_TOKEN, PORT = '8787', MODEL: model } = process.env;
if (HOOK_URL === undefined) throw new Error('Set HOOK_URL to what is to be told of questions.');
if (HOOK_TOKEN === undefined)
  throw new Error('Set HOOK_TOKEN to a long random text that answers bring along.');
const client = await connect({ report: console.error });

/** Takes `{ run, gate, …answer }`, such as `{ "run": "tidy-up-x1", "gate": "g1", "decision": "approve" }`. */
const answers = createServer(async (request, response) => {
  // Any web page in a browser of this machine can send requests here, so an approval needs the token.
  if (request.headers.authorization !== `Bearer ${HOOK_TOKEN}`) return void response.writeHead(401).end();
  try {
    const { run, gate, ...answer } = JSON.parse(await bodyOf(request));
    const attached = await client.attach(String(run));
    // The run itself refuses an answer that does not fit this gate, and says why.
    await attached.answerGate(String(gate), answer);
    response.writeHead(204).end();
  } catch (error) {
    const refused = error instanceof SteersmanError || error instanceof SyntaxError;
    response.writeHead(refused ? 400 : 500).end(String(error));
  }
});
answers.listen(Number(PORT), '127.0.0.1');
await once(answers, 'listening');
console.log('Answers are taken at', answers.address());

const run = await client.start(process.argv[2] ?? 'Tidy up this folder.', {
  attended: true,
  approvePlan: true,
  ...(model === undefined ? {} : { model }),
});
console.log(`Run ${run.id}`);
run.onGate(tell);
const { outcome, text } = await run.result();
console.log(`${outcome}: ${text}`);
answers.close();
await client.close();

/** Sends the question to the hook and returns no answer: a person's answer comes to the server above. */
async function tell(gate: OpenGate): Promise<undefined> {
  const question = { run: run.id, gate: gate.id, kind: gate.kind, subject: gate.subject };
  await fetch(String(HOOK_URL), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...question, input: gate.input }),
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
