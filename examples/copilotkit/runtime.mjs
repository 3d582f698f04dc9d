/** The runtime of CopilotKit, with Steersman as its agent: pages ask it, and it asks the console's server. */
import { createServer } from 'node:http';
import { HttpAgent } from '@ag-ui/client';
import { CopilotRuntime } from '@copilotkit/runtime/v2';
import { createCopilotNodeListener } from '@copilotkit/runtime/v2/node';

const { CONSOLE_URL = 'http://127.0.0.1:7418', STEERSMAN_CONSOLE_TOKEN, PORT = '4000' } = process.env;
if (STEERSMAN_CONSOLE_TOKEN === undefined)
  throw new Error('Set STEERSMAN_CONSOLE_TOKEN to the token that the console was started with.');

// Pages never get the token. Authenticate your users before they reach the listener.
const steersman = new HttpAgent({
  url: new URL('/ag-ui', CONSOLE_URL).href,
  headers: { authorization: `Bearer ${STEERSMAN_CONSOLE_TOKEN}` },
});
const listener = createCopilotNodeListener({
  runtime: new CopilotRuntime({ agents: { steersman } }),
  basePath: '/api/copilotkit',
});
createServer(listener).listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${PORT}/api/copilotkit`);
});
