/** The pages of a server's list, one after the other, until it names no further one; at most `most`. */
export async function* pagesOf<Page extends { nextCursor?: string | null | undefined }>(
  askFor: (params: { cursor?: string }) => Promise<Page>,
  most: number,
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let page = 0; page < most; page++) {
    const answer = await askFor(cursor === undefined ? {} : { cursor });
    yield answer;
    const next = answer.nextCursor ?? undefined;
    if (next === undefined || next === cursor) return;
    cursor = next;
  }
}
