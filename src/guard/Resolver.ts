import { lookup } from "node:dns/promises"
import { Context, Data, Effect, Layer } from "effect"

/** A name that has no address now. */
export class Unresolved extends Data.TaggedError("Unresolved") {}

/** Turns host names into addresses; a Layer of its own so that a test can answer as it likes. */
export class Resolver extends Context.Tag("gateway/guard/Resolver")<
  Resolver,
  { readonly resolve: (host: string) => Effect.Effect<ReadonlyArray<string>, Unresolved> }
>() {
  /** The system's own resolver, /etc/hosts included. */
  static readonly Default = Layer.succeed(this, {
    resolve: (host) =>
      Effect.tryPromise({ try: () => lookup(host, { all: true }), catch: () => new Unresolved() }).pipe(
        Effect.timeoutFail({ duration: "3 seconds", onTimeout: () => new Unresolved() }),
        Effect.map((answers) => answers.map((answer) => answer.address))
      )
  })
}
