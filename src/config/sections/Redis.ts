import { Schema } from "effect"
import { secretOf } from "../SecretFiles.ts"
import { optionalField, requiredField } from "./fields.ts"
import { RedisUrl, Secret, Text } from "./values.ts"

const HostAndPort = Schema.String.pipe(
  Schema.filter((text) => /^(?:[\w.-]+|\[[\da-fA-F:]+\]):\d{1,5}$/.test(text) && URL.canParse(`redis://${text}`), {
    message: () => "expected host:port"
  })
)

export const Sentinel = Schema.Struct({
  hosts: requiredField(
    Schema.NonEmptyArray(HostAndPort),
    "The sentinels, each as `host:port`. They are asked in this order."
  ),
  name: requiredField(Text, "The name under which they watch the master."),
  tls: optionalField(
    Schema.Boolean,
    "Redis and the sentinels are asked by TLS, as with `rediss://`. Their certificates are checked for the names under `hosts`, and for what the sentinels call the master.",
    "`false`"
  ),
  username: optionalField(Text, "The user of Redis.", "`default`"),
  password: optionalField(Secret, "Of Redis, and of sentinels that ask for one.", "none"),
  sentinel_username: optionalField(Text, "The user of the sentinels.", "`default`"),
  sentinel_password: optionalField(Secret, "Of sentinels that have another.", "`password`")
})
/** Redis behind sentinels, which know its current master. */
export type Sentinel = typeof Sentinel.Type

export const Redis = Schema.Struct({
  url: optionalField(secretOf(RedisUrl), "`redis://host:port` or `rediss://…`; Valkey works too."),
  sentinel: optionalField(Sentinel, "In place of `url`: `{ hosts, name, password }` of the sentinels of a Redis.")
}).pipe(
  Schema.filter(
    ({ sentinel, url }) =>
      (url === undefined) !== (sentinel === undefined) || { path: ["url"], message: "expected either url or sentinel" }
  )
)
