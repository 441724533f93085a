/**
 * As if this time had passed since people were last asked about.
 *
 * @param run runs statements on the gateway's database
 */
export const laterBy =
  (run: (...statements: ReadonlyArray<string>) => Promise<unknown>) =>
  async (ms: number): Promise<void> => {
    await run(
      `UPDATE people SET checked_at = checked_at - ${ms}, seen_at = seen_at - ${ms}`,
      `UPDATE provider_tokens SET tried_at = tried_at - ${ms}, failing_since = failing_since - ${ms}`,
      `UPDATE access_version SET version = version + 1`
    )
    // The gateway looks four times a second whether something has changed.
    await Bun.sleep(600)
  }
