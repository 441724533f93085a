import { Context, Deferred, Effect, Layer, Option } from "effect"
import { testDouble } from "../contract/testDouble.ts"
import { withoutSlash } from "./withoutSlash.ts"

/** Where clients reach this gateway: the beginning of every link to its own files. */
export class PublicUrl extends Context.Tag("gateway/config/PublicUrl")<
  PublicUrl,
  {
    /** Ends without a slash. Where the operator named none it is the listening address, and waits for the server. */
    readonly get: Effect.Effect<string>
    /** The server listens. */
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

  /** For tests: what is not given dies when it is used. */
  static readonly Test = (given: Partial<(typeof PublicUrl)["Service"]>) => testDouble(PublicUrl, given)
}
