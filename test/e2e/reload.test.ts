import { mkdtempSync, renameSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { request } from "../request.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-reload-"))
const one = fakeUpstream("openai-chat")
const other = fakeUpstream("openai-chat")
const slow = fakeUpstream("openai-chat", { hangAfter: 2 })

const yaml = (url: string) => `upstreams: { up: { protocol: openai-chat, base_url: "${url}/v1" } }\nmodels: { m: up }\n`

/** As an editor does it: the file is never half there. */
const write = (text: string) => {
  writeFileSync(join(folder, "gateway.yaml.new"), text)
  renameSync(join(folder, "gateway.yaml.new"), join(folder, "gateway.yaml"))
}

let gateway: GatewayProcess
beforeAll(async () => {
  write(yaml(one.url))
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([one, other, slow].map((fake) => fake.stop()))
})

const printed = async (words: string | RegExp, from = 0) => {
  while (!(typeof words === "string" ? gateway.output().slice(from).includes(words) : words.test(gateway.output()))) {
    await Bun.sleep(10)
  }
}
const ask = (signal?: AbortSignal, stream = false) =>
  request(gateway, "/v1/messages", { body: { model: "m", max_tokens: 10, messages: "play:text", stream }, signal })

/** Asks without a pause, so many at a time, until told to stop; tells every status. */
const load = (clients: number) => {
  const statuses: Array<number> = []
  let running = true
  const client = async () => {
    while (running) {
      const response = await ask()
      await response.text()
      statuses.push(response.status)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, client))
  return async () => {
    running = false
    await all
    return statuses
  }
}

describe("a reload", () => {
  it("fails no request, whether the file has changed or the process was told", async () => {
    const stop = load(16)
    for (const [to, signalled] of [
      [other, false],
      [one, true],
      [other, true],
      [one, false]
    ] as const) {
      const printedBefore = gateway.output().length
      const askedBefore = to.asked.length
      write(yaml(to.url))
      if (signalled) gateway.signal("SIGHUP")
      await printed(`reloaded (${signalled ? "SIGHUP" : "the file has changed"})`, printedBefore)
      while (to.asked.length === askedBefore) await Bun.sleep(5)
    }
    const statuses = await stop()
    expect(statuses.length).toBeGreaterThan(50)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })

  it.each([
    ["broken YAML", "upstreams: {", "gateway.yaml:1:"],
    ["a route to nowhere", "models:\n  m: nobody\n", "gateway.yaml:2: models.m: no upstream"],
    ["a missing variable", 'upstreams: { a: { protocol: openai-chat, base_url: "${NO_SUCH}" } }', "NO_SUCH"]
  ])("of a file with %s changes nothing and says so", async (_, text, complaint) => {
    const before = gateway.output().length
    const stop = load(4)
    write(text)
    gateway.signal("SIGHUP")
    await printed("nothing has changed", before)
    expect(gateway.output().slice(before)).toContain(complaint)
    const asked = one.asked.length
    while (one.asked.length < asked + 20) await Bun.sleep(5)
    expect((await stop()).filter((status) => status !== 200)).toEqual([])
  })

  it("lets a stream go on at the upstream that began it", async () => {
    write(yaml(slow.url))
    gateway.signal("SIGHUP")
    await printed(/reloaded \(SIGHUP\)[^]*reloaded/)
    while (slow.asked.length === 0) await (await ask(undefined, true)).body?.cancel()
    const controller = new AbortController()
    const response = await ask(controller.signal, true)
    const reader = response.body!.getReader()
    await reader.read()
    const before = gateway.output().length
    write(yaml(one.url))
    gateway.signal("SIGHUP")
    await printed("reloaded (SIGHUP)", before)
    expect(slow.open()).toBeGreaterThan(0)
    expect((await ask()).status).toBe(200)
    expect(response.headers.get("x-gateway-upstream")).toBe("up")
    controller.abort()
  })
})
