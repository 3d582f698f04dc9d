/** The page: opens its link, then draws what the address names. */
import { render } from 'preact';
import { App } from './app.js';
import { dropAsks, useToken } from './ask.js';
import { openLink } from './link.js';
import { connectWants, streamState, take } from './state.js';
import { keepToken } from './token.js';
import { speakFirst } from './words/words.js';

const link = await openLink({
  frame: take,
  state(state) {
    streamState.value = state;
    if (state === 'away') dropAsks();
  },
  token(token) {
    keepToken(token);
    useToken(token);
  },
});
if (link) connectWants(runs => link.want(runs));
else streamState.value = 'refused';
await speakFirst();
const root = document.getElementById('app');
if (root) render(<App />, root);
