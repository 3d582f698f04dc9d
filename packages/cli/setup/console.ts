/** `console`: shows runs in a browser, and the gates that wait for a person. */
import { spawn } from 'node:child_process';
import { definedOptions, portNumber, userPath } from '@steersman/print';
import type { Command } from 'commander';
import { env, errorLine, outLine, verbCall } from 'steersman/shared';

interface ConsoleWords {
  port?: number;
  open?: true;
  listen?: string;
  name: string[];
  workspace?: string;
}

export function addConsole(program: Command): void {
  program
    .command('console')
    .description('Serve the console: pages in a browser to start, follow, steer and answer runs.')
    .option('--open', 'open it in your browser')
    .option('--port <port>', 'port to listen on (default: 7418, or another where that is taken)', portNumber)
    .option('--listen <address>', 'for other machines, too: this address; needs STEERSMAN_CONSOLE_TOKEN')
    .option(
      '--name <host>',
      'name under which it is reached through a proxy, such as console.example; repeatable',
      (name: string, names: string[]) => [...names, name],
      [],
    )
    .option(
      '--workspace <dir>',
      'folder of runs that are started in it (default: the current folder)',
      userPath,
    )
    .addHelpText(
      'after',
      `
The link that it prints opens the console once; call it again for another link, also while one runs. Runs go on
when it ends. With --listen whoever knows STEERSMAN_CONSOLE_TOKEN, of 32 characters or more, can start runs in any
folder that its workers serve, read all of them, and approve what they ask. It speaks no TLS: put a proxy before it.

Examples:
  ${verbCall('console --open')}
  ${verbCall('console --port 0 --workspace ../site')}`,
    )
    .action(serve);
}

async function serve({ open, ...words }: ConsoleWords): Promise<void> {
  const { linkOfRunning, pageToLink, serveConsole } = await import('@steersman/console');
  const isSpecial = words.listen !== undefined || words.workspace !== undefined;
  const running = isSpecial ? null : await linkOfRunning(definedOptions({ port: words.port }));
  if (running !== null) return show(running, open && pageToLink(running));
  const { name: names, ...rest } = words;
  const served = await serveConsole({
    ...definedOptions(rest),
    names,
    token: env.consoleToken(),
    report: errorLine,
  });
  const link = served.link();
  show(link, open && pageToLink(link));
  if (words.listen !== undefined)
    errorLine(
      `Anyone who can reach ${words.listen} and has the token can start, read, steer and approve runs.`,
    );
  errorLine('Ctrl-C ends it; runs go on.');
  const end = () => void served.close();
  process.once('SIGINT', end).once('SIGTERM', end);
  await served.closed;
}

/** Prints the link, and opens `page`, a file that leads to it, in a browser. */
function show(link: string, page: string | undefined): void {
  outLine(`Console  ${link}`);
  if (page !== undefined) openBrowser(page);
}

function openBrowser(page: string): void {
  const [program = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  spawn(program, [...args, page], { detached: true, stdio: 'ignore' })
    .on('error', () => errorLine('No browser could be opened: open the link yourself.'))
    .unref();
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};
