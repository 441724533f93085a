import { Effect } from "effect"
import { testDouble } from "../../src/contract/testDouble.ts"
import { Custody } from "../../src/videos/custody/Custody.ts"

/** A custody that copies nothing. */
export const noCustody = testDouble(Custody, { record: () => Effect.void })
