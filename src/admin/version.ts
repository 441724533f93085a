import { Effect } from "effect"
import { Conflict } from "../contract/Failure.ts"

/** Tells one state of what can be changed from another, in 48 bits: the same again for the same. */
export const versionOf = (changeable: ReadonlyArray<unknown>): number =>
  Number.parseInt(new Bun.CryptoHasher("sha256").update(JSON.stringify(changeable)).digest("hex").slice(0, 12), 16)

/** Refuses a change that was thought of for another state, and shows the present one. @param known the version that it was thought of for */
export const unlessStale = (known: number | undefined, record: { readonly id: string; readonly version: number }) =>
  known === undefined || known === record.version
    ? Effect.void
    : Effect.fail(
        new Conflict({
          code: null,
          message: `${record.id} has been changed meanwhile: look at it as it is now, and change that`,
          current: { ...record }
        })
      )
