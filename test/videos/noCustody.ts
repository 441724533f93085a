import { Effect, Layer } from "effect"
import { Custody } from "../../src/videos/custody/Custody.ts"

/** Where nothing is copied. */
export const noCustody = Layer.succeed(Custody, Custody.make({ record: () => Effect.void } as never))
