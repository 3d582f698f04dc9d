/** `console`: runs, and what waits for a person, in a browser. */
import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { verbCall } from '../../shared/called-as.js';
import { createOutput, errorLine } from '../../shared/output.js';

const DEFAULT_PORT = 7_418;

export function addConsole(program: Command): void {
  program
    .command('console')
    .description('Serve the console: a page in the browser to start, follow, steer and answer runs.')
    .option('--port <port>', 'port on this machine', port, DEFAULT_PORT)
    .option('--open', 'open it in the browser')
    .addHelpText(
      'after',
      `
The link that it prints opens the page once. Runs go on when the console ends.

Examples:
  ${verbCall('console --open')}
  ${verbCall('console --port 0')}`,
    )
    .action(serve);
}

async function serve({ port, open }: { port: number; open?: true }): Promise<void> {
  const { out } = createOutput({});
  const { serveConsole } = await import('../console/serve.js');
  const served = await serveConsole({ port, report: errorLine });
  const link = served.link();
  out.line(`Console  ${link}`);
  if (open) openBrowser(link);
  const end = () => void served.close();
  process.once('SIGINT', end).once('SIGTERM', end);
  await served.closed;
}

function openBrowser(link: string): void {
  const [program = '', ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '']
        : ['xdg-open'];
  spawn(program, [...args, link], { detached: true, stdio: 'ignore' })
    .on('error', () => errorLine('No browser could be opened: open the link yourself.'))
    .unref();
}

function port(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0 && number < 65_536) return number;
  throw new InvalidArgumentError('It must be a port from 0 to 65535.');
}
