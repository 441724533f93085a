import { Context, Option } from "effect"
import type { Redacted } from "effect"
import type { Sentinel } from "../config/sections/Redis.ts"

/** The Redis or Valkey that counts limits across all processes; without it, each process counts on its own. */
export class RedisUrl extends Context.Reference<RedisUrl>()("gateway/limits/RedisUrl", {
  defaultValue: (): Option.Option<Redacted.Redacted | Sentinel> => Option.none()
}) {}
