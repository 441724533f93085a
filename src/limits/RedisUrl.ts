import { Context, Option } from "effect"
import type { Redacted } from "effect"

/** The Redis or Valkey that counts limits across all processes; without it, each process counts on its own. */
export class RedisUrl extends Context.Reference<RedisUrl>()("gateway/limits/RedisUrl", {
  defaultValue: (): Option.Option<Redacted.Redacted> => Option.none()
}) {}
