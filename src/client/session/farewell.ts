/** What a session says of its run when it is left. Pure. */
import { verbCall } from '../../shared/called-as.js';

export interface LeftRun {
  id: string;
  /** It waits for an answer of a person. */
  waiting: boolean;
  paused: boolean;
  /** Its goal is answered. */
  idle: boolean;
  /** It was kept open for this session only. */
  owned: boolean;
}

/** How it stands, then what can be done from here. */
export function farewellLines({ id, waiting, paused, idle, owned }: LeftRun): string[] {
  const verb = (name: string, rest = '') => verbCall(`${name} ${id}${rest}`);
  if (idle && owned)
    return [`The run ${id} is answered, and ends.`, `Its answer:          ${verb('result')}`];
  const how = waiting
    ? `waits for your answer: ${verb('show')}`
    : idle
      ? 'is answered, and open for a follow-up.'
      : paused
        ? `is paused: ${verb('resume')}`
        : 'goes on.';
  return [
    `The run ${id} ${how}`,
    `Watch and steer it:  ${verb('watch')}`,
    `Say something to it: ${verb('steer', ' "…"')}`,
    `Stop it:             ${verb('stop')}`,
  ];
}
