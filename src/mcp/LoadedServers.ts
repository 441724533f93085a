import { Context, Effect, Layer } from "effect"
import type { McpServers } from "./McpServers.ts"

/** The servers of the configuration: loaded with the first request for them, and the same for all who use them. */
export class LoadedServers extends Context.Tag("gateway/mcp/LoadedServers")<
  LoadedServers,
  Effect.Effect<McpServers>
>() {
  static readonly layer = Layer.suspend(() => Layer.scoped(LoadedServers, make))
}

const load = Effect.flatMap(
  Effect.promise(() => import("./McpServers.ts")),
  ({ McpServers: servers }) => Effect.map(Layer.build(servers.Default), Context.get(servers))
)

const make = Effect.flatMap(Effect.context<Effect.Effect.Context<typeof load>>(), (context) =>
  load.pipe(Effect.provide(context), Effect.orDie, Effect.uninterruptible, Effect.cached)
)
