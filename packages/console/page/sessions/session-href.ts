/** Addresses of conversations and of their messages. */

/** Returns the address of a conversation's page. */
export function sessionHref(id: string): string {
  return `/sessions/${encodeURIComponent(id)}`;
}

/** Returns the id of a run's conversation. Ids of later runs end with a number, those of sub-agents with a path. */
export function sessionOf(runId: string): string {
  return runId.split('/', 1)[0]?.replace(/~\d{1,9}$/, '') ?? runId;
}

/** The id of the element that draws a message. `run`: the id of the message's run or sub-agent. */
export function messageId(run: string, message: string): string {
  return `${run}/${message}`;
}

/** Returns the address of a message on the page of its conversation. */
export function messageHref(session: string, run: string, message: string): string {
  return `${sessionHref(session)}#${encodeURIComponent(messageId(run, message))}`;
}
