import { Context } from "effect"

/** The most connections of the pool. Undefined with SQLite, which has one. */
export class Connections extends Context.Reference<Connections>()("gateway/sql/Connections", {
  defaultValue: (): number | undefined => undefined
}) {}
