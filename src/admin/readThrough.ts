import { Effect } from "effect"
import { contradiction } from "../access/DeclaredKeys.ts"
import { sectionOf } from "../config/databaseSettings.ts"
import type { Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { writtenSecret } from "../config/writtenSecrets.ts"
import type { ModelEntry } from "../catalogue/Catalogue.ts"
import { catalogueOf } from "../catalogue/catalogueOf.ts"
import { servedModels } from "../catalogue/prices.ts"
import { soundEntry } from "../upstreams/configured/soundEntry.ts"

/** Validates a configuration as a start does. Gives the models it would serve, `own` ones included. */
export const servedBy = (file: Located<GatewayFile>, own: ReadonlyArray<ModelEntry>) =>
  Effect.gen(function* () {
    const wrong = contradiction(file)
    if (wrong !== undefined) return yield* wrong
    for (const [name, entry] of Object.entries(file.value.upstreams ?? {})) yield* soundEntry(file, name, entry)
    return yield* servedModels(yield* catalogueOf(file, own), file)
  })

/**
 * Checks that a document can be every node's configuration: this node could start with it, and it contains no secret.
 */
export const readThrough = (text: string, file: Located<GatewayFile>, own: ReadonlyArray<ModelEntry>) =>
  Effect.gen(function* () {
    yield* servedBy(file, own)
    if (sectionOf(file.value.database).url !== undefined) {
      return yield* file.complain(
        ["database"],
        "database: set its address with GATEWAY_DATABASE_URL alone; this document is stored in that database"
      )
    }
    const secret = writtenSecret(text, file)
    if (secret !== undefined) return yield* secret
  })
