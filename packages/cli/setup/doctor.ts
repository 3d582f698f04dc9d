/** `doctor`: checks everything a run needs and gives advice for each fault; `models`: lists usable models. */

import { EXIT, userPath } from '@steersman/print';
import { trustedConfigDir } from '@steersman/session';
import type { Command } from 'commander';
import { CONFIG_OPTION, dotEnvHint } from 'steersman/config';
import { createOutput, env, quietVerbCall, verbCall } from 'steersman/shared';
import { DEFAULT_TASK_QUEUE } from 'steersman/workflow';
import { type CommonOptions, describeVerb } from '../command/command.js';
import { type Finding, findingLines, summarize, summaryLine } from '../doctor/finding.js';

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
    .option('--fix', 'repair what it can: register search attributes, fetch the Temporal CLI')
    .option('--workspace <dir>', 'folder that tool servers are started for', '.')
    .option('--config <dir>', CONFIG_OPTION)
    .option('--task-queue <name>', 'queue that workers should serve (STEERSMAN_TASK_QUEUE)')
    .addHelpText('after', '\nExit codes: 0 nothing failed (there may be warnings); 1 something failed.');
  describeVerb(verb, [
    verbCall('doctor'),
    `TEMPORAL_ADDRESS=temporal.example:7233 ${verbCall('doctor --fix')}`,
    quietVerbCall('doctor --json | jq \'select(.status == "failed")\''),
  ]).action(async (options: DoctorOptions) => {
    const output = createOutput(options);
    // The import is lazy, so that other verbs do not load providers and tool servers.
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

interface ModelsOptions extends CommonOptions {
  all?: boolean;
  config?: string;
}

export function addModels(program: Command): void {
  const verb = program
    .command('models')
    .description(
      'List the models that can be used: asks each endpoint. A * marks those that steersman.yaml or a role names.',
    )
    .option('--all', 'also models about which nothing is known')
    .option('--config <dir>', CONFIG_OPTION)
    .addHelpText(
      'after',
      '\nExit codes: 0 a model can be used, and its endpoint answers; 1 no model can be used.',
    );
  describeVerb(verb, [
    verbCall('models'),
    quietVerbCall("models --json | jq -r 'select(.info.capabilities.vision) | .id'"),
  ]).action(async (options: ModelsOptions) => {
    const output = createOutput(options);
    // The import is lazy, so that only this verb and the doctor load providers.
    const { endpointLines, listModels } = await import('../doctor/list-models.js');
    const { NO_ENDPOINT, SET_AN_ENDPOINT } = await import('steersman/models');
    const configDir = await trustedConfigDir(options.config);
    const endpoints = await listModels(configDir);
    for (const { models, ...endpoint } of endpoints) {
      if (output.json) {
        output.value({ type: 'endpoint', ...endpoint });
        for (const model of models) output.value({ type: 'model', endpoint: endpoint.endpoint, ...model });
      } else {
        for (const line of endpointLines({ models, ...endpoint }, output.out.colors, options.all === true))
          output.out.line(line);
      }
    }
    if (endpoints.length === 0) {
      const [message, remedy] = [
        `There is no endpoint: ${NO_ENDPOINT}.${dotEnvHint(configDir)} Runs use the built-in demo model (rules, not intelligence).`,
        SET_AN_ENDPOINT,
      ];
      output.notes.line(`${message} ${remedy}`);
      if (output.json)
        output.value({ type: 'error', code: 'configuration', message, remedy, exitCode: EXIT.failed });
    }
    const found = endpoints.some(({ answers, models }) => answers && models.length > 0);
    process.exitCode = found ? EXIT.ok : EXIT.failed;
  });
}
