/** Notes of the application, by an update: they become events, which people see and the store keeps. */
import { NOTE_EVENTS, NOTE_WANTED, type Note, readNote } from '../../run/state/note.js';
import { type Feature, type Read, update } from '../../workflows/beside/feature.js';
import { bounded, ENDED } from '../../workflows/inbox/read-input.js';
import { noteUpdate } from '../../workflows/run/definitions.js';
import type { Run } from '../../workflows/run/run.js';

export const notes: Feature<Run> = {
  name: 'notes',
  updates: [
    update({
      definition: noteUpdate,
      read: noteReader,
      act: (run, { type, text }: Note) => {
        run.journal(NOTE_EVENTS[type], { text });
        return { seq: run.state.log.journal.lastSeq };
      },
      description:
        'A note for people, which no model gets: {"type": "CONTEXT_NOTE", "text": "…"}; also SYSTEM_EVENT and TOOL_LOG.',
    }),
  ],
};

function noteReader({ state, memory }: Run): (input: unknown) => Read<Note> {
  return bounded(input => {
    if (state.end !== null || memory.isResting) return { error: ENDED };
    const note = readNote(input);
    return note === null ? { error: NOTE_WANTED } : { ok: note };
  });
}
