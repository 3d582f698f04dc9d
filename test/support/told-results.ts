/** Interceptors for a replay: they hand out what each workflow returns. */
import { proxySinks, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow';
import type { RunResult } from '../../src/workflows/run/definitions.js';

export interface ResultSinks extends Sinks {
  results: { tell(result: RunResult): void };
}

const { results } = proxySinks<ResultSinks>();

export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      async execute(input, next) {
        const result = (await next(input)) as RunResult;
        results.tell(result);
        return result;
      },
    },
  ],
});
