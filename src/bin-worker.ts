/** The worker that the `bin`, or a program, starts in the background. `called-as.ts` recognises it by its file name. */
import './worker.js';
