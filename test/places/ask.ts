import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../gatewayHere.ts"
import { startFileServer } from "../upstreams/fakes/fileServer.ts"
import { families } from "./kinds.ts"
import type { FamilyName } from "./kinds.ts"
import { fileServer } from "./pieces.ts"
import type { Body } from "./pieces.ts"
import { tried } from "./places.ts"
import { startStrict } from "./strict/strict.ts"
import { routeAt, upstreamAt } from "./upstreamAt.ts"

/** A request that did not get an answer. */
export interface Unanswered {
  readonly place: string
  readonly model: string
  readonly family: FamilyName
  readonly kind: string
  readonly stream: boolean
  readonly status: number
  /** The rules of the place that what was sent broke; none if the gateway refused by itself. */
  readonly rules: ReadonlyArray<string>
  /** How often the place was asked. */
  readonly tries: number
  readonly says: string
}

/** What is asked; everything if left out. */
export interface Chosen {
  readonly place?: string | undefined
  readonly family?: string | undefined
  readonly kind?: string | undefined
  /** Every n-th request alone. */
  readonly every?: number
}

/** A gateway before the places, with a model `place|model` for each that is tried there. */
export const startBefore = async (strict: string, chosen?: string) => {
  const places = Object.entries(tried).filter(([place]) => (chosen ?? place) === place)
  const upstreams = Object.fromEntries(places.map(([place]) => [place, upstreamAt(strict, place)]))
  const routes = places.flatMap(([place, { models }]) =>
    models.map((model) => [`${place}|${model}`, routeAt(place, model)] as const)
  )
  const folder = mkdtempSync(join(tmpdir(), "gateway-places-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models: Object.fromEntries(routes) }))
  const gateway = await startGateway({ folder, env: { GATEWAY_ALLOW_ADDRESSES: "127.0.0.1" } })
  return { gateway, names: routes.map(([name]) => name) }
}

/** One request of a family, to a model at a place. */
export interface Question {
  readonly family: FamilyName
  readonly path: string
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
  /** `place|model` */
  readonly name: string
  readonly stream: boolean
}

/** A gateway before each place of the strict upstream. */
export const startPlaces = async (wanted?: string) => {
  const strict = startStrict()
  const files = startFileServer()
  const { gateway, names } = await startBefore(strict.url, wanted)
  /** @returns how it was refused; undefined if it was answered */
  const ask = async ({
    body,
    family,
    headers,
    name,
    path,
    stream
  }: Question): Promise<Omit<Unanswered, "kind"> | undefined> => {
    strict.seen.length = 0
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ ...body, model: name, stream }).replaceAll(fileServer, files.url)
    })
    const says = await response.text()
    const rules = [...new Set(strict.seen.flatMap(({ rules }) => rules))]
    if (response.ok && rules.length === 0) return undefined
    const [place = "", model = ""] = name.split("|")
    return { place, model, family, stream, status: response.status, rules, tries: strict.seen.length, says }
  }
  const stop = async () => {
    await gateway.dispose()
    await strict.stop()
    await files.stop()
  }
  return { names, ask, stop }
}

/**
 * Asks each kind of each family of a gateway before each place of the strict upstream, whole and streamed.
 *
 * @returns how many were asked, and those that the place or the gateway refused
 */
export const askAll = async (chosen: Chosen = {}) => {
  const { ask, names, stop } = await startPlaces(chosen.place)
  const unanswered: Array<Unanswered> = []
  let asked = 0
  let count = 0
  try {
    for (const { family, kind, path, body } of families(chosen)) {
      for (const name of names) {
        for (const stream of [false, true]) {
          if (count++ % (chosen.every ?? 1) !== 0) continue
          asked++
          const refused = await ask({ family, path, body, name, stream })
          if (refused !== undefined) unanswered.push({ ...refused, kind })
        }
      }
    }
  } finally {
    await stop()
  }
  return { asked, unanswered }
}
