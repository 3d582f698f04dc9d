/** `steersman/shared`: common parts of Node programs: environment, errors, output, files, the store of conversations. */

export { caught, type Guard, isSame, pathOf, type Refusal, refusal } from './http/http-guard.js';
export { type Listening, listenOn } from './http/listen.js';
export { outward } from './http/outward-fetch.js';
export {
  type Fetch,
  type Guarded,
  type GuardedOptions,
  listenerOf,
  serveGuarded,
  urlHost,
} from './http/serve-guarded.js';
export {
  binaryCacheDir,
  makeFolder,
  makeHome,
  resolveHome,
  stackPaths,
  usesLocalStack,
} from './local/home.js';
export { readJson, removeFile, writeJson } from './local/json-file.js';
export { isLoopback } from './local/loopback.js';
export { hasOpenRuns, OPEN_RUNS, recentPollers, servedRuns } from './local/open-runs.js';
export { becomeOwner, dial, readRecord, writeRecord } from './local/owner-socket.js';
export {
  addMissingSearchAttributes,
  choosePort,
  hiddenPlace,
  isHealthy,
  localConnection,
  until,
} from './local/probe.js';
export type { WorkerSettings } from './local/protocol.js';
export {
  type Ask,
  ask,
  errorOf,
  failureOf,
  type HeldResource,
  type OwnerMessage,
  receive,
  type ServerAnswer,
  type StackState,
  type StartReport,
  send,
  understood,
  type WorkerAnswer,
  type WorkerRequest,
} from './local/protocol.js';
export { newQueue, noteQueue, type QueueFolder } from './local/queues.js';
export { realOrSame } from './process/below.js';
export {
  byNpm,
  hintCommands,
  quietStartCall,
  quietVerbCall,
  REBUILD,
  scriptCall,
  shellWord,
  startCall,
  verbCall,
  WORKER_SCRIPT,
} from './process/called-as.js';
export { env } from './process/env.js';
export { SteersmanError, unlessUnknown } from './process/errors.js';
export { failpoint } from './process/failpoints.js';
export {
  type Colors,
  createOutput,
  endWithReader,
  errorLine,
  noColors,
  type Output,
  outLine,
  type Report,
  ringBell,
  type TextSink,
  textSink,
} from './process/output.js';
export { builtBeside, projectRoot } from './process/package.js';
export { jsonLine, oneLine, printable, terminalText } from './process/terminal-text.js';
export { type CommandEnd, commandEnv, commandShell, runCommand } from './run-command.js';
export { validateArguments } from './schema/validate-arguments.js';
export {
  BLOB_REF,
  type BlobPage,
  type BlobStore,
  bytesOf,
  createLocalBlobStore,
  hashOf,
  pruneBlobs,
  refOf,
  removeDrafts,
  runFolder,
  tryBlobStore,
} from './store/blob-store.js';
export { commandExcerpt } from './store/command-excerpt.js';
export { foundText, gramsOf, lowerWords, partWith } from './store/find-words.js';
export { readResult, readResultTool } from './store/read-result.js';
export {
  type Account,
  type AccountStore,
  checkAccount,
  type Hit,
  hasBranches,
  type MessageOf,
  mayComeAgain,
  type RemovalTerms,
  type RunOf,
  refuseUnjudged,
  type SessionLine,
  type SessionStore,
  type Store,
  type TextStore,
} from './store/store.js';
export { temporalClient } from './temporal/temporal-client.js';
export { LATE, onAbort, raceStop, within, withinTime } from './waits.js';
