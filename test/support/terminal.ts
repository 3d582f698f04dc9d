/** A real terminal for tests: tmux runs a command in a window of its own, takes keys and tells what is shown. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { until } from './wait.js';

/** True where tmux is installed, and a person's machine can give it the time: not in continuous integration. */
export const hasTmux = !process.env.CI && spawnSync('tmux', ['-V']).status === 0;

/** A loaded machine takes long to start a server and a worker. */
const PATIENCE_MS = 60_000;

export interface TerminalWindow {
  /** What is on the screen, without what has scrolled away. */
  screen(): string;
  /** Everything, from the first line. */
  all(): string;
  /** Types text as it is. */
  type(text: string): void;
  /** Presses keys by their tmux names, such as `Enter`, `M-Enter`, `C-c`. */
  press(...keys: string[]): void;
  /** Waits until everything that was shown matches. */
  shows(pattern: RegExp): Promise<string>;
  close(): void;
}

/** Opens a window and runs the command line in it; its exit code is shown as `EXIT=n` at the end. */
export function openWindow(
  command: string[],
  options: { env: Record<string, string>; cwd: string; columns?: number; rows?: number },
): TerminalWindow {
  const socket = `steersman-${randomUUID().slice(0, 8)}`;
  const tmux = (...args: string[]) => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  const assignments = Object.entries(options.env).map(([name, value]) => `${name}=${quoted(value)}`);
  const line = `env -u INIT_CWD -u NO_COLOR ${assignments.join(' ')} ${command.map(quoted).join(' ')}; echo EXIT=$?; exec cat`;
  const size = ['-x', String(options.columns ?? 100), '-y', String(options.rows ?? 40)];
  tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', options.cwd, line);
  // With joined lines come the blanks at their ends, which nobody sees.
  const all = () => tmux('capture-pane', '-p', '-J', '-S', '-').replace(/ +$/gm, '');
  return {
    screen: () => tmux('capture-pane', '-p'),
    all,
    type: text => void tmux('send-keys', '-l', '--', text),
    press: (...keys) => void tmux('send-keys', ...keys),
    shows: async pattern => {
      let last = '';
      try {
        return await until(
          `the terminal shows ${pattern}`,
          () => {
            last = all();
            return pattern.test(last) ? last : null;
          },
          PATIENCE_MS,
        );
      } catch (error) {
        throw new Error(`${error instanceof Error ? error.message : error}. It shows:\n${last}`);
      }
    },
    close: () => void spawnSync('tmux', ['-L', socket, 'kill-server']),
  };
}
