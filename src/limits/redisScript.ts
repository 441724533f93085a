/** Sends a command. */
export type Send = (command: string, values: ReadonlyArray<string>) => Promise<unknown>

/** Runs a script in Redis or Valkey, which takes each as one step. */
export type Script = (send: Send, keys: ReadonlyArray<string>, values: ReadonlyArray<string>) => Promise<unknown>

/** A script that is sent whole only to a Redis that does not know it: one that has begun anew has forgotten it. */
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
