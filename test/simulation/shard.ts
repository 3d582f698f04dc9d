/** One worker's share of a parallel simulation: takes `{ first, runs }`, posts what came of them. */
import { parentPort, workerData } from 'node:worker_threads';
import { simulateRuns } from './simulate.js';

const { first, runs }: { first: number; runs: number } = workerData;
parentPort?.postMessage(await simulateRuns(first, runs));
