import { Effect } from "effect"
import { Conflict } from "../contract/failures/Failure.ts"

/** A 48-bit hash of a record's changeable values. */
export const versionOf = (changeable: ReadonlyArray<unknown>): number =>
  Number.parseInt(new Bun.CryptoHasher("sha256").update(JSON.stringify(changeable)).digest("hex").slice(0, 12), 16)

/**
 * Fails with a `Conflict` that carries the current record if the record has changed.
 * @param known the version the change is based on; undefined accepts any
 */
export const unlessStale = (known: number | undefined, record: { readonly id: string; readonly version: number }) =>
  known === undefined || known === record.version
    ? Effect.void
    : Effect.fail(
        new Conflict({
          code: null,
          message: `${record.id} was changed meanwhile: read it again, then repeat the change`,
          current: { ...record }
        })
      )
