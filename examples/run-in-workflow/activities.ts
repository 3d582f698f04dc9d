export const activities = {
  async collect(version: string): Promise<string> {
    return `- ${version} starts twice as fast\n- the flag --old is gone`;
  },
  async publish(version: string, notes: string): Promise<string> {
    return `Published ${version}:\n${notes}`;
  },
};

export type Activities = typeof activities;
