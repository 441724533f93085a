import { Context, Option } from "effect"
import type { Redacted } from "effect"

/** Where limits are counted for all processes together (Redis or Valkey); none: each process counts its own. */
export class RedisUrl extends Context.Reference<RedisUrl>()("gateway/limits/RedisUrl", {
  defaultValue: (): Option.Option<Redacted.Redacted> => Option.none()
}) {}
