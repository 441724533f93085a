import { Console, Effect } from "effect"
import type { Located } from "../../config/document.ts"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import type { SurfaceEntry, UpstreamEntry } from "../../config/providers/surfaces.ts"
import { Documents } from "../../documents/Documents.ts"
import { AddressGuard } from "../../guard/AddressGuard.ts"
import type { Model } from "../../catalogue/Catalogue.ts"
import { credentialsOf } from "../../upstreams/configured/fromSettings.ts"
import { protocolOf } from "../../upstreams/protocols.ts"
import { soundEntry } from "../../upstreams/configured/soundEntry.ts"
import { table } from "../table.ts"
import { askUpstream } from "./askUpstream.ts"
import type { UpstreamReply } from "./askUpstream.ts"
import { NotAllAnswer } from "./NotAllAnswer.ts"

/** The test request has no documents, and names no files. */
const noDocuments = Documents.of({ read: () => Effect.dieMessage("nothing is read here") })
const noFiles = AddressGuard.Test({})

/** Something wrong with an upstream or its routes, and the setting to look at. */
interface Wrong {
  readonly message: string
  readonly setting: string | undefined
}

/**
 * Tests every upstream of a configuration, concurrently.
 * @param isWritten true if the user named the models: a model that its upstream does not list is an error then
 */
export const askUpstreams = (file: Located<GatewayFile>, models: ReadonlyMap<string, Model>, isWritten: boolean) =>
  Effect.gen(function* () {
    const upstreams = Object.entries(file.value.upstreams ?? {})
    const calls = (yield* Effect.forEach(upstreams, ([name, entry]) =>
      Effect.gen(function* () {
        const surfaces = yield* soundEntry(file, name, entry)
        const [usual] = surfaces
        const auth = usual && (yield* credentialsOf(usual))
        return callsOf(name, surfaces, models).map((call) => ({ ...call, auth, placedBy: placedBy(entry) }))
      })
    )).flat()
    const replies = yield* Effect.forEach(calls, (call) => askUpstream(call), { concurrency: 8 }).pipe(
      Effect.map((replies) => replies.flat()),
      Effect.provideService(Documents, noDocuments),
      Effect.provide(noFiles)
    )
    return { replies, wrong: [...replies.flatMap(problemOf), ...(isWritten ? replies.flatMap(missing) : [])] }
  })

/** The same, with the results printed. */
export const checkLive = (file: Located<GatewayFile>, models: ReadonlyMap<string, Model>, isWritten: boolean) =>
  Effect.gen(function* () {
    if (Object.keys(file.value.upstreams ?? {}).length === 0)
      return yield* Console.log("\nThere are no upstreams to ask but the sandbox.")
    const { replies, wrong } = yield* askUpstreams(file, models, isWritten)
    yield* Console.log(`\n${table(header, replies.map(row))}`)
    const identities = new Map(
      replies.flatMap(({ identity, name }) => (identity === undefined ? [] : [[name, identity]]))
    )
    for (const [name, identity] of identities) yield* Console.log(`\n${name} is called as ${identity}`)
    for (const { message, setting } of wrong) {
      yield* Console.log(`\n${message}${setting === undefined ? "" : `\n  look at: ${setting}`}`)
    }
    if (wrong.length > 0) {
      return yield* new NotAllAnswer({ message: wrong.length === 1 ? "1 problem" : `${wrong.length} problems` })
    }
    yield* Console.log("\nEvery upstream answers.")
  })

/** The settings that complete an address of the provider, the one that gives the host first. */
const placedBy = (entry: UpstreamEntry): ReadonlyArray<string> => {
  const settings = (["region", "resource", "project"] as const).filter((setting) => entry[setting] !== undefined)
  return settings.length > 0 && entry.base_url !== undefined ? ["base_url", ...settings] : settings
}

/** An upstream is asked in each protocol that models are routed to, otherwise in its usual one. */
const callsOf = (name: string, surfaces: ReadonlyArray<SurfaceEntry>, models: ReadonlyMap<string, Model>) => {
  const usual = (kind: "text" | "video") =>
    surfaces.find(({ protocol }) => protocolOf(protocol).kind === kind)?.protocol
  const routed = [...models.values()].flatMap(({ id, kind, routes }) =>
    routes.flatMap(({ model, protocol = usual(kind === "video" ? "video" : "text"), upstream }) =>
      upstream === name ? [{ id, model, protocol }] : []
    )
  )
  const used = surfaces.filter(({ protocol }) => routed.some((route) => route.protocol === protocol))
  return (used.length === 0 ? surfaces.slice(0, 1) : used).map((surface) => ({
    name,
    label: used.length > 1 ? `${name} (${surface.protocol})` : name,
    entry: surface,
    routed: routed.filter(({ protocol }) => protocol === surface.protocol)
  }))
}

const header = ["UPSTREAM", "ANSWERS", "AFTER", "MODELS", "ASKED FOR"]

/** `openai`, or `openai, key 2`. */
const labelOf = ({ key, label }: UpstreamReply): string => (key === undefined ? label : `${label}, ${key}`)

const row = (reply: UpstreamReply): ReadonlyArray<string> => {
  const { by, models, ms, problem } = reply
  return [
    labelOf(reply),
    problem === undefined ? "yes" : "no",
    `${ms} ms`,
    models === undefined ? "" : String(models.length),
    by
  ]
}

const problemOf = (reply: UpstreamReply): ReadonlyArray<Wrong> => {
  const { problem } = reply
  return problem === undefined ? [] : [{ message: `${labelOf(reply)}: ${problem.message}`, setting: problem.setting }]
}

/** Routes to models that are missing in the upstream's list. */
const missing = (reply: UpstreamReply): ReadonlyArray<Wrong> => {
  const { models, routed } = reply
  if (models === undefined || models.length === 0) return []
  const some = models.slice(0, 5).join(", ")
  return routed.flatMap(({ id, model }) =>
    models.includes(model)
      ? []
      : [
          {
            message: `${labelOf(reply)} does not list "${model}"; it lists ${some}${models.length > 5 ? `, … (${models.length})` : ""}`,
            setting: `models.${id}.routes`
          }
        ]
  )
}
