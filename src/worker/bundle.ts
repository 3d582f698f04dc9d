/** Workflow code for workers: the bundle of the build, and our workflow in the bundle of an application. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BundlerPlugin, WorkflowBundleOption } from '@temporalio/worker';
import { REBUILD } from '../shared/process/called-as.js';
import { SteersmanError } from '../shared/process/errors.js';
import { builtScript } from '../shared/process/package.js';

export type BundleOptions = Parameters<NonNullable<BundlerPlugin['configureBundler']>>[0];

/** The application's workflows and ours: one module, which finds theirs by this name. */
const TOGETHER = builtScript('worker/with-application.cjs');
const APPLICATION = '__steersman_application_workflows';

const WORKFLOWS = builtScript('compose.js');
/** What every bundle with our workflow needs beside it. */
const INTERCEPTORS = builtScript('workflows/platform/interceptors.js');
const PAYLOADS = builtScript('workflows/platform/read-payloads.js');
/** Stands in a bundle that has them. */
const MARK = 'workflows/platform/interceptors';

/** The bundle of the build: bundling at start costs seconds and memory. */
export async function shippedBundle(): Promise<{ workflowBundle: { code: string }; buildId: string }> {
  const path = builtScript('workflow-bundle.js');
  try {
    const code = await readFile(path, 'utf8');
    return { workflowBundle: { code }, buildId: buildIdOf(code) };
  } catch {
    throw new SteersmanError(`The workflow bundle ${path} is missing.`, REBUILD);
  }
}

/** Six events of a turn record it, so it is short: the SDK's own makes a turn's history 500 bytes longer. */
function buildIdOf(bundle: string): string {
  return createHash('sha256').update(bundle).digest('hex').slice(0, 12);
}

/** @throws SteersmanError for a bundle that was made without the plugin: its runs would fail, one by one. */
export async function checkBundle(bundle: WorkflowBundleOption): Promise<void> {
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  if (code.includes(MARK)) return;
  throw new SteersmanError(
    'The workflow bundle of this worker does not have the workflow of Steersman.',
    'Make it with the plugin: bundleWorkflowCode({ workflowsPath, plugins: [new SteersmanPlugin()] }).',
  );
}

/** Adds our workflow, its interceptors and its payload converter, where the application has none of its own. */
export function bundledWith(options: BundleOptions): BundleOptions {
  const { workflowsPath, payloadConverterPath, webpackConfigHook } = options;
  const { workflowInterceptorModules = [], preloadModules = [] } = options;
  if (workflowsPath === TOGETHER) return options;
  return {
    ...options,
    workflowsPath: TOGETHER,
    workflowInterceptorModules: [...workflowInterceptorModules, INTERCEPTORS],
    payloadConverterPath: payloadConverterPath ?? PAYLOADS,
    // Loaded once for all runs, as in the build's own bundle.
    preloadModules: [...preloadModules, WORKFLOWS, INTERCEPTORS],
    webpackConfigHook: config => {
      const { resolve = {}, ...rest } = webpackConfigHook ? webpackConfigHook(config) : config;
      // The SDK gives its aliases as an object.
      return {
        ...rest,
        resolve: { ...resolve, alias: { ...resolve.alias, [`${APPLICATION}$`]: workflowsPath } },
      };
    },
  };
}
