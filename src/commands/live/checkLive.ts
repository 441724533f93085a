import { Console, Data, Effect } from "effect"
import type { Located } from "../../config/document.ts"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import { Documents } from "../../documents/Documents.ts"
import type { Model } from "../../catalogue/Catalogue.ts"
import { table } from "../table.ts"
import { askUpstream } from "./askUpstream.ts"
import type { UpstreamReply } from "./askUpstream.ts"

/** Some upstream does not do what the settings want of it; what, was printed. */
class NotAllAnswer extends Data.TaggedError("NotAllAnswer")<{ readonly message: string }> {}

/** No document is read to say hello. */
const noDocuments = Documents.of({ read: () => Effect.dieMessage("nothing is read here") })

/** Asks every upstream of a configuration, side by side, and prints what came of it. @param isWritten whether somebody named the models */
export const checkLive = (file: Located<GatewayFile>, models: ReadonlyMap<string, Model>, isWritten: boolean) =>
  Effect.gen(function* () {
    const upstreams = Object.entries(file.value.upstreams ?? {})
    if (upstreams.length === 0) return yield* Console.log("\nThere are no upstreams to ask but the sandbox.")
    const asked = yield* Effect.forEach(
      upstreams,
      ([name, entry]) => askUpstream(file, name, entry, namesAt(models, name)),
      { concurrency: 8 }
    ).pipe(Effect.provideService(Documents, noDocuments))
    yield* Console.log(`\n${table(header, asked.map(row))}`)
    const wrong = [...asked.flatMap(problemOf), ...(isWritten ? asked.flatMap((one) => missing(one, models)) : [])]
    for (const line of wrong) yield* Console.log(`\n${line}`)
    if (wrong.length > 0) {
      return yield* new NotAllAnswer({ message: `${wrong.length} of what is configured does not work as it stands` })
    }
    yield* Console.log("\nEvery upstream answers.")
  })

const namesAt = (models: ReadonlyMap<string, Model>, upstream: string): ReadonlyArray<string> =>
  [...models.values()].flatMap(({ routes }) =>
    routes.flatMap((route) => (route.upstream === upstream ? [route.model] : []))
  )

const header = ["UPSTREAM", "ANSWERS", "AFTER", "MODELS", "ASKED FOR"]

const row = ({ by, models, ms, name, problem }: UpstreamReply): ReadonlyArray<string> => [
  name,
  problem === undefined ? "yes" : "no",
  `${ms} ms`,
  models === undefined ? "" : String(models.length),
  by
]

const problemOf = ({ name, problem }: UpstreamReply): ReadonlyArray<string> =>
  problem === undefined
    ? []
    : [`${name}: ${problem.message}${problem.setting === undefined ? "" : `\n  look at: ${problem.setting}`}`]

/** Routes to models that an upstream which lists its own does not list. */
const missing = ({ models, name }: UpstreamReply, catalogue: ReadonlyMap<string, Model>): ReadonlyArray<string> => {
  if (models === undefined || models.length === 0) return []
  const lost = [...catalogue.values()].flatMap(({ id, routes }) =>
    routes.flatMap((route) =>
      route.upstream === name && !models.includes(route.model) ? [{ id, model: route.model }] : []
    )
  )
  const some = models.slice(0, 5).join(", ")
  return lost.map(
    ({ id, model }) =>
      `${name} does not list "${model}"; it lists ${some}${models.length > 5 ? `, … (${models.length})` : ""}\n  look at: models.${id}.routes`
  )
}
