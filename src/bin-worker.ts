/** The worker that the `bin`, or a program, starts in the background: its name tells `called-as.ts` who did. */
import './worker.js';
