/** Sends a command. */
export type Send = (command: string, values: ReadonlyArray<string>) => Promise<unknown>

/** Runs a script atomically in Redis or Valkey. */
export type Script = (send: Send, keys: ReadonlyArray<string>, values: ReadonlyArray<string>) => Promise<unknown>

/** Sends a script by its digest, and in full only if Redis does not have it (after a restart). */
export const redisScript = (text: string): Script => {
  const digest = new Bun.CryptoHasher("sha1").update(text).digest("hex")
  return async (send, keys, values) => {
    const rest = [String(keys.length), ...keys, ...values]
    try {
      return await send("EVALSHA", [digest, ...rest])
    } catch (cause) {
      if (!(cause instanceof Error && cause.message.includes("NOSCRIPT"))) throw cause
      return await send("EVAL", [text, ...rest])
    }
  }
}
