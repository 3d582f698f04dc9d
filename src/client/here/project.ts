/** The configuration of this machine for starts. */
import { defaultConfigDir } from '../../config/files/config-dir.js';
import { checkConfigDir } from '../../config/files/files.js';
import { checkWorkspace } from '../../config/files/workspace.js';
import { isTrusted } from '../../config/trust/trust.js';
import type { Project } from '../connection/client-scope.js';
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
