import { Schema } from "effect"
import { secretOf } from "../SecretFiles.ts"
import { optionalField, requiredField } from "./fields.ts"
import { RedisUrl, Secret, Text } from "./values.ts"

const HostAndPort = Schema.String.pipe(
  Schema.filter((text) => /^(?:[\w.-]+|\[[\da-fA-F:]+\]):\d{1,5}$/.test(text), {
    message: () => "expected host:port"
  })
)

export const Sentinel = Schema.Struct({
  hosts: requiredField(
    Schema.NonEmptyArray(HostAndPort),
    "The sentinels, each as `host:port`. They are asked in this order."
  ),
  name: requiredField(Text, "The name under which they watch the master."),
  password: optionalField(Secret, "Of Redis, and of sentinels that ask for one.", "none")
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
