import { createHmac } from "node:crypto"
import { Context, Layer, Redacted } from "effect"

/** Names upstreams' keys in rows and log lines: a fingerprint and the last four characters. */
export class KeyNames extends Context.Tag("gateway/upstreams/keys/KeyNames")<
  KeyNames,
  (key: Redacted.Redacted) => string
>() {
  /** @param secret of the gateway, without which no fingerprint can be compared with a guess */
  static readonly layer = (secret: Redacted.Redacted<Uint8Array>) =>
    Layer.succeed(KeyNames, (key) => {
      const text = Redacted.value(key)
      const fingerprint = createHmac("sha256", Redacted.value(secret)).update(text).digest("hex").slice(0, digits)
      return `${fingerprint}…${text.length < shortest ? "" : text.slice(-4)}`
    })
}

/** Of the fingerprint: few keys are ever told apart. */
const digits = 12
/** Of a shorter key, four characters would give too much away. */
const shortest = 20
