/** The entry of the page: opens the stream, then draws the page of the address. */
import { render } from 'preact';
import { noteState, useToken } from '../ask.js';
import { openLink } from '../link.js';
import { connectWants, streamState, take } from '../state.js';
import { hideToken, keepToken } from '../token.js';
import { speakFirst } from '../words/words.js';
import { App } from './app.js';

const spoken = speakFirst();
// Preloads the page of the address; if that fails, it is loaded again when it is drawn.
if (location.pathname === '/')
  Promise.all([import('../home/home-page.js'), import('../home/start-rest.js')]).catch(() => undefined);
if (location.pathname.startsWith('/runs/')) import('../run/run-page.js').catch(() => undefined);
let token = '';
const link = await openLink({
  frames(frames) {
    for (const frame of frames) take(frame);
  },
  state(state) {
    streamState.value = state;
    noteState(state);
    if (state === 'live') keepToken(token);
    if (state === 'away' || state === 'refused') hideToken();
  },
  token(given) {
    token = given;
    keepToken(given);
    useToken(given);
  },
});
connectWants(runs => link.want(runs));
await spoken;
const root = document.getElementById('app');
if (root) render(<App />, root);
