/** `doctor`: looks at everything a run needs and says what to do where something is wrong. */

import type { Command } from 'commander';
import { CONFIG_OPTION } from '../../config/config-dir.js';
import { quietVerbCall, verbCall } from '../../shared/called-as.js';
import { env } from '../../shared/env.js';
import { createOutput } from '../../shared/output.js';
import { DEFAULT_TASK_QUEUE } from '../../workflows/messages.js';
import { userPath } from '../arguments.js';
import { type CommonOptions, describeVerb } from '../command.js';
import type { Finding } from '../doctor/finding.js';
import { findingLines, summarize, summaryLine } from '../doctor/print.js';
import { EXIT } from '../exit-codes.js';
import { trustedConfigDir } from '../trusted-dir.js';

interface DoctorOptions extends CommonOptions {
  fix?: boolean;
  workspace: string;
  config?: string;
  taskQueue?: string;
}

export function addDoctor(program: Command): void {
  const verb = program
    .command('doctor')
    .description(
      'Check configuration, Temporal, models (one short request to each), tool servers and folders. Starts nothing that stays.',
    )
    .option('--fix', 'mend what can be mended: register search attributes, fetch the Temporal CLI')
    .option('--workspace <dir>', 'folder that tool servers are started for', '.')
    .option('--config <dir>', CONFIG_OPTION)
    .option('--task-queue <name>', 'queue that workers should serve (STEERSMAN_TASK_QUEUE)')
    .addHelpText('after', '\nExit codes: 0 nothing failed (warnings may be left); 1 something did.');
  describeVerb(verb, [
    verbCall('doctor'),
    `TEMPORAL_ADDRESS=temporal.example:7233 ${verbCall('doctor --fix')}`,
    quietVerbCall('doctor --json | jq \'select(.status == "failed")\''),
  ]).action(async (options: DoctorOptions) => {
    const output = createOutput(options);
    // Providers and tool servers: no other verb should load them.
    const { examine } = await import('../doctor/examine.js');
    const configDir = await trustedConfigDir(options.config);
    const findings: Finding[] = [];
    const round = examine({
      configDir,
      workspace: userPath(options.workspace),
      taskQueue: options.taskQueue ?? env.taskQueue() ?? DEFAULT_TASK_QUEUE,
      fix: options.fix === true,
      report: line => output.notes.line(line),
    });
    for await (const finding of round) {
      findings.push(finding);
      if (output.json) output.value({ type: 'finding', ...finding });
      else for (const line of findingLines(finding, output.out.colors)) output.out.line(line);
    }
    const summary = summarize(findings);
    if (output.json) output.value({ type: 'summary', ...summary });
    else output.out.line(`\n${summaryLine(summary, output.out.colors)}`);
    process.exitCode = summary.failed.length === 0 ? EXIT.ok : EXIT.failed;
  });
}
