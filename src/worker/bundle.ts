/** Workflow code for workers: the shipped bundle, and Steersman's workflow within an application's bundle. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BundlerPlugin, WorkflowBundleOption } from '@temporalio/worker';
import { REBUILD } from '../shared/process/called-as.js';
import { SteersmanError } from '../shared/process/errors.js';
import { builtScript } from '../shared/process/package.js';

export type BundleOptions = Parameters<NonNullable<BundlerPlugin['configureBundler']>>[0];

/** A module with the workflows of both. It imports the application's by this alias. */
const TOGETHER = builtScript('worker/with-application.cjs');
const APPLICATION = '__steersman_application_workflows';

const WORKFLOWS = builtScript('compose.js');
/** Modules that every bundle with Steersman's workflow needs. */
const INTERCEPTORS = builtScript('workflows/platform/interceptors.js');
const PAYLOADS = builtScript('workflows/platform/read-payloads.js');
/** A text that every bundle with these modules contains. */
const MARK = 'workflows/platform/interceptors';

/** Reads the shipped bundle: bundling at the start would cost seconds and memory. */
export async function shippedBundle(): Promise<{ workflowBundle: { code: string }; buildId: string }> {
  const path = builtScript('workflow-bundle.js');
  try {
    const code = await readFile(path, 'utf8');
    return { workflowBundle: { code }, buildId: buildIdOf(code) };
  } catch {
    throw new SteersmanError(`The workflow bundle ${path} is missing.`, REBUILD);
  }
}

/** Short, because six events of each turn record it: the SDK's default makes a turn's history 500 bytes longer. */
function buildIdOf(bundle: string): string {
  return createHash('sha256').update(bundle).digest('hex').slice(0, 12);
}

/** @throws SteersmanError for a bundle that was made without the plugin: each of its runs would fail. */
export async function checkBundle(bundle: WorkflowBundleOption): Promise<void> {
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  if (code.includes(MARK)) return;
  throw new SteersmanError(
    'The workflow bundle of this worker does not have the workflow of Steersman.',
    'Make it with the plugin: bundleWorkflowCode({ workflowsPath, plugins: [new SteersmanPlugin()] }).',
  );
}

/** Adds Steersman's workflow, its interceptors and, unless the application has its own, the payload converter. */
export function bundledWith(options: BundleOptions): BundleOptions {
  const { workflowsPath, payloadConverterPath, webpackConfigHook } = options;
  const { workflowInterceptorModules = [], preloadModules = [] } = options;
  if (workflowsPath === TOGETHER) return options;
  return {
    ...options,
    workflowsPath: TOGETHER,
    workflowInterceptorModules: [...workflowInterceptorModules, INTERCEPTORS],
    payloadConverterPath: payloadConverterPath ?? PAYLOADS,
    // Loaded once for all runs, as in the shipped bundle.
    preloadModules: [...preloadModules, WORKFLOWS, INTERCEPTORS],
    webpackConfigHook: config => {
      const { resolve = {}, ...rest } = webpackConfigHook ? webpackConfigHook(config) : config;
      // The SDK passes its aliases as an object.
      return {
        ...rest,
        resolve: { ...resolve, alias: { ...resolve.alias, [`${APPLICATION}$`]: workflowsPath } },
      };
    },
  };
}
