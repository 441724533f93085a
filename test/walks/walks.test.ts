import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startWalker, walks } from "./walk.ts"
import type { Recording } from "./recording.ts"
import type { Walker, WalkName } from "./walk.ts"

/*
 * How far a request walks: a ceiling for each walk, which a change may lower, and raises only if its commit says why.
 * `RECORD_WALKS=true bun run test test/walks` writes what is compared below a failure.
 */

interface Walk {
  /** Functions entered until the upstream is called. */
  readonly calls: number
  /** Of those, how often one stands in another room than the one before; rooms that all others use left out. */
  readonly roomChanges: number
  /** Statements until the request's row is stored. */
  readonly statements: number
}

const ceilings: Readonly<Record<WalkName, Walk>> = {
  "message to a chat upstream": { calls: 332, roomChanges: 39, statements: 11 },
  "response passed through": { calls: 284, roomChanges: 39, statements: 11 },
  "chat passed through": { calls: 305, roomChanges: 34, statements: 11 }
}
/** Functions entered for a text chunk that is translated. */
const chunkCeiling = 57

const names = Object.keys(walks) as ReadonlyArray<WalkName>
const leaves = /^(contract|flow|telemetry|generation|tokens)\//
const seenFile = join(import.meta.dirname, "walks.txt")

const untilCall = (entered: ReadonlyArray<string>): ReadonlyArray<string> => {
  const sent = entered.indexOf("upstreams/calls/client.ts:send")
  if (sent === -1) throw new Error("the upstream was not called")
  return entered.slice(0, sent)
}

const roomChangesIn = (entered: ReadonlyArray<string>): number => {
  const rooms = entered.filter((one) => !leaves.test(one)).map((one) => one.split("/")[0])
  return rooms.filter((room, at) => at > 0 && room !== rooms[at - 1]).length
}

/** The usual way from one frame to the next: few have a timer's or a batch's work between them. */
const chunkIn = (entered: ReadonlyArray<string>): number => {
  const parsed = entered.flatMap((one, at) => (one === "contract/json/json.ts:parseJson" ? [at] : []))
  const ways = parsed.slice(1).map((at, index) => at - (parsed[index] ?? 0))
  return ways.toSorted((one, other) => one - other)[Math.floor(ways.length / 2)] ?? 0
}

/** What key and console ask the database for now and then is no matter of the request. */
const ofRequest = (statement: string) => !/access_version|PRAGMA/.test(statement)

/** Each function and how often it is entered, in the order of names. */
const counted = (entered: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const one of entered.toSorted()) counts.set(one, (counts.get(one) ?? 0) + 1)
  return counts
}

const textOf = (name: WalkName, entered: ReadonlyArray<string>) =>
  [...counted(entered)].map(([one, times]) => `${name}: ${one} ${times}`)

describe("a walk", () => {
  let walker: Walker
  const seen: Array<string> = []
  beforeAll(async () => void (walker = await startWalker()))
  afterAll(async () => {
    await walker.stop()
    if (process.env["RECORD_WALKS"] === "true") writeFileSync(seenFile, `${seen.join("\n")}\n`)
  })

  it.each(names)("is no longer than its ceiling: %s", async (name) => {
    // The first request of a kind compiles its decoders.
    await walker.record(name)
    // What comes now and then is not in each: the least counts.
    const recordings = [await walker.record(name), await walker.record(name), await walker.record(name)]
    const least = (count: (one: Recording) => number) => Math.min(...recordings.map(count))
    const walk: Walk = {
      calls: least(({ entered }) => untilCall(entered).length),
      roomChanges: least(({ entered }) => roomChangesIn(untilCall(entered))),
      statements: least(({ statements }) => statements.filter(ofRequest).length)
    }
    const walked = untilCall(recordings[0]?.entered ?? [])
    console.log(name, walk, `a chunk ${least(({ entered }) => chunkIn(entered))}`)
    const now = textOf(name, walked)
    seen.push(...now)
    const before = new Set(readFileSync(seenFile, "utf8").split("\n"))
    const added = now.filter((line) => !before.has(line))
    const ceiling = ceilings[name]
    for (const what of ["calls", "roomChanges", "statements"] as const)
      expect(walk[what], `${what}; new in it:\n${added.join("\n")}`).toBeLessThanOrEqual(ceiling[what])
    if (name === "message to a chat upstream")
      expect(least(({ entered }) => chunkIn(entered))).toBeLessThanOrEqual(chunkCeiling)
  })
})
