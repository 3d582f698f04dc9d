/** `models`: which models can be used here, and what is known of them. */
import type { Command } from 'commander';
import { CONFIG_OPTION } from '../../config/config-dir.js';
import { quietVerbCall, verbCall } from '../../shared/called-as.js';
import { createOutput } from '../../shared/output.js';
import { type CommonOptions, describeVerb } from '../command.js';
import { endpointLines } from '../doctor/print-models.js';
import { EXIT } from '../exit-codes.js';
import { trustedConfigDir } from '../trusted-dir.js';

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
    .option('--all', 'also those of which nothing is known')
    .option('--config <dir>', CONFIG_OPTION)
    .addHelpText('after', '\nExit codes: 0 there is one; 1 there is none.');
  describeVerb(verb, [
    verbCall('models'),
    quietVerbCall("models --json | jq -r 'select(.info.capabilities.vision) | .id'"),
  ]).action(async (options: ModelsOptions) => {
    const output = createOutput(options);
    // Providers: no other verb but the doctor should load them.
    const { listModels } = await import('../doctor/list-models.js');
    const { NO_ENDPOINT, SET_AN_ENDPOINT } = await import('../../models/endpoint.js');
    const endpoints = await listModels(await trustedConfigDir(options.config));
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
      const [message, remedy] = [`There is no endpoint: ${NO_ENDPOINT}.`, SET_AN_ENDPOINT];
      output.notes.line(`${message} ${remedy}`);
      if (output.json)
        output.value({ type: 'error', code: 'configuration', message, remedy, exitCode: EXIT.failed });
    }
    const found = endpoints.some(({ models }) => models.length > 0);
    process.exitCode = found ? EXIT.ok : EXIT.failed;
  });
}
