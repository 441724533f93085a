import { Effect } from "effect"
import { contradiction } from "../access/DeclaredKeys.ts"
import { sectionOf } from "../config/databaseSettings.ts"
import type { Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { writtenSecret } from "../config/writtenSecrets.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { catalogueOf } from "../catalogue/catalogueOf.ts"
import { priced } from "../catalogue/prices.ts"
import { placeOf } from "../upstreams/fromSettings.ts"

/** Reads a configuration through as a start does. Answers the models that it would serve, `own` ones among them. */
export const servedBy = (file: Located<GatewayFile>, own: ReadonlyArray<Model>) =>
  Effect.gen(function* () {
    const wrong = contradiction(file)
    if (wrong !== undefined) return yield* wrong
    for (const [name, entry] of Object.entries(file.value.upstreams ?? {})) yield* placeOf(file, name, entry)
    return yield* priced(yield* catalogueOf(file, own), file)
  })

/**
 * Whether a document may be every node's: each could start with it, as far as it can be told from here, and nothing in it
 * is secret.
 */
export const readThrough = (text: string, file: Located<GatewayFile>, own: ReadonlyArray<Model>) =>
  Effect.gen(function* () {
    yield* servedBy(file, own)
    if (sectionOf(file.value.database).url !== undefined) {
      return yield* file.complain(
        ["database"],
        "database: its address is GATEWAY_DATABASE_URL's alone, by which this is found"
      )
    }
    const secret = writtenSecret(text, file)
    if (secret !== undefined) return yield* secret
  })
