import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { askEveryWay } from "./embedded.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const example = resolve(import.meta.dirname, "../../examples/embed.ts")
let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGateway({ command: [process.execPath, example] })
})
afterAll(() => gateway.dispose())

it("the embedding example answers every text family through its own upstream, streamed and not", async () => {
  const answers = await askEveryWay(gateway.url.replace(/\/$/, ""), gateway.key, "Is anybody there?")
  expect(new Set(Object.values(answers))).toEqual(new Set(["embedded: Is anybody there?"]))
})

it("it is short, imports the package and its peer alone, and ends when it is told to", async () => {
  const text = readFileSync(example, "utf8")
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(60)
  expect(new Set(text.match(/(?<=from ")[^"]+/g))).toEqual(new Set(["effect", "model-gateway"]))
  gateway.signal("SIGTERM")
  expect(await gateway.exited).toBe(0)
})
