/** Pictures of a start: the worker stores them before the run begins, and the goal's message refers to them. */
import { without } from '../../base/json/json.js';
import type { PictureRef } from '../../run/messages/message.js';
import type { Feature } from '../../workflows/beside/feature.js';
import { Held } from '../../workflows/run/memory.js';
import type { Run } from '../../workflows/run/run.js';
import { pictureWords } from './rules.js';

/** The stored pictures, until the goal's message exists; no safe point comes before that. */
const stored = new Held<{ pictures: PictureRef[] }>('pictures', () => ({ pictures: [] }));

export const pictures: Feature<Run> = {
  name: 'pictures',
  tells: (run, moment) => {
    const { state } = run;
    const given = state.settings.pictures ?? [];
    if (moment.at !== 'begin' || given.length === 0) return null;
    return {
      input: { pictures: given },
      told: ended => {
        // The state must not carry them.
        state.settings = without(state.settings, 'pictures');
        if (ended.ok) stored.of(run).pictures = ended.value.pictures ?? [];
      },
    };
  },
  withGoal: run => {
    const { pictures: shown } = stored.of(run);
    return shown.length === 0 ? null : { text: pictureWords(shown), pictures: shown };
  },
};
