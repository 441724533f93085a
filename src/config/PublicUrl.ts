import { Context, Deferred, Effect, Layer, Option } from "effect"
import { testDouble } from "../contract/testDouble.ts"
import { withoutSlash } from "./withoutSlash.ts"

/** The gateway's address for clients; every link to its files begins with it. */
export class PublicUrl extends Context.Tag("gateway/config/PublicUrl")<
  PublicUrl,
  {
    /** Without a trailing slash. If none is configured, waits for the listening address. */
    readonly get: Effect.Effect<string>
    /** Called by the server once it listens. */
    readonly listensOn: (url: URL) => Effect.Effect<void>
  }
>() {
  static readonly layer = (configured: Option.Option<string>) =>
    Layer.effect(
      PublicUrl,
      Effect.map(Deferred.make<string>(), (listening) => ({
        get: Option.match(configured, {
          onNone: () => Deferred.await(listening),
          onSome: (url) => Effect.succeed(withoutSlash(url))
        }),
        listensOn: (url) => Effect.asVoid(Deferred.succeed(listening, withoutSlash(url.href)))
      }))
    )

  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<(typeof PublicUrl)["Service"]>) => testDouble(PublicUrl, given)
}
