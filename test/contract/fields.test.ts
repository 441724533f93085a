import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { hasType, readDocument, Schemas } from "./document.ts"
import type { Json } from "./document.ts"
import { bodied } from "./endpoints.ts"
import type { Endpoint } from "./endpoints.ts"
import { examples, unserved } from "./examples.ts"
import { existing } from "./existing.ts"
import { expectError, familyOf } from "./families.ts"
import { named, places, replaced } from "./mutate.ts"
import type { Place } from "./mutate.ts"

const schemas = new Schemas(await readDocument())
const bodySchema = (id: string): Json =>
  Object.values(schemas.document["paths"] as Json)
    .flatMap((item) => Object.values(item as Json))
    .find(({ operationId }) => operationId === id).requestBody.content["application/json"].schema

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const send = async (endpoint: Endpoint, body: unknown) =>
  fetch(gateway.url + (await existing(gateway, endpoint)), {
    method: endpoint.method,
    headers: { authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify(body)
  })

/** One rule of a field, broken once. */
interface Break {
  readonly place: Place
  /** The schema that has the rule. */
  readonly of: Json
  readonly value: unknown
  /** What the message must name. */
  readonly names: ReadonlyArray<string>
}

interface Walk {
  readonly breaks: Array<Break>
  /** Optional fields: null there must be as good as nothing. */
  readonly optional: Array<Place>
  readonly objects: Array<Place>
  /** JSON pointers of the schema's fields that the examples reached. */
  readonly reached: Set<object>
}

const values = [true, 7.5, "no such text", [], {}]

const walk = (schema: Json, value: unknown, place: Place, found: Walk): void => {
  const member = schemas.memberFor(schema, value)
  if (member === undefined) throw new Error(`the example does not fit its schema at ${named(place)}`)
  const members = schemas.members(schema)
  const wrong = (value: unknown, ...names: ReadonlyArray<string>) =>
    found.breaks.push({ place, of: member, value, names })
  for (const value of values) {
    if (!members.some((member) => hasType(member, value))) wrong(value)
  }
  if (!schemas.isNullable(schema)) wrong(null)
  if (member["enum"] !== undefined && members.every((member) => member["enum"] !== undefined)) {
    const allowed = members.flatMap((member) => member["enum"])
    if (typeof allowed[0] === "number") wrong(99_999, String(Math.min(...allowed)), String(Math.max(...allowed)))
    // A union's message names the types that are served, not each that is known.
    else wrong("no such value", ...(place.at(-1) === "type" ? [] : allowed))
  }
  if (member["minimum"] !== undefined) wrong(member["minimum"] - 1, String(member["minimum"]))
  if (member["maximum"] !== undefined) wrong(member["maximum"] + 1, String(member["maximum"]))
  if (member["type"] === "integer") wrong(1.5)
  if (member["minLength"] > 0) wrong("")
  if (member["maxLength"] !== undefined) wrong("x".repeat(member["maxLength"] + 1), String(member["maxLength"]))
  if (member["pattern"] !== undefined && member["enum"] === undefined && place.at(-1) !== "type") wrong("\u0000")
  if (member["minItems"] > 0) wrong([])
  if (member["maxItems"] !== undefined && Array.isArray(value)) {
    wrong(
      Array.from({ length: member["maxItems"] + 1 }, () => value[0]),
      String(member["maxItems"])
    )
  }
  if (Array.isArray(value)) {
    if (member["items"] !== undefined)
      value.forEach((item, index) => walk(member["items"], item, [...place, index], found))
    return
  }
  if (typeof value !== "object" || value === null) return
  if (typeof member["additionalProperties"] !== "object") found.objects.push(place)
  for (const [name, field] of Object.entries((member["properties"] ?? {}) as Json)) {
    if (!(name in value)) continue
    found.reached.add(field)
    walk(field, (value as Json)[name], [...place, name], found)
    if (member["required"].includes(name))
      found.breaks.push({ place: [...place, name], of: member, value: undefined, names: ["required"] })
    else found.optional.push([...place, name])
  }
}

/** A body whose video, if it makes one, is not rendered: that takes most of a core, and no test looks at it. */
const unrendered = <A extends object>(body: A): A =>
  JSON.parse(JSON.stringify(body).replaceAll('"A cat"', '"[[sandbox: fail=NotNeeded]] A cat"'))

const walked = (
  endpoint: Endpoint,
  bodies: (typeof examples)[string] = [...(examples[endpoint.id] ?? []), ...(unserved[endpoint.id] ?? [])]
) =>
  bodies.map(unrendered).map((body) => {
    const found: Walk = { breaks: [], optional: [], objects: [], reached: new Set() }
    walk(bodySchema(endpoint.id), body, [], found)
    return { body, ...found }
  })

const fieldsOf = (schema: Json, at = "", seen: Set<object> = new Set()): ReadonlyArray<readonly [string, object]> => {
  return schemas.members(schema).flatMap((member) => {
    if (seen.has(member)) return []
    seen.add(member)
    const own = Object.entries((member["properties"] ?? {}) as Json).flatMap(([name, field]) => [
      [`${at}.${name}`, field] as const,
      ...fieldsOf(field, `${at}.${name}`, seen)
    ])
    return member["items"] === undefined ? own : [...own, ...fieldsOf(member["items"], `${at}[]`, seen)]
  })
}

/** Whether a rule is broken for the first time at its place, whichever element of an array it is of: examples share most. */
const firstTimes = () => {
  const known = new Map<Json, Set<string>>()
  return ({ of, place, value }: Break): boolean => {
    const at = named(place.map((step) => (typeof step === "number" ? 0 : step)))
    const broken = known.get(of) ?? new Set()
    const before = broken.size
    known.set(of, broken.add(`${at} ${JSON.stringify(value)?.slice(0, 200)}`))
    return broken.size > before
  }
}

/** The one message that conformance tests of clients look for. */
const inDialect: Readonly<Record<string, string>> = {
  "thinking.budget_tokens": "thinking.budget_tokens: as Anthropic says it"
}

/** A conversation keeps an item of a type that some upstream may know. */
const isKept = ({ id }: Endpoint, place: Place, value: unknown): boolean =>
  id.startsWith("conversations.") && place.length === 3 && place.at(-1) === "type" && value === "no such value"

const startingWith = (text: string) => new RegExp(`^${text.replaceAll(/[[\].]/g, "\\$&")}`)

/** Without a file, which no JSON has, or an upload they are refused (`test/storedFiles`). */
const apart: ReadonlySet<string> = new Set(["storedFiles.create", "uploads.addPart", "uploads.complete"])

const table = bodied
  .filter(({ id }) => !apart.has(id))
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

describe("every field of every request", () => {
  it.each(table)("%s: the examples use them all", (_, endpoint) => {
    const reached = new Set(walked(endpoint).flatMap((one) => [...one.reached]))
    const missed = fieldsOf(bodySchema(endpoint.id)).filter(([, field]) => !reached.has(field))
    expect(missed.map(([name]) => name)).toEqual([])
  })

  // A quote's body is another endpoint's, whose rules are broken there.
  it.each(table.filter(([, { id }]) => id !== "account.quote"))(
    "%s: each rule broken once is named, with what is allowed",
    async (_, endpoint) => {
      const family = familyOf(endpoint.path)
      let count = 0
      const isFirst = firstTimes()
      for (const { body, breaks } of walked(endpoint)) {
        for (const { names, place, value } of breaks.filter(isFirst)) {
          if (place.length === 0 || isKept(endpoint, place, value)) continue
          const at = named(place)
          const case_ = `${at} = ${JSON.stringify(value)?.slice(0, 80)}`
          const response = await send(endpoint, replaced(body, place, value))
          if (response.status === 200) expect.soft(case_, "accepted").toBe("refused")
          if (response.status === 200) continue
          const { message, param } = await expectError(endpoint.path, "invalid", response)
          // Without its type an object may be another kind, which misses something else.
          const wanted = place.at(-1) === "type" && (value ?? null) === null ? named(place.slice(0, -1)) : at
          expect.soft([case_, inDialect[at] ?? message]).toEqual([case_, expect.stringMatching(startingWith(wanted))])
          if (family.param) expect.soft([case_, param]).toEqual([case_, expect.stringMatching(startingWith(wanted))])
          for (const name of names) expect.soft([case_, message]).toEqual([case_, expect.stringContaining(name)])
          count++
        }
      }
      // Each field has at least four kinds of values that it is not.
      expect(count).toBeGreaterThanOrEqual(Math.min(21, 4 * fieldsOf(bodySchema(endpoint.id)).length))
    }
  )

  it.each(table)("%s: null is as good as nothing", async (_, endpoint) => {
    const answer = async (body: unknown) => {
      const response = await send(endpoint, body)
      return [response.status, response.status === 200 ? "" : await response.text()] as const
    }
    const said = (text: string) => text.replaceAll(/req_\w+/g, "")
    for (const { body, optional } of walked(endpoint)) {
      for (const place of optional) {
        const [asNull, nullText] = await answer(replaced(body, place, null))
        const [asNone, noneText] = await answer(replaced(body, place, undefined))
        expect.soft([named(place), asNull, said(nullText)]).toEqual([named(place), asNone, said(noneText)])
      }
    }
  })

  it.each(table)("%s: unknown fields are ignored everywhere", async (_, endpoint) => {
    const unknown = { x_unknown: { deep: [1] }, "": null, constructor: 1, toString: 2, __proto__x: 3 }
    for (const { body, objects } of walked(endpoint, examples[endpoint.id] ?? [])) {
      const everywhere = objects.reduceRight<unknown>((known, place) => {
        const here = place.reduce<unknown>((value, key) => (value as Json)[key as string], known)
        return replaced(known, place, { ...unknown, ...(here as object) })
      }, body)
      expect(places(everywhere).length).toBeGreaterThan(places(body).length)
      const response = await send(endpoint, everywhere)
      expect([response.status, response.status === 200 ? "" : await response.text()]).toEqual([200, ""])
    }
  })
})
