import { lookup } from "node:dns/promises"
import { Context, Data, Effect, Layer } from "effect"

/** A name without an address. */
export class Unresolved extends Data.TaggedError("Unresolved") {}

/** Resolves host names. */
export class Resolver extends Context.Tag("gateway/guard/Resolver")<
  Resolver,
  { readonly resolve: (host: string) => Effect.Effect<ReadonlyArray<string>, Unresolved> }
>() {
  /** The system's resolver, including /etc/hosts. */
  static readonly Default = Layer.succeed(this, {
    resolve: (host) =>
      Effect.tryPromise({ try: () => lookup(host, { all: true }), catch: () => new Unresolved() }).pipe(
        Effect.timeoutFail({ duration: "3 seconds", onTimeout: () => new Unresolved() }),
        Effect.map((answers) => answers.map((answer) => answer.address))
      )
  })
}
