/** The tool that runs a command line in the workspace. */

import { COMMAND_META, type CodeTool, defineTool, Parts } from 'steersman/mcp';
import { type CodeSays, codeSays } from 'steersman/rules';
import { type CommandEnd, commandEnv, commandExcerpt, commandShell, runCommand } from 'steersman/shared';
import type { WorkspaceContext } from './files/context.js';

const DEFAULT_MS = 120_000;
const MOST_MS = 600_000;
const GRACE_MS = 30_000;
/** Limit of the output that is read; a run stores it by reference. */
const MAX_BYTES = 1 << 20;
/** Limit of the answer to a client that is not a run; a run shortens results itself. */
const SHOWN_BYTES = 16 * 1024;
const TELL_EVERY_MS = 1_000;

export function runTool({ workspace }: WorkspaceContext): CodeTool {
  const { pipefail } = commandShell();
  return defineTool({
    name: 'run',
    description: `Runs a command line in the workspace by ${SHELL_TEXT[String(pipefail)]}, ${DEFAULT_MS / 1_000} s at most without timeoutMs. Tells exit code and output. No input; what it leaves running is ended.`,
    input: {
      type: 'object',
      properties: { command: { type: 'string' }, timeoutMs: { type: 'integer', maximum: MOST_MS } },
      required: ['command'],
    },
    stoppable: true,
    // The command's own limit is shorter, and has a better message.
    timeoutMs: MOST_MS + GRACE_MS,
    async run({ command, timeoutMs = DEFAULT_MS }, { signal, progress, runId }) {
      const startedAt = performance.now();
      let bytes = 0;
      const telling = setInterval(() => {
        const seconds = Math.round((performance.now() - startedAt) / 1_000);
        progress(seconds, undefined, `${seconds} s, ${bytes} bytes of output`);
      }, TELL_EVERY_MS);
      try {
        const end = await runCommand({
          command: String(command),
          cwd: workspace,
          env: commandEnv(),
          timeoutMs: Math.min(MOST_MS, Math.max(1, Number(timeoutMs))),
          maxBytes: MAX_BYTES,
          signal,
          onOutput: soFar => {
            bytes = soFar;
          },
        });
        if (end.ended === 'not_started') throw new Error(`The command was not started: ${end.why}.`);
        const whole = `${endText(end, codeSays(String(command), { pipefail }))}\n${end.output}`.trimEnd();
        const wholeBytes = Buffer.from(whole);
        const isLong = wholeBytes.length > SHOWN_BYTES;
        const answer = isLong && !runId ? commandExcerpt(wholeBytes, SHOWN_BYTES).text : whole;
        if (end.ended === 'cancelled') throw new Error(answer);
        if (!isLong || !runId) return answer;
        return new Parts([{ type: 'text', text: whole, _meta: { [COMMAND_META]: true } }]);
      } finally {
        clearInterval(telling);
      }
    },
  });
}

/** The shell determines the exit code of a pipe, so the model must know it. */
const SHELL_TEXT: Readonly<Record<string, string>> = {
  true: 'bash with pipefail',
  false: '/bin/sh without pipefail',
};

const NOT_OF_ALL = ', which does not say how each of its commands ended';

function endText({ ended, exitCode, signal, durationMs, output, left }: CommandEnd, says: CodeSays): string {
  const seconds = `${(durationMs / 1_000).toFixed(1)} s`;
  const nothing = output.trim() === '' ? ', no output' : '';
  if (ended === 'timed_out') return `timed out after ${seconds}; all that it started was ended${nothing}`;
  if (ended === 'cancelled') return `cancelled after ${seconds}; all that it started was ended${nothing}`;
  const part = exitCode === 0 && (says === 'last' || says === 'unknown') ? NOT_OF_ALL : '';
  const code = exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}${part}`;
  return `${code} (${seconds})${nothing}${leftText(left)}`;
}

const MOST_NAMED = 5;

/** Without this, a server that was started in the background seems to be running. */
function leftText(left: readonly string[]): string {
  if (left.length === 0) return '';
  const more = left.length > MOST_NAMED ? ' and others' : '';
  return `; it left ${left.slice(0, MOST_NAMED).join(', ')}${more} running, which was ended: start it and use it in one command`;
}
