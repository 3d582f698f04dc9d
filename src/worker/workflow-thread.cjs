// A thread of the SDK for workflows, without its promise hook: see `withoutStackTraces`. The SDK's own script is given.
const { dirname, join } = require('node:path');
const { workerData: script } = require('node:worker_threads');

const { globalHandlers } = require(join(dirname(script), 'vm-shared.js'));
globalHandlers.setPromiseHook = () => {};
require(script);
