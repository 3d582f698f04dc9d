/** What the configuration of this machine says of starts. */
import { defaultConfigDir } from '../../config/config-dir.js';
import { checkConfigDir } from '../../config/files.js';
import { isTrusted } from '../../config/trust/trust.js';
import { checkWorkspace } from '../../config/workspace.js';
import type { Project } from '../client-scope.js';
import { answering, modeFaults } from './default-model.js';
import { projectWorker, workerOfQueue } from './project-worker.js';

export const project: Project = {
  answering,
  modeFaults,
  checkConfigDir,
  checkWorkspace: path => checkWorkspace(path, 'any'),
  isTrusted: () => isTrusted(defaultConfigDir()),
  workerOf: projectWorker,
  workerOfQueue,
};
