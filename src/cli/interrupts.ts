/** Ctrl-C, counted. */

/** npm passes a Ctrl-C on that the terminal has sent to its child already: both are one. */
const SAME_PRESS_MS = 250;

/** Calls `onPress` with 1, 2, … for each Ctrl-C until the returned function is called. */
export function onInterrupt(onPress: (press: number) => void): () => void {
  let presses = 0;
  let last = Number.NEGATIVE_INFINITY;
  const handler = () => {
    const now = performance.now();
    if (now - last < SAME_PRESS_MS) return;
    last = now;
    presses += 1;
    onPress(presses);
  };
  process.on('SIGINT', handler);
  return () => void process.off('SIGINT', handler);
}
