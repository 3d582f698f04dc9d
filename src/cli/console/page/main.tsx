/** The page: opens its link, then draws what the address names. */
import { render } from 'preact';
import { App } from './app.js';
import { useToken } from './ask.js';
import { openLink } from './link.js';
import { connectWants, streamState, take } from './state.js';
import { speakFirst } from './words/words.js';

const link = await openLink({
  frame: take,
  state(state) {
    streamState.value = state;
  },
});
if (link) {
  useToken(link.token);
  connectWants(runs => link.want(runs));
} else streamState.value = 'refused';
await speakFirst();
const root = document.getElementById('app');
if (root) render(<App />, root);
